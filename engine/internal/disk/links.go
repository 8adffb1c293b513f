package disk

// Hard links in a copy of the store, and how they become files of their own. A copy is
// linked first, which takes no time, so that the store can go on; then the links are
// replaced one by one.

import (
	"context"
	"errors"
	"io"
	"sync"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// linkedFiles are the hard links that a copy has.
type linkedFiles struct {
	mu    sync.Mutex
	paths []string
}

func (l *linkedFiles) add(path string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.paths = append(l.paths, path)
}

// part replaces each link by a copy of its file.
func (l *linkedFiles) part(ctx context.Context, f vfs.FS) error {
	dirs := map[string]bool{}
	for _, path := range l.paths {
		own := path + ".own"
		if err := copyFile(ctx, f, path, own); err != nil {
			return err
		}
		if err := f.Rename(own, path); err != nil {
			return err
		}
		dirs[f.PathDir(path)] = true
	}
	for dir := range dirs {
		if err := SyncDir(f, dir); err != nil {
			return err
		}
	}
	return nil
}

// copyBytes is how much is copied before the context is looked at again.
const copyBytes = 1 << 20

// copyFile copies a file durably.
func copyFile(ctx context.Context, f vfs.FS, from, to string) error {
	in, err := f.Open(from, vfs.SequentialReadsOption)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := f.Create(to, vfs.WriteCategoryUnspecified)
	if err != nil {
		return err
	}
	for err == nil {
		if err = ctx.Err(); err == nil {
			_, err = io.CopyN(out, in, copyBytes)
		}
	}
	if err != io.EOF {
		return errors.Join(err, out.Close())
	}
	return errors.Join(out.Sync(), out.Close())
}
