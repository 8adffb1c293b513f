package disk_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/engine/internal/enginetest"
)

// reserveOf returns the bytes that the reserve of the store in db takes.
func reserveOf(l *enginetest.Limited) int64 { return l.Used("") - l.Used("RESERVE") }

// putTexts puts documents of about 800 random bytes.
func putTexts(t *testing.T, db *engine.DB, from, n int) {
	t.Helper()
	var b engine.Batch
	for i := from; i < from+n; i++ {
		text := ""
		for k := range 100 {
			text += fmt.Sprintf("%x ", (i*1000+k)*2654435761)
		}
		b.Put(api.Document{ID: fmt.Sprint(i), Text: text})
	}
	if _, err := db.Commit(context.Background(), &b); err != nil {
		t.Fatal(err)
	}
}

// The reserve grows with the store, is small for a small store, and shrinks on Close to what a closed
// store needs.
func TestReserveGrows(t *testing.T) {
	disk := enginetest.NewLimited(1 << 30)
	o := enginetest.WithHooks(&engine.Options{}, disk, 1<<20)
	last := int64(0)
	for round, docs := range []int{1, 200, 4000} {
		db := enginetest.Open(t, o)
		putTexts(t, db, round*10000, docs)
		open := reserveOf(disk)
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		tables, closed := disk.Used("RESERVE"), reserveOf(disk)
		if least := int64(128 << 10); closed < least || closed > least*5/4+tables/2 || closed < last {
			t.Errorf("a store of %d bytes keeps %d in reserve, and kept %d before it grew", tables, closed, last)
		}
		if open < closed {
			t.Errorf("an open store with %d documents more keeps %d, a closed one %d", docs, open, closed)
		}
		last = closed
	}
}

// A reader, a copy and a store in memory have no reserve. An empty file, as a killed process leaves it, is
// filled again.
func TestReserveOfOthers(t *testing.T) {
	disk := enginetest.NewLimited(1 << 30)
	o := enginetest.WithHooks(&engine.Options{}, disk, 1<<20)
	db := enginetest.Open(t, o)
	putTexts(t, db, 0, 10)
	if err := errors.Join(db.Checkpoint(context.Background(), "copy"), db.Close()); err != nil {
		t.Fatal(err)
	}
	if names, err := disk.List("copy"); err != nil || slices.Contains(names, "RESERVE") {
		t.Errorf("a copy has the files %v, %v", names, err)
	}
	if err := disk.Remove("db/RESERVE"); err != nil {
		t.Fatal(err)
	}
	reader := *o
	reader.ReadOnly = true
	if db, err := engine.Open("db", &reader); err != nil {
		t.Error(err)
	} else if n := reserveOf(disk); n > 0 {
		t.Errorf("a reader has a reserve of %d bytes", n)
	} else if err := db.Close(); err != nil {
		t.Error(err)
	}
	enginetest.WriteAll(t, disk, "db/RESERVE", nil)
	db = enginetest.Open(t, o)
	defer db.Close()
	if n := reserveOf(disk); n < 128<<10 {
		t.Errorf("after an empty reserve the store keeps %d bytes", n)
	}
}

// Without a reserve, the error of an Open on a full disk names the bytes that recovery needs. With so many
// bytes it opens.
func TestOpenWithoutReserve(t *testing.T) {
	o := func(l *enginetest.Limited) *engine.Options { return enginetest.WithHooks(&engine.Options{}, l, 1<<20) }
	disk := enginetest.NewLimited(1 << 30)
	db := enginetest.Open(t, o(disk))
	defer db.Close() // the copy is that of a killed process
	putTexts(t, db, 0, 500)
	disk = disk.Clone(t, "db")
	disk.Remove("db/RESERVE")
	disk.SetFree(0)
	_, err := engine.Open("db", o(disk))
	var need int64
	if _, message, ok := strings.Cut(fmt.Sprint(err), "free "); !errors.Is(err, syscall.ENOSPC) || !ok {
		t.Fatalf("open on a full disk without a reserve: %v", err)
	} else if _, err := fmt.Sscan(message, &need); err != nil {
		t.Fatalf("%q: %v", message, err)
	}
	disk.SetFree(need)
	db, err = engine.Open("db", o(disk))
	if err != nil {
		t.Fatalf("open with %d bytes: %v", need, err)
	}
	if n := db.Metrics().Documents; n != 500 {
		t.Errorf("%d documents, want 500", n)
	}
	if err := db.Close(); err != nil {
		t.Error(err)
	}
}
