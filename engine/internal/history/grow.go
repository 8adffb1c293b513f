package history

// Growing a log: records are appended to the log of a closed copy, as if the copy had been
// killed after writing them.

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/durable"
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/wal"
)

// grownBytes is the length of the log segments that a copy receives.
const grownBytes = 64 << 20

// Closed returns the log of a store that no process has open for writing.
func Closed(f vfs.FS, path string) *Past { return &Past{fs: f, path: path} }

// Last returns the last record known to be in a closed store: in its log, or in its tables,
// which contain all records up to applied.
func (p *Past) Last(applied uint64) (uint64, error) {
	dir := p.fs.PathJoin(p.path, LogName)
	files, err := wal.Files(p.fs, dir)
	if err != nil {
		return 0, err
	}
	mark, err := wal.Mark(p.fs, dir)
	if n := len(files); n > 0 {
		mark = max(mark, files[n-1].First-1)
	}
	return max(mark, applied), err
}

// Extend appends the records after from to the log of the copy in dir, and returns the last one.
// ErrNotKept if the history no longer has them.
func (p *Past) Extend(ctx context.Context, dir string, from uint64) (to uint64, err error) {
	records := p.Records(ctx, from, false, func(Settings) error { return nil })
	to, err = writeLog(p.fs, p.fs.PathJoin(dir, LogName), from, skipTo(records, from))
	if errors.Is(err, api.ErrNotKept) {
		err = fmt.Errorf("%w; make a new backup", err)
	}
	return to, err
}

// CopyLog appends to the empty log of the copy in dir the records after applied, up to last or
// until want returns false.
func (p *Past) CopyLog(ctx context.Context, dir string, applied, last uint64, want func(Record) (bool, error)) error {
	_, err := writeLog(p.fs, p.fs.PathJoin(dir, LogName), applied, p.logRecords(ctx, applied, last, want))
	return err
}

// skipTo skips the records up to since.
func skipTo(records iter.Seq2[Record, error], since uint64) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		for r, err := range records {
			if (err != nil || r.Seq > since) && !yield(r, err) {
				return
			}
		}
	}
}

// writeLog writes the records that follow last as segments of a closed log, and returns the last
// one. Each segment is synced and then renamed into place.
func writeLog(f vfs.FS, dir string, last uint64, records iter.Seq2[Record, error]) (uint64, error) {
	next, stop := iter.Pull2(records)
	defer stop()
	for done := false; !done; {
		size := 0
		segment := func(yield func([]byte, error) bool) {
			for size < grownBytes {
				r, err, ok := next()
				if !ok {
					done = true
					return
				}
				if size += len(r.Payload); !yield(r.Payload, err) {
					return
				}
			}
		}
		wrote, err := wal.WriteFile(f, f.PathJoin(dir, wal.Name(last+1)), last+1, segment)
		if err != nil {
			return last, LogError(err)
		}
		if wrote == 0 {
			break
		}
		if err := errors.Join(durable.SyncDir(f, dir), wal.SetMark(f, dir, wrote)); err != nil {
			return last, err
		}
		last = wrote
	}
	return last, nil
}

// logRecords iterates over the records of a closed log after applied, up to last or until want
// returns false.
func (p *Past) logRecords(ctx context.Context, applied, last uint64, want func(Record) (bool, error)) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		next := applied + 1
		r := pastReader{Past: p}
		defer r.close()
		read := func() (Record, error) {
			for {
				seq, payload, err := r.in.Next()
				if err = errors.Join(LogError(err), ctx.Err()); err != nil || seq == next {
					return Record{seq, payload}, err
				}
			}
		}
		files, err := wal.Files(p.fs, p.fs.PathJoin(p.path, LogName))
		for more := err == nil; more && next <= last; next++ {
			for len(files) > 1 && files[1].First <= next {
				r.close()
				files = files[1:]
			}
			if len(files) == 0 || files[0].First > next {
				err = fault.Corrupt("record %d is missing in the log of %s", next, p.path)
			} else if r.in == nil {
				err = r.open(files[0])
			}
			var record Record
			if err == nil {
				record, err = read()
			}
			if err == nil {
				more, err = want(record)
			}
			more = err == nil && more && yield(record, nil)
		}
		if err != nil {
			yield(Record{}, err)
		}
	}
}
