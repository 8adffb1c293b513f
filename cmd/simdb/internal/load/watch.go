package load

// sync --watch syncs the folder again after each burst of file system events. A sync of the
// whole folder examines every file, but cannot miss a change if the system drops events.

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/cmd/simdb/internal/exit"
	"github.com/simdb/simdb/internal/ingest"
)

const (
	watchPause = 300 * time.Millisecond // pause in events before a sync
	watchMost  = 5 * time.Second        // longest burst of events before a sync
)

// keepAt syncs, and syncs again after each burst of events. It returns nil on Ctrl-C.
func (y *syncer) keepAt(ctx context.Context, db *simdb.DB) error {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return exit.Failf(exit.Unavailable, "cannot watch %s: %v", y.folder, err)
	}
	defer w.Close()
	for {
		// Watch directories before reading them, so that changes in between cause events.
		if err := watchBelow(w, y.folder); err != nil {
			return exit.Failf(exit.Unavailable, "cannot watch %s: %v", y.folder, err)
		}
		_, err := y.once(ctx, db)
		if err == nil {
			err = awaitNews(ctx, w)
		}
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// watchBelow watches a folder and all directories below it that sync reads. It may be called
// again to add new directories.
func watchBelow(w *fsnotify.Watcher, folder string) error {
	root, err := filepath.EvalSymlinks(folder)
	if err != nil {
		return err
	}
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission):
			return nil // removed since, or rejected by the sync
		case err != nil:
			return err
		case !d.IsDir():
			return nil
		case path != root && (d.Name() == ".git" || ingest.IsStore(path)):
			return fs.SkipDir
		}
		if err := w.Add(path); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	})
}

// awaitNews blocks until a burst of events has ended: after watchPause without events, or at the
// latest watchMost after the first.
func awaitNews(ctx context.Context, w *fsnotify.Watcher) error {
	var pause, most <-chan time.Time
	for {
		select {
		case <-ctx.Done():
			return nil
		case _, ok := <-w.Events:
			if !ok {
				return errors.New("the watch has ended")
			}
		case err, ok := <-w.Errors:
			if !ok || !errors.Is(err, fsnotify.ErrEventOverflow) { // dropped events count as an event
				return errors.Join(errors.New("the watch has failed"), err)
			}
		case <-pause:
			return nil
		case <-most:
			return nil
		}
		pause = time.After(watchPause)
		if most == nil {
			most = time.After(watchMost)
		}
	}
}
