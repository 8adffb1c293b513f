// A disk that is really full.

package engine_test

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/engine/internal/enginetest"
	"github.com/simdb/simdb/engine/internal/testmodel"
)

// A small file system fills up, and is given room again.
func TestMendedFullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=8m"); err != nil {
		t.Skipf("no tmpfs can be mounted here: %v", err)
	}
	defer func() {
		// Files of segments that were merged are closed by
		// the garbage collector, all others at once.
		err := unix.Unmount(dir, 0)
		for until := time.Now().Add(testmodel.Patience); err != nil && time.Now().Before(until); err = unix.Unmount(dir, 0) {
			runtime.GC()
			time.Sleep(10 * time.Millisecond)
		}
		if err != nil {
			t.Errorf("something is still open: unmount: %v", err)
		}
	}()
	for _, lasts := range []bool{false, true} {
		filler := filepath.Join(dir, "filler")
		broken := func(on bool) {
			if !on {
				if err := os.RemoveAll(filler); err != nil {
					t.Error(err)
				}
				return
			}
			f, err := os.Create(filler)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			for n := 1 << 20; n > 0; {
				if _, err := f.Write(bytes.Repeat([]byte{1}, n)); err != nil {
					n /= 2
				}
			}
		}
		name := map[bool]string{false: "a", true: "b"}[lasts]
		mended(t, filepath.Join(dir, name), enginetest.WithHooks(&engine.Options{SegmentSets: 16}, nil, 64<<10), broken, false, lasts)
	}
}
