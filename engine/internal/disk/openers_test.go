// One process has a store open.

package disk_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/engine/internal/enginetest"
)

func TestSecondOpenerIsRefused(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "db")
	db, err := engine.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := engine.Open(dir, nil); !errors.Is(err, api.ErrLocked) {
		t.Errorf("second Open = %v, want ErrLocked", err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if db, err = engine.Open(dir, &engine.Options{MustExist: true}); err != nil {
		t.Fatalf("Open after Close: %v", err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// A salvage of a store that is open for writing is refused, and closes only what it opened.
func TestSalvageOfAnOpenStoreIsRefused(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "db")
	db, err := engine.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	_, err = engine.Salvage(t.Context(), dir, dir+".new", nil, func(string) {})
	_, inPlace := engine.SalvageInPlace(t.Context(), dir, nil, func(string) {})
	if !errors.Is(err, api.ErrLocked) || !errors.Is(inPlace, api.ErrLocked) {
		t.Errorf("salvage = %v, in place %v, want ErrLocked", err, inPlace)
	}
}

// Open waits for the lock as long as it is told to.
func TestOpenWaitsForTheLock(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "db")
	db, err := engine.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	opened := make(chan error, 2)
	wait := func(ctx context.Context) {
		second, err := engine.OpenContext(ctx, dir, &engine.Options{LockTimeout: time.Hour})
		if err == nil {
			err = second.Close()
		}
		opened <- err
	}
	go wait(ctx)
	cancel()
	if err := <-opened; !errors.Is(err, context.Canceled) {
		t.Errorf("Open given up: %v, want Canceled", err)
	}
	if _, err := engine.Open(dir, &engine.Options{LockTimeout: time.Millisecond}); !errors.Is(err, api.ErrLocked) {
		t.Errorf("Open whose time is over: %v, want ErrLocked", err)
	}
	go wait(t.Context())
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-opened; err != nil {
		t.Errorf("Open after the other has closed: %v", err)
	}
}

// Of many who make a store at the same time one gets it, the others are told
// that it is locked, and what the one stored is not made away with.
func TestManyMakeOneStore(t *testing.T) {
	ctx := context.Background()
	for range 20 {
		disk := vfs.NewMem()
		var stored atomic.Int64
		var wg sync.WaitGroup
		for i := range 8 {
			wg.Go(func() {
				db, err := engine.Open("db", enginetest.Options(disk))
				if err != nil {
					if !errors.Is(err, api.ErrLocked) {
						t.Errorf("Open = %v, want ErrLocked", err)
					}
					return
				}
				if err := errors.Join(db.Put(ctx, api.Document{ID: fmt.Sprint(i), Text: "x"}), db.Close()); err != nil {
					t.Error(err)
				}
				stored.Add(1)
			})
		}
		wg.Wait()
		db := enginetest.Open(t, enginetest.Options(disk))
		if n := db.Metrics().Documents; n != stored.Load() || n == 0 {
			t.Errorf("%d documents, want %d", n, stored.Load())
		}
		db.Close()
	}
}

// lockFails is a file system whose locks fail in one way.
type lockFails struct {
	vfs.FS
	err error
}

func (l lockFails) Lock(string) (io.Closer, error) { return nil, l.err }

func TestOnlyHeldLocksAreLocked(t *testing.T) {
	for _, c := range []struct {
		err    error
		locked bool
	}{
		{syscall.EAGAIN, true}, {syscall.EACCES, true}, {errors.New("lock held by current process"), true},
		{&fs.PathError{Op: "open", Path: "db/LOCK", Err: syscall.EACCES}, false},
		{&fs.PathError{Op: "open", Path: "db/LOCK", Err: syscall.EROFS}, false},
		{&fs.PathError{Op: "open", Path: "db/LOCK", Err: syscall.ENOSPC}, false},
		{syscall.ENOLCK, false},
	} {
		_, err := engine.Open("db", enginetest.Options(lockFails{vfs.NewMem(), c.err}))
		if errors.Is(err, api.ErrLocked) != c.locked || !errors.Is(err, c.err) {
			t.Errorf("Open where the lock fails with %v = %v, locked: want %v", c.err, err, c.locked)
		}
	}
}
