package ingest

// Files of records that are no lines of text, such as Parquet. What reads them is handed in,
// as it is for documents: whoever imports only texts need not link it.

import (
	"bufio"
	"io"
	"iter"

	"github.com/simdb/simdb/api"
)

const (
	noTables  = "Parquet file, which needs ImportOptions.Tables; the command simdb import has it"
	tableLast = "Parquet is read in a file by itself, because what says where its columns lie comes last; name the file, decompressed and unpacked"
)

// readTable puts each record of a table.
func (r *reader) readTable(_ *bufio.Reader, p *probe) error {
	s := p.stream
	file, ok := s.file.(io.ReaderAt)
	switch {
	case r.o.Tables == nil:
		return r.reject(1, s.source, 0, noTables)
	case !ok || s.depth > 0:
		return r.reject(1, s.source, 0, tableLast)
	}
	max := r.o.maxRecordBytes()
	want := api.TableFields{ID: r.ids.field.name, IDOptional: !r.ids.named, Text: r.ids.text.names(), Metadata: r.ids.meta, MaxBytes: max}
	next, stop := iter.Pull2(r.o.Tables.Records(r.ctx, countedReaderAt{r, file}, s.size, want))
	defer stop()
	return r.readRecords(p, &tableRows{pull: next, e: s.expansion}, max, unit{})
}

// tableRows are the records of a table. Their numbers stand for lines.
type tableRows struct {
	pull func() (api.TableRecord, error, bool)
	e    *expansion
	n    int64
}

func (t *tableRows) next() (record, error) {
	got, err, ok := t.pull()
	t.n++
	rec := record{bytes: got.JSON, size: int64(len(got.JSON)), line: t.n, n: t.n, reason: got.Reason}
	switch {
	case !ok:
		return rec, io.EOF
	case err != nil:
		return rec, formError(err.Error())
	}
	if t.e.out[0] += rec.size; t.e.out[0] > t.e.limit(t.e.input()) {
		return rec, t.e.err()
	}
	return rec, nil
}
