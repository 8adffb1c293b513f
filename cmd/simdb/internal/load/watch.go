package load

// sync --watch: the system tells of changes in the folder, and once they pause, the folder
// is synced again. Syncing all of it each time costs a look at every file, and cannot
// miss one, also if the system has dropped some news.

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
	watchPause = 300 * time.Millisecond // without news before a sync
	watchMost  = 5 * time.Second        // for which news may go on before a sync
)

// keepAt syncs, and again after each burst of changes, until Ctrl-C, which is how a watch
// ends well.
func (y *syncer) keepAt(ctx context.Context, db *simdb.DB) error {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return exit.Failf(exit.Unavailable, "cannot watch %s: %v", y.folder, err)
	}
	defer w.Close()
	for {
		// Directories are watched before they are read: what changes in between is news.
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

// watchBelow watches a folder and all directories in it that sync reads. Those that are
// watched already stay so.
func watchBelow(w *fsnotify.Watcher, folder string) error {
	root, err := filepath.EvalSymlinks(folder)
	if err != nil {
		return err
	}
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission):
			return nil // gone meanwhile, or rejected by the sync
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

// awaitNews returns when something has changed and nothing has for a while.
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
			if !ok || !errors.Is(err, fsnotify.ErrEventOverflow) { // dropped news is news
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
