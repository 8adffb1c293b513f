package history

// Segments that were kept, written again without what must not be kept.

import (
	"context"
	"errors"
	"iter"
	"os"
	"strings"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/engine/internal/durable"
	"github.com/simdb/simdb/wal"
)

// Rewrite changes the kept records up to a number. change returns the record as it is to be,
// or nil if it stays. Records keep their numbers. A segment that has one to be changed is
// written beside, and takes the place of the other when it is whole: who reads the other
// goes on. A crash leaves segments of both kinds, and the next Rewrite does the rest.
func (k *Kept) Rewrite(ctx context.Context, upTo uint64, change func(Record) ([]byte, error)) error {
	if err := k.removePartial(); err != nil {
		return err
	}
	files, err := wal.Files(k.FS, k.file(""))
	if err != nil {
		return err
	}
	for _, file := range files {
		if file.First > upTo {
			break
		}
		changed := 0
		for _, err := range k.changed(ctx, file, upTo, change, &changed) {
			if err != nil {
				return LogError(err)
			}
		}
		if changed == 0 {
			continue
		}
		if _, err := wal.WriteFile(k.FS, file.Path, file.First, k.changed(ctx, file, upTo, change, new(int))); err != nil {
			return LogError(err)
		}
		if err := k.setTime(file); err != nil {
			return err
		}
	}
	return durable.SyncDir(k.FS, k.file(""))
}

// changed goes through the records of a segment as they are to be, and counts those that
// change.
func (k *Kept) changed(ctx context.Context, file wal.File, upTo uint64, change func(Record) ([]byte, error), n *int) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		r, err := wal.OpenFile(k.FS, file)
		if err != nil {
			yield(nil, err)
			return
		}
		defer r.Close()
		for seq := file.First - 1; seq < file.Last; {
			var payload, now []byte
			seq, payload, err = r.Next()
			if err = errors.Join(err, ctx.Err()); err == nil && seq <= upTo {
				now, err = change(Record{seq, payload})
			}
			if now != nil {
				payload = now
				*n++
			}
			if !yield(payload, err) || err != nil {
				return
			}
		}
	}
}

// removePartial removes what a crash has left of segments that were being written.
func (k *Kept) removePartial() error {
	names, err := k.FS.List(k.file(""))
	for _, n := range names {
		if strings.HasSuffix(n, ".partial") && err == nil {
			err = k.FS.Remove(k.file(n))
		}
	}
	return err
}

// setTime gives a segment the time it had: how long it is kept goes by that.
func (k *Kept) setTime(file wal.File) error {
	if vfs.Root(k.FS) != vfs.Default {
		return nil // files in memory have no time to set
	}
	return os.Chtimes(file.Path, time.Time{}, file.Info.ModTime())
}
