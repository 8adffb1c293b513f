package load

// Deletion by sync, which requires proof that the file is gone.

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
)

// syncDeletes is the number of documents that one batch deletes.
const syncDeletes = 256

// deleteGone deletes the documents of files that no longer exist. It looks up each file, because a
// file that the walk could not reach is not gone.
func (y *syncRun) deleteGone(ctx context.Context) error {
	s, err := y.db.Snapshot()
	if err != nil {
		return err
	}
	defer s.Close()
	b, n := &simdb.Batch{}, int64(0)
	flush := func() error {
		if n == 0 {
			return nil
		}
		if err := y.stillThere(); err != nil {
			return err
		}
		if _, err := y.db.Commit(ctx, b); err != nil {
			return err
		}
		y.stats.Deleted += n
		b, n = &simdb.Batch{}, 0
		return nil
	}
	for m, err := range s.Notes(ctx, y.begin) {
		if err != nil {
			return err
		}
		if y.files.Load() == 0 && !y.o.DeleteAll {
			return fmt.Errorf("%w: %s contains no file at all, so the sync deletes nothing; is it mounted? If it should be empty, set DeleteAll (--delete-all)", api.ErrInvalid, y.folder)
		}
		rel := strings.TrimPrefix(m.Name, y.begin)
		if !y.gone(rel) {
			continue
		}
		b.Delete(y.o.Into, y.o.Prefix+rel)
		b.Note(m.Name, nil)
		if n++; n == syncDeletes {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	return flush()
}

// gone reports whether a path certainly does not exist, or is no longer a regular file. Any other
// error keeps the document.
func (y *syncRun) gone(rel string) bool {
	info, err := y.root.Lstat(filepath.FromSlash(rel))
	if err != nil {
		return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
	}
	return !info.Mode().IsRegular()
}

// stillThere returns an error if the path now leads to another folder than the one that the sync
// opened, for example because a file system was mounted or unmounted. Then the sync must delete
// nothing.
func (y *syncRun) stillThere() error {
	now, err := os.Stat(y.folder)
	if err != nil {
		return err
	}
	was, err := y.root.Stat(".")
	if err != nil {
		return err
	}
	if !os.SameFile(now, was) {
		return fmt.Errorf("%w: %s is no longer the folder that the sync opened", api.ErrInvalid, y.folder)
	}
	return nil
}
