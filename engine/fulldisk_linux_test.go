// Stores on disks that are really full.

package engine_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/engine/internal/enginetest"
)

// smallDisk mounts a file system of some megabytes in memory, or skips the test.
func smallDisk(t *testing.T, megabytes int) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%dm", megabytes)); err != nil {
		t.Skipf("a tmpfs of %d MB cannot be mounted here, which needs root: %v", megabytes, err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Errorf("unmount: %v", err)
		}
	})
	return dir
}

// bytesOf is what the files below a directory take.
func bytesOf(t *testing.T, dir string) (all int64, list string) {
	t.Helper()
	by := map[string]int64{}
	filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if err == nil && !info.IsDir() {
			n := info.Sys().(*syscall.Stat_t).Blocks * 512
			all += n
			rel, _ := filepath.Rel(dir, path)
			by[strings.SplitN(rel, "/", 2)[0]] += n
		}
		return nil
	})
	return all, fmt.Sprint(by)
}

// diskText is the text of a document: of 300 words, and one of ten a near copy of the one before.
func diskText(i int) string {
	seed := i
	if i%10 == 9 {
		seed--
	}
	r := rand.New(rand.NewPCG(uint64(seed), 7))
	var b strings.Builder
	for range 300 {
		fmt.Fprintf(&b, "%c%c%05d ", 'a'+r.IntN(26), 'a'+r.IntN(26), r.IntN(100000))
	}
	if seed != i {
		b.WriteString("changed")
	}
	return b.String()
}

// putUntilFull puts batches until one is refused, and returns the next number.
func putUntilFull(t *testing.T, db *engine.DB, next int) (int, error) {
	t.Helper()
	for {
		var b engine.Batch
		for i := next; i < next+20; i++ {
			b.Put(api.Document{ID: fmt.Sprintf("d%07d", i), Text: diskText(i)})
		}
		if _, err := db.Commit(context.Background(), &b); err != nil {
			return next, err
		}
		next += 20
	}
}

func TestExplore(t *testing.T) {
	var mb int
	fmt.Sscan(os.Getenv("MB"), &mb)
	dir := filepath.Join(smallDisk(t, mb), "db")
	db, err := engine.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	n, err := putUntilFull(t, db, 0)
	all, list := bytesOf(t, dir)
	t.Logf(time.Now().Format("05.0 ")+"%d documents, %v: %d %s", n, err, all, list)
	if !errors.Is(err, syscall.ENOSPC) {
		t.Error("not ENOSPC")
	}
	t.Log("close", db.Close())
	all, list = bytesOf(t, dir)
	t.Logf(time.Now().Format("05.0 ")+"%d %s", all, list)
	db, err = engine.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	all, list = bytesOf(t, dir)
	t.Logf(time.Now().Format("05.0 ")+"opened %d %s", all, list)
	for i := 0; i < n; i += 2 {
		if err := db.Delete(context.Background(), api.DefaultCollection, fmt.Sprintf("d%07d", i)); err != nil {
			t.Fatal(i, err)
		}
	}
	all, list = bytesOf(t, dir)
	t.Logf(time.Now().Format("05.0 ")+"deleted %d %s", all, list)
	err = db.Compact(context.Background())
	all, list = bytesOf(t, dir)
	t.Logf(time.Now().Format("05.0 ")+"compacted %v %d %s", err, all, list)
	n, err = putUntilFull(t, db, n)
	all, list = bytesOf(t, dir)
	t.Logf(time.Now().Format("05.0 ")+"put %d %v %d %s", n, err, all, list)
	enginetest.CheckClean(t, db, "x")
	t.Log(db.Close())
}
