package disk

// Hard links in a copy of the store, and how they become files of their own. A copy is
// linked first, which takes no time, so that the store can go on; then the links are
// replaced one by one.

import (
	"context"
	"sync"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/engine/internal/durable"
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
		if err := durable.CopyFile(ctx, f, path, own); err != nil {
			return err
		}
		if err := f.Rename(own, path); err != nil {
			return err
		}
		dirs[f.PathDir(path)] = true
	}
	for dir := range dirs {
		if err := durable.SyncDir(f, dir); err != nil {
			return err
		}
	}
	return nil
}
