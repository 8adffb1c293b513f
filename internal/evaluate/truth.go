package evaluate

// Parser for the truth: lines of CSV with labelled pairs, or with queries and answers.

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"
)

// maxPairs bounds the memory of an evaluation, which holds a score for each pair and setting.
const maxPairs = 100_000

// A row is a line of the truth. b is empty for a query without a right answer.
type row struct {
	line  int
	a, b  string
	right bool
}

// A truth is the parsed file.
type truth struct {
	rows    []row
	queries bool // rows are queries and answers; other documents count as wrong
}

// ErrTruth marks a truth that cannot be parsed or is insufficient. The message suggests a
// correction.
var ErrTruth = errors.New("truth")

// bad returns an ErrTruth.
func bad(format string, args ...any) error {
	return fmt.Errorf("%w: %w", ErrTruth, fmt.Errorf(format, args...))
}

// labels are the accepted words for yes and no.
var labels = map[string]bool{
	"1": true, "yes": true, "true": true, "y": true, "t": true,
	"0": false, "no": false, "false": false, "n": false, "f": false,
}

// readTruth parses lines a,b,label or query,answer. stored reports whether an id belongs to a
// document, which distinguishes a first pair from a header. apart means that queries and answers are
// in two collections, where a query may have the same id as its answer.
func readTruth(r io.Reader, stored func(id string) bool, apart bool) (truth, error) {
	var t truth
	c := csv.NewReader(r)
	c.FieldsPerRecord = -1
	seen := map[[2]string]row{}
	columns := 0
	for first := true; ; first = false {
		fields, err := c.Read()
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return t, bad("%v; quote fields that contain a comma or a quote", err)
		}
		if first {
			fields[0] = strings.TrimPrefix(fields[0], "\ufeff")
			if columns = len(fields); columns != 2 && columns != 3 {
				return t, bad("line 1 has %d columns; want a,b,label for pairs, or query,answer", columns)
			}
			t.queries = columns == 2
			if isHead(fields, stored) {
				continue
			}
		}
		line, _ := c.FieldPos(0)
		if len(fields) != columns {
			return t, bad("line %d has %d columns, but earlier lines have %d; correct or remove it", line, len(fields), columns)
		}
		now := row{line: line, a: fields[0], b: fields[1], right: true}
		if !t.queries {
			label, ok := labels[strings.ToLower(strings.TrimSpace(fields[2]))]
			if !ok {
				return t, bad("line %d: the label is %q; write 1 or yes for a similar pair, 0 or no for a dissimilar one", line, fields[2])
			}
			now.right = label
		}
		switch before, twice := seen[[2]string{now.a, now.b}]; {
		case now.a == "", now.b == "" && !t.queries:
			return t, bad("line %d: an id is empty; write the id of a document", line)
		case now.a == now.b && !apart:
			return t, bad("line %d compares %q with itself; remove it", line, now.a)
		case twice && before.right != now.right:
			return t, bad("line %d: the label of %q and %q contradicts line %d; remove one of the lines", line, now.a, now.b, before.line)
		case twice:
			continue
		}
		if t.rows = append(t.rows, now); len(t.rows) > maxPairs {
			return t, bad("line %d: more than %d lines; use a sample", line, maxPairs)
		}
		seen[[2]string{now.a, now.b}] = now
	}
	return t, t.enough()
}

// isHead reports whether the first line names columns.
func isHead(fields []string, stored func(id string) bool) bool {
	if len(fields) == 3 {
		if _, ok := labels[strings.ToLower(strings.TrimSpace(fields[2]))]; ok {
			return false
		}
	}
	switch strings.ToLower(strings.Join(fields, ",")) {
	case "a,b,label", "query,answer":
		return true
	}
	return !stored(fields[0]) && !stored(fields[1])
}

// enough returns an error for a truth without a right answer, or with only similar pairs.
func (t truth) enough() error {
	right := 0
	for _, r := range t.rows {
		if r.right && r.b != "" {
			right++
		}
	}
	switch {
	case right == 0:
		return bad("no line has a right answer; name pairs that are similar, or answers to queries")
	case !t.queries && right == len(t.rows):
		return bad("all pairs are similar; add dissimilar pairs with label 0, preferably ones that look alike")
	}
	return nil
}
