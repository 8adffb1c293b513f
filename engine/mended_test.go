package engine

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/measure"
	"github.com/simdb/simdb/sketch"
)

// Going through a collection for its fields ends with the caller's context.
func TestFieldsHeedTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	db := openTest(t, testOptions(vfs.NewMem()))
	defer db.Close()
	if err := db.Put(ctx, Document{ID: "a", Text: "x", Meta: Meta{"year": 1999}}); err != nil {
		t.Fatal(err)
	}
	s, _ := db.Snapshot()
	defer s.Close()
	if got, err := s.Fields(ctx, ""); err != nil || len(got) != 1 || got[0] != "year" {
		t.Errorf("Fields = %v, %v, want year", got, err)
	}
	cancel()
	if got, err := s.Fields(ctx, ""); !errors.Is(err, context.Canceled) {
		t.Errorf("Fields with an ended context = %v, %v", got, err)
	}
}

// Whoever uses a snapshot while another closes it gets his answer or
// ErrClosed. Run with -race.
func TestSnapshotIsClosedUnderItsUsers(t *testing.T) {
	ctx := context.Background()
	db := openTest(t, testOptions(vfs.NewMem()))
	defer db.Close()
	var b Batch
	for i := range 50 {
		b.Put(Document{ID: fmt.Sprint(i), Text: fmt.Sprintf("some words and the number %d of them", i)})
	}
	if _, err := db.Commit(ctx, &b); err != nil {
		t.Fatal(err)
	}
	for range 20 {
		s, err := db.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		for i := range 8 {
			wg.Go(func() {
				for n := 0; ; n++ {
					if i == 0 && n == 3 {
						if err := s.Close(); err != nil {
							t.Errorf("close: %v", err)
						}
					}
					docs := 0
					for _, err := range s.Documents(ctx, "") {
						if errors.Is(err, ErrClosed) {
							return
						}
						if err != nil {
							t.Error(err)
							return
						}
						docs++
					}
					if docs != 50 {
						t.Errorf("%d documents, want 50 or ErrClosed", docs)
					}
					if _, err := s.Similar(ctx, ByID("7"), Search{}); err != nil && !errors.Is(err, ErrClosed) {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
	}
	if n := db.Metrics().OpenSnapshots; n != 0 {
		t.Errorf("%d snapshots are open, want none", n)
	}
}

// A loop over rows may close its snapshot and goes on to its end.
func TestSnapshotIsClosedInItsLoop(t *testing.T) {
	ctx := context.Background()
	db := openTest(t, testOptions(vfs.NewMem()))
	defer db.Close()
	for i := range 5 {
		if err := db.Put(ctx, Document{ID: fmt.Sprint(i), Text: "the same few words"}); err != nil {
			t.Fatal(err)
		}
	}
	s, err := db.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for _, err := range s.Documents(ctx, "") {
		if err := errors.Join(err, s.Close(), s.Close()); err != nil {
			t.Fatal(err)
		}
		rows++
	}
	if rows != 5 {
		t.Errorf("%d rows, want 5", rows)
	}
	if _, err := s.Get("", "1"); !errors.Is(err, ErrClosed) {
		t.Errorf("Get after Close = %v, want ErrClosed", err)
	}
	if n := db.Metrics().OpenSnapshots; n != 0 {
		t.Errorf("%d snapshots are open, want none", n)
	}
}

// Sizes that memory has no room for, and signatures of another length than
// the set's, are no set record.
func TestSetRecordIsChecked(t *testing.T) {
	record := func(distinct, total uint64, words int) []byte {
		r := setRecord{Facts: index.Facts{Size: measure.Size{Distinct: distinct, Total: total}, Signature: make(sketch.Signature, words)}}
		return r.encode()
	}
	for _, c := range []struct {
		distinct, total uint64
		words           int
		good            bool
	}{
		{1, 1, 1, true}, {33, 40, 2, true}, {1 << 31, math.MaxUint32, 128, true},
		{1, 1, 2, false}, {33, 40, 1, false}, {33, 40, 0, false}, {33, 40, 256, false},
		{1, 1 << 32, 1, false}, {1 << 32, 1 << 32, 128, false}, {math.MaxUint64, math.MaxUint64, 128, false}, {1<<32 + 1, 1<<32 + 1, 1, false},
	} {
		r, err := decodeSetRecord(record(c.distinct, c.total, c.words))
		if c.good && (err != nil || r.Distinct != c.distinct || len(r.Signature) != c.words) {
			t.Errorf("record of %d distinct, %d in all, %d words = %+v, %v", c.distinct, c.total, c.words, r, err)
		}
		if !c.good && !errors.Is(err, ErrCorrupt) {
			t.Errorf("record of %d distinct, %d in all, %d words: %v, want ErrCorrupt", c.distinct, c.total, c.words, err)
		}
	}
}

// A log of a later format is said to be that.
func TestLogOfLaterFormat(t *testing.T) {
	disk := vfs.NewMem()
	db := openTest(t, testOptions(disk))
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	for path, b := range filesOf(t, disk, "db/"+logName) {
		binary.LittleEndian.PutUint32(b[8:], 1000)
		binary.LittleEndian.PutUint32(b[20:], crc32.Checksum(b[:20], castagnoli))
		disk = damaged(t, disk, path, b)
	}
	if _, err := Open("db", testOptions(disk)); !errors.Is(err, ErrFormatTooNew) || errors.Is(err, ErrCorrupt) {
		t.Errorf("Open = %v, want ErrFormatTooNew", err)
	}
}
