package disk

// Backups that grow: the records written since are put into the log of a copy, as if the
// copy were a store that was killed after them. So it opens as the newer one, and a store
// of any moment in between is a copy of it with less of that log.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/wal"
)

// extensionBytes is how long the log segments are that a copy gets.
const extensionBytes = 64 << 20

// Extend adds to a copy the records that its store has written since, as far as they are
// synced. It returns the last record that the copy had, and has. The store may be open. A
// copy that Extend was killed in has a part of them.
func Extend(ctx context.Context, f vfs.FS, store, dir string) (from, to uint64, err error) {
	past, err := OpenPast(f, store)
	if err != nil {
		return 0, 0, err
	}
	copied, lock, err := openCopy(f, dir, false)
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	if copied.was.From != past.UUID() {
		return 0, 0, fault.Invalid("%s is no backup of this store, or was opened for writing since; make a new one", dir)
	}
	from, err = copied.last()
	if err != nil {
		return 0, 0, err
	}
	records := past.Records(ctx, from, false, func(Settings) error { return nil })
	to, err = writeLog(f, f.PathJoin(dir, logName), from, after(records, from))
	if errors.Is(err, api.ErrNotKept) {
		err = fmt.Errorf("%w; make a new backup", err)
	}
	return from, to, err
}

// openCopy opens the directory of a store as files, under its lock.
func openCopy(f vfs.FS, dir string, shared bool) (*Past, io.Closer, error) {
	_, err := f.Stat(f.PathJoin(dir, stateName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fault.Missing("there is no backup at %s", dir)
	}
	if err != nil {
		return nil, nil, err
	}
	lock, err := takeLock(f, dir, f.PathJoin(dir, lockName), shared)
	if err != nil {
		return nil, nil, err
	}
	st, err := readState(f, f.PathJoin(dir, stateName))
	if err != nil {
		return nil, nil, errors.Join(err, lock.Close())
	}
	return &Past{f, dir, st}, lock, nil
}

// last is the last record that is known to be in the store.
func (p *Past) last() (uint64, error) {
	dir := p.fs.PathJoin(p.path, logName)
	files, err := wal.Files(p.fs, dir)
	if err != nil {
		return 0, err
	}
	mark, err := wal.Mark(p.fs, dir)
	if n := len(files); n > 0 {
		mark = max(mark, files[n-1].First-1)
	}
	return max(mark, p.was.Applied), err
}

// after leaves out the records up to since.
func after(records iter.Seq2[Record, error], since uint64) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		for r, err := range records {
			if (err != nil || r.Seq > since) && !yield(r, err) {
				return
			}
		}
	}
}

// writeLog writes records that come after last into the segments of a log that nobody has
// open. It returns the last record. Each segment appears when it is whole.
func writeLog(f vfs.FS, dir string, last uint64, records iter.Seq2[Record, error]) (uint64, error) {
	next, stop := iter.Pull2(records)
	defer stop()
	for done := false; !done; {
		size := 0
		segment := func(yield func([]byte, error) bool) {
			for size < extensionBytes {
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
			return last, logError(err)
		}
		if wrote == 0 {
			break
		}
		if err := errors.Join(SyncDir(f, dir), wal.SetMark(f, dir, wrote)); err != nil {
			return last, err
		}
		last = wrote
	}
	return last, nil
}

// CopyTo writes a copy of what is in the directory of a store, with the records of its log
// as long as they are wanted, to a directory that must not exist. The copy is made beside,
// with partialSuffix; made gets it there, and returns when the copy may have its name.
//
// A copy has what was written before it was made. Where before is given, that must not
// be later.
func CopyTo(ctx context.Context, f vfs.FS, from, dir string, before time.Time, want func(Record) (bool, error), made func(partial string) error) (err error) {
	source, lock, err := openCopy(f, from, true)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	if at := source.was.At; !before.IsZero() && (at.IsZero() || before.Before(at)) {
		return fault.NotKept("the backup was made at %v, and cannot go back further; one that was opened for writing goes back by records only", at)
	}
	if exists(f, dir) {
		return fmt.Errorf("%s: %w", dir, fs.ErrExist)
	}
	partial := Partial(dir)
	own, err := beginCopy(f, partial)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.RemoveAll(partial))
		}
	}()
	err = source.copyUpTo(ctx, partial, want)
	if err := errors.Join(err, own.Close()); err != nil {
		return err
	}
	if err := made(partial); err != nil {
		return err
	}
	return Whole(f, dir)
}

// copyUpTo copies the store into a directory, with the wanted records of its log.
func (p *Past) copyUpTo(ctx context.Context, dir string, want func(Record) (bool, error)) error {
	for _, name := range []string{pebbleName, PostingsName} {
		from := p.fs.PathJoin(p.path, name)
		if name == PostingsName && !exists(p.fs, from) {
			continue // empty, and left out by what packed the backup
		}
		if err := copyDir(ctx, p.fs, from, p.fs.PathJoin(dir, name)); err != nil {
			return err
		}
	}
	last, err := p.last()
	if err != nil {
		return err
	}
	logDir := p.fs.PathJoin(dir, logName)
	if err := emptyLog(p.fs, logDir, p.was.Applied); err != nil {
		return err
	}
	if _, err := writeLog(p.fs, logDir, p.was.Applied, p.logged(ctx, last, want)); err != nil {
		return err
	}
	st := state{UUID: newUUID(), Made: true, Applied: p.was.Applied, Documents: p.was.Documents, Keep: p.was.Keep}
	return writeState(p.fs, dir, p.fs.PathJoin(dir, stateName), st)
}

// logged goes through the records of the log that Pebble may lack, up to the last one or
// the first that is not wanted. Nobody writes the log.
func (p *Past) logged(ctx context.Context, last uint64, want func(Record) (bool, error)) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		next := p.was.Applied + 1
		r := pastReader{Past: p}
		defer r.close()
		read := func() (Record, error) {
			for {
				seq, payload, err := r.in.Next()
				if err = errors.Join(logError(err), ctx.Err()); err != nil || seq == next {
					return Record{seq, payload}, err
				}
			}
		}
		files, err := wal.Files(p.fs, p.fs.PathJoin(p.path, logName))
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

func copyDir(ctx context.Context, f vfs.FS, from, to string) error {
	names, err := f.List(from)
	if err != nil {
		return err
	}
	if err := makeDir(f, to); err != nil {
		return err
	}
	for _, name := range names {
		from, to := f.PathJoin(from, name), f.PathJoin(to, name)
		info, err := f.Stat(from)
		switch {
		case err != nil:
			return err
		case info.IsDir():
			err = copyDir(ctx, f, from, to)
		default:
			err = copyFile(ctx, f, from, to)
		}
		if err != nil {
			return err
		}
	}
	return SyncDir(f, to)
}
