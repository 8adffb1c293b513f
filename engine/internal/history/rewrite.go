package history

// Rewriting kept segments without erased documents.

import (
	"context"
	"errors"
	"iter"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/engine/internal/durable"
	"github.com/simdb/simdb/wal"
)

// Rewrite applies change to the kept records up to upTo. change returns the new payload, or nil
// to keep the record; settings does the same with the settings of a record. Records keep their
// sequence numbers. Each changed segment is written as a new file and renamed over the old one,
// which current readers keep open. A crash leaves old and new segments, and the next Rewrite
// continues. The newest segment comes first, and SETTINGS last, so that no record refers to a
// collection whose creation is already gone.
func (k *Kept) Rewrite(ctx context.Context, upTo uint64, change, settings func(Record) ([]byte, error)) error {
	if err := k.removePartial(); err != nil {
		return err
	}
	files, err := wal.Files(k.FS, k.file(""))
	if err != nil {
		return err
	}
	for _, file := range slices.Backward(files) {
		if file.First > upTo {
			continue
		}
		changed := 0
		for _, err := range k.rewritten(ctx, file, upTo, change, &changed) {
			if err != nil {
				return LogError(err)
			}
		}
		if changed == 0 {
			continue
		}
		if _, err := wal.WriteFile(k.FS, file.Path, file.First, k.rewritten(ctx, file, upTo, change, new(int))); err != nil {
			return LogError(err)
		}
		if err := k.setTime(file); err != nil {
			return err
		}
	}
	return errors.Join(durable.SyncDir(k.FS, k.file("")), k.rewriteSettings(upTo, settings))
}

// rewriteSettings applies change to the settings of records up to upTo.
func (k *Kept) rewriteSettings(upTo uint64, change func(Record) ([]byte, error)) error {
	changed, kept := false, []InForce{}
	for _, o := range k.settings.Of {
		if o.Seq <= upTo {
			now, err := change(Record{o.Seq, o.Settings})
			if err != nil {
				return err
			}
			if changed = changed || now != nil; now != nil {
				o.Settings = now
			}
		}
		kept = append(kept, o)
	}
	if !changed {
		return nil
	}
	k.settings.Of = kept
	return k.writeSettings()
}

// Payloads iterates over the records of history and log up to upTo, which must be synced. The
// caller keeps segments from retiring.
func (k *Kept) Payloads(ctx context.Context, upTo uint64) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		files, err := wal.Files(k.FS, k.file(""))
		live, liveErr := wal.Files(k.FS, k.FS.PathJoin(k.Path, LogName))
		if err = errors.Join(err, liveErr); err != nil {
			yield(nil, LogError(err))
			return
		}
		files = append(files, live...)
		for i, file := range files {
			if file.Last == 0 {
				if file.Last = upTo; i+1 < len(files) {
					file.Last = min(upTo, files[i+1].First-1)
				}
			}
			if file.Last < file.First {
				continue
			}
			for payload, err := range k.rewritten(ctx, file, 0, nil, nil) {
				if !yield(payload, LogError(err)) || err != nil {
					return
				}
			}
		}
	}
}

// rewritten iterates over the payloads of a segment after change, and counts in n the records that
// changed.
func (k *Kept) rewritten(ctx context.Context, file wal.File, upTo uint64, change func(Record) ([]byte, error), n *int) iter.Seq2[[]byte, error] {
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

// removePartial deletes the unfinished segments that a crash left.
func (k *Kept) removePartial() error {
	names, err := k.FS.List(k.file(""))
	for _, n := range names {
		if strings.HasSuffix(n, ".partial") && err == nil {
			err = k.FS.Remove(k.file(n))
		}
	}
	return err
}

// setTime restores the modification time of a segment, which determines its age.
func (k *Kept) setTime(file wal.File) error {
	if vfs.Root(k.FS) != vfs.Default {
		return nil // in-memory files have no settable time
	}
	return os.Chtimes(file.Path, time.Time{}, file.Info.ModTime())
}
