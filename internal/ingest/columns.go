package ingest

// JSON tables by columns, the default of pandas, and maps of ids to texts. Each record is spread
// over the whole file, so the file is read into memory.

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
)

// readColumns reads an object that is a table by columns or a map.
func (r *reader) readColumns(b *bufio.Reader, p *probe) error {
	b, done := utf8Lines(b, p.raw)
	defer done()
	raw, err := r.readCapped(b, maxDocumentBytes)
	switch {
	case err != nil:
		return r.failed(1, p.stream, 0, err)
	case len(raw) > maxDocumentBytes:
		return r.reject(1, p.source, 1, fmt.Sprintf("%s is over the limit of %d bytes; write it as lines: in pandas to_json(…, orient='records', lines=True)", p.kind.name, maxDocumentBytes))
	}
	raw, nulls := replaceNaN(raw, func(string) string { return "null" })
	var t columns
	if p.kind.format == "map" {
		err = t.parseMap(raw, r.ids)
	} else {
		err = t.parse(raw, r.ids)
	}
	if err != nil {
		return r.reject(1, p.source, 1, fmt.Sprintf("%s that cannot be read: %v", p.kind.name, err))
	}
	if err := r.readRecords(p, &t, r.o.maxRecordBytes(), unit{}); err != nil || nulls == 0 {
		return err
	}
	r.warn(p.source, nullNumbers(int64(nulls)))
	return nil
}

// columns holds the rows of a table, each by column name.
type columns struct {
	rows []map[string]json.RawMessage
	n    int64
	buf  []byte
}

// next returns the next row as a JSON object.
func (t *columns) next() (record, error) {
	if t.n == int64(len(t.rows)) {
		return record{}, io.EOF
	}
	var err error
	t.buf, err = json.Marshal(t.rows[t.n])
	t.n++
	return record{bytes: t.buf, size: int64(len(t.buf)), line: t.n, n: t.n}, err
}

// parse reads a table: columns, numbered rows, or an object with separate "columns" and "data".
func (t *columns) parse(raw []byte, ids idRule) error {
	var top map[string]json.RawMessage
	if err := json.Unmarshal(raw, &top); err != nil {
		return err
	}
	var names []string
	var data [][]json.RawMessage
	if json.Unmarshal(top["columns"], &names) == nil && json.Unmarshal(top["data"], &data) == nil {
		for n, values := range data {
			if len(values) != len(names) {
				return fmt.Errorf("row %d has %d values for %d columns", n+1, len(values), len(names))
			}
			row := make(map[string]json.RawMessage, len(names))
			for i, name := range names {
				row[name] = values[i]
			}
			t.rows = append(t.rows, row)
		}
		return nil
	}
	rows := map[string]map[string]json.RawMessage{}
	set := func(label, name string, value json.RawMessage) {
		if rows[label] == nil {
			rows[label] = map[string]json.RawMessage{}
		}
		rows[label][name] = value
	}
	// The text field at the top level means columns; otherwise the top level holds rows, and the
	// labels change places.
	isColumn := slices.ContainsFunc(ids.text.fields, func(f field) bool { return top[f.name] != nil })
	for name, column := range top {
		var list []json.RawMessage
		var byLabel map[string]json.RawMessage
		if json.Unmarshal(column, &list) == nil {
			byLabel = make(map[string]json.RawMessage, len(list))
			for i, value := range list {
				byLabel[strconv.Itoa(i)] = value
			}
		} else if err := json.Unmarshal(column, &byLabel); err != nil {
			return fmt.Errorf("column %.40q: %w", name, err)
		}
		for label, value := range byLabel {
			if isColumn {
				set(label, name, value)
			} else {
				set(name, label, value)
			}
		}
	}
	// Sort the rows by number, whatever the order of the file.
	byNumber := func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) }
	for _, label := range slices.SortedFunc(maps.Keys(rows), byNumber) {
		t.rows = append(t.rows, rows[label])
	}
	return nil
}

// parseMap reads a map of ids to texts.
func (t *columns) parseMap(raw []byte, ids idRule) error {
	var top map[string]json.RawMessage
	if err := json.Unmarshal(raw, &top); err != nil {
		return err
	}
	for _, id := range slices.Sorted(maps.Keys(top)) {
		quoted, err := json.Marshal(id)
		if err != nil {
			return err
		}
		t.rows = append(t.rows, map[string]json.RawMessage{cmp.Or(ids.field.name, idField): quoted, ids.text.name: top[id]})
	}
	return nil
}
