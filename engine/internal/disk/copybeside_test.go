// Copies of a store beside the process that writes it: backups of a read-only opening, and plain
// copies of the directory.

package disk_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/engine/internal/enginetest"
)

// writing is a store to which a goroutine adds the documents 0, 1, 2 and so on until end.
type writing struct {
	dir   string
	acked atomic.Int64 // documents acknowledged
	end   func()
}

func beginWriting(t *testing.T) *writing {
	t.Helper()
	w := &writing{dir: filepath.Join(t.TempDir(), "db")}
	db, err := engine.Open(w.dir, enginetest.Keeping(vfs.Default)) // tables of 4 KB, so that they change often
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	var g sync.WaitGroup
	g.Go(func() {
		for i := int64(0); ctx.Err() == nil; i++ {
			text := fmt.Sprintf("document %d of a writer that goes on and on, %d words later", i, i*i%1000)
			if err := db.Put(context.Background(), api.Document{ID: fmt.Sprintf("%08d", i), Text: text}); err != nil {
				t.Error(err)
				return
			}
			w.acked.Store(i + 1)
		}
	})
	w.end = sync.OnceFunc(func() {
		stop()
		g.Wait()
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(w.end)
	return w
}

// prefix checks a copy: it holds the documents 0 to n-1 for an n of at least least, and nothing
// else. It returns n, and the error of opening.
func (w *writing) prefix(t *testing.T, dir string, o *engine.Options, least int64) (int64, error) {
	t.Helper()
	db, err := engine.Open(dir, o)
	if err != nil {
		return 0, err
	}
	defer db.Close()
	enginetest.CheckClean(t, db, dir)
	n := db.Metrics().Documents
	rows := enginetest.Contents(t, db)
	if n < least || int64(len(rows)) < n {
		t.Errorf("%s has %d documents, %d were acknowledged before", dir, n, least)
	}
	s := enginetest.SnapshotOf(t, db)
	defer s.Close()
	for _, i := range []int64{0, n / 2, n - 1} {
		if _, err := s.Get("", fmt.Sprintf("%08d", i)); err != nil {
			t.Errorf("%s: document %d of %d: %v", dir, i, n, err)
		}
	}
	return n, nil
}

// A store that another process writes is backed up read-only, whole or with hard links, and its
// backups are extended.
func TestBackupBesideAWriter(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	w := beginWriting(t)
	for i := range 4 {
		for w.acked.Load() < int64(100*(i+1)) {
			time.Sleep(time.Millisecond)
		}
		least := w.acked.Load()
		r, err := engine.Open(w.dir, &engine.Options{ReadOnly: true})
		if err != nil {
			t.Fatal(err)
		}
		seen := r.Metrics().Documents
		copied := fmt.Sprintf("%s.copy%d", w.dir, i)
		backup := r.Checkpoint
		if i%2 == 1 {
			backup = r.LinkedCheckpoint
		}
		if err := errors.Join(backup(ctx, copied), r.Close()); err != nil {
			t.Fatal(err)
		}
		whole := copied + ".whole"
		if _, err := engine.RestoreTo(ctx, copied, whole, api.Moment{}, nil); err != nil {
			t.Fatal(err)
		}
		if n, err := w.prefix(t, whole, nil, least); err != nil || n != seen {
			t.Errorf("backup %d has %d documents (%v), the reader saw %d", i, n, err, seen)
		}
		least = w.acked.Load()
		e, err := engine.ExtendBackup(ctx, w.dir, copied)
		if err != nil || e.Anew || e.From >= e.To {
			t.Errorf("extended %+v, %v", e, err)
		}
		// Opened last: a copy that was opened for writing is no backup any more.
		if n, err := w.prefix(t, copied, nil, least); err != nil || n <= seen {
			t.Errorf("extended backup %d has %d documents (%v), and had %d", i, n, err, seen)
		}
	}
}

// copyTree copies a directory as cp -r does: it lists each directory once, and then reads one file
// after the other. It skips files that are gone by then.
func copyTree(from, to string, backwards bool) error {
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	if err := os.Mkdir(to, 0o755); err != nil {
		return err
	}
	if backwards {
		slices.Reverse(entries)
	}
	for _, e := range entries {
		from, to := filepath.Join(from, e.Name()), filepath.Join(to, e.Name())
		if e.IsDir() {
			err = copyTree(from, to, backwards)
		} else {
			err = copyPlain(from, to)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

func copyPlain(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

// A plain copy of the directory of a store, taken while its writer commits, has everything
// acknowledged before the copy began, or does not open. It never opens with less.
func TestPlainCopyBesideAWriter(t *testing.T) {
	t.Parallel()
	w := beginWriting(t)
	opened := 0
	for i := range 20 {
		for w.acked.Load() < int64(40*(i+1)) {
			time.Sleep(time.Millisecond)
		}
		least := w.acked.Load()
		copied := fmt.Sprintf("%s.copy%d", w.dir, i)
		if err := copyTree(w.dir, copied, i%2 == 1); err != nil {
			t.Fatal(err)
		}
		switch _, err := w.prefix(t, copied, nil, least); {
		case err == nil:
			opened++
		case !errors.Is(err, api.ErrCorrupt):
			t.Errorf("copy %d: %v, want ErrCorrupt", i, err)
		}
	}
	t.Logf("%d of 20 copies open", opened)
	w.end()
	copied := w.dir + ".copy"
	if err := copyTree(w.dir, copied, false); err != nil {
		t.Fatal(err)
	}
	if n, err := w.prefix(t, copied, nil, w.acked.Load()); err != nil || n != w.acked.Load() {
		t.Errorf("the copy of a closed store has %d documents, %v, want %d", n, err, w.acked.Load())
	}
}
