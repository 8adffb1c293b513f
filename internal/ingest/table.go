package ingest

// Parquet and Arrow. Options.Tables reads them, so that a program that imports only texts does not
// link their readers.

import (
	"bufio"
	"bytes"
	"io"
	"iter"

	"github.com/simdb/simdb/api"
)

// noTables is the reject reason without Options.Tables, which api.ImportOptions sets.
const noTables = "Parquet or Arrow, and this program has no reader for tables; use the command simdb import"

// readTable reads the records of a table.
func (r *reader) readTable(b *bufio.Reader, p *probe) error {
	if r.o.Tables == nil {
		return r.reject(1, p.source, 0, noTables)
	}
	file, size, packed := io.Reader(b), int64(-1), 1
	// Parquet has its directory at the end, so pass random access where the file permits it.
	if at, ok := p.file.(io.ReaderAt); ok && p.depth == 0 {
		file, size, packed = struct {
			io.Reader
			io.ReaderAt
		}{b, countedReaderAt{r, at}}, p.size, 0
	}
	max := r.o.maxRecordBytes()
	want := api.TableFields{ID: r.ids.field.name, IDOptional: !r.ids.named, Text: r.ids.text.names(), Metadata: r.ids.meta, MaxBytes: max}
	next, stop := iter.Pull2(r.o.Tables.Records(r.ctx, bytes.Clone(p.sniffed()), file, size, want))
	defer stop()
	return r.readRecords(p, &tableRows{pull: next, e: p.expansion, out: &p.expansion.out[packed]}, max, unit{})
}

// tableRows are the records of a table. Their numbers replace line numbers.
type tableRows struct {
	pull func() (api.TableRecord, error, bool)
	e    *expansion
	out  *int64 // counter of e for records; decompressing the file has its own
	n    int64
}

// next returns the next record as JSON, within the expansion limit.
func (t *tableRows) next() (record, error) {
	got, err, ok := t.pull()
	rec := record{bytes: got.JSON, size: int64(len(got.JSON)), line: t.n + 1, n: t.n + 1, reason: got.Reason, lines: got.Rows}
	t.n += max(got.Rows, 1)
	switch {
	case !ok:
		return rec, io.EOF
	case err != nil:
		return rec, formError(err.Error())
	}
	if *t.out += rec.size; *t.out > t.e.limit(t.e.input()) {
		return rec, t.e.err()
	}
	return rec, nil
}
