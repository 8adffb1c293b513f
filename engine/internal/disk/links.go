package disk

// Hard links in a copy of the store. A copy begins as links, which takes no time, so the store
// can go on; then a copy of the file replaces each link.

import (
	"context"
	"sync"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/engine/internal/durable"
)

// linkedFiles collects the hard links of a copy. add is safe for concurrent use.
type linkedFiles struct {
	mu    sync.Mutex
	paths []string
}

func (l *linkedFiles) add(path string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.paths = append(l.paths, path)
}

// separate replaces each link with a copy of its file and syncs the directories.
func (l *linkedFiles) separate(ctx context.Context, f vfs.FS) error {
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
