package engine

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"maps"
	"math"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/keys"
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
	noSnapshots(t, db)
}

// noSnapshots waits until none is open; the builder may have one for a moment.
func noSnapshots(t *testing.T, db *DB) {
	t.Helper()
	for range 2000 {
		if db.Metrics().OpenSnapshots == 0 {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Errorf("%d snapshots are open, want none", db.Metrics().OpenSnapshots)
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
	noSnapshots(t, db)
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
	if _, err := Open("db", testOptions(disk)); !errors.Is(err, ErrFormat) || errors.Is(err, ErrCorrupt) {
		t.Errorf("Open = %v, want ErrFormat", err)
	}
}

// A store whose log is gone has lost what was acknowledged: Open says so and
// leaves the rest as it is.
func TestLostLog(t *testing.T) {
	ctx := context.Background()
	for what, o := range map[string]*Options{"flushed and closed": testOptions(nil), "flushed, not trimmed": testOptions(nil)} {
		disk := vfs.NewMem()
		o.fs = disk
		db := openTest(t, o)
		if err := errors.Join(db.Put(ctx, Document{ID: "a", Text: "words to keep"}), db.flush(ctx)); err != nil {
			t.Fatal(err)
		}
		if what == "flushed, not trimmed" { // as after a crash at this moment
			image := vfs.NewMem()
			if _, err := vfs.Clone(disk, image, "db", "db"); err != nil {
				t.Fatal(err)
			}
			st := state{Format: formatVersion, UUID: db.uuid}
			if err := writeState(image, "db", "db/"+stateName, st); err != nil {
				t.Fatal(err)
			}
			disk = image
		}
		if err := errors.Join(db.Close(), disk.RemoveAll("db/"+logName)); err != nil {
			t.Fatal(err)
		}
		before := filesOf(t, disk, "db/"+pebbleName)
		for range 2 {
			if _, err := Open("db", testOptions(disk)); !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), "log") {
				t.Errorf("%s: Open without the log = %v, want ErrCorrupt", what, err)
			}
		}
		if after := filesOf(t, disk, "db/"+pebbleName); !maps.EqualFunc(before, after, bytes.Equal) {
			t.Errorf("%s: Open changed a store that it refused", what)
		}
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
				db, err := Open("db", testOptions(disk))
				if err != nil {
					if !errors.Is(err, ErrLocked) {
						t.Errorf("Open = %v, want ErrLocked", err)
					}
					return
				}
				if err := errors.Join(db.Put(ctx, Document{ID: fmt.Sprint(i), Text: "x"}), db.Close()); err != nil {
					t.Error(err)
				}
				stored.Add(1)
			})
		}
		wg.Wait()
		db := openTest(t, testOptions(disk))
		if n := db.Metrics().Documents; n != stored.Load() || n == 0 {
			t.Errorf("%d documents, want %d", n, stored.Load())
		}
		db.Close()
	}
}

// slowList lets another make the store between the listing of its directory
// and whatever Open does next.
type slowList struct {
	vfs.FS
	once  sync.Once
	other func()
}

func (s *slowList) List(dir string) ([]string, error) {
	names, err := s.FS.List(dir)
	s.once.Do(s.other)
	return names, err
}

func TestStoreMadeBehindTheListing(t *testing.T) {
	ctx := context.Background()
	disk := vfs.NewMem()
	slow := &slowList{FS: disk}
	var made string
	slow.other = func() {
		db := openTest(t, testOptions(disk))
		made = db.uuid
		if err := errors.Join(db.Put(ctx, Document{ID: "a", Text: "x"}), db.Close()); err != nil {
			t.Error(err)
		}
	}
	db := openTest(t, testOptions(slow))
	defer db.Close()
	sameDocuments(t, db, map[string]string{"a": "x"})
	if db.uuid != made {
		t.Error("the state file was written anew over that of a store")
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
		_, err := Open("db", testOptions(lockFails{vfs.NewMem(), c.err}))
		if errors.Is(err, ErrLocked) != c.locked || !errors.Is(err, c.err) {
			t.Errorf("Open where the lock fails with %v = %v, locked: want %v", c.err, err, c.locked)
		}
	}
}

// Whatever happened to a file of Pebble's, Open says that the store is
// corrupt, in one line, and not that something does not exist.
func TestDamagedStoreIsCorrupt(t *testing.T) {
	disk := closedStore(t, Settings{})
	refused := map[string]bool{}
	for path, b := range filesOf(t, disk, "db/"+pebbleName) {
		kind := strings.TrimLeft(strings.TrimPrefix(path, "db/"+pebbleName+"/"), "0123456789")
		kind, _, _ = strings.Cut(kind, "-")
		half := len(b) / 2
		flipped := slices.Clone(b)
		if i := bytes.Index(b, []byte("comparer=")); i >= 0 {
			half = i // of no use: a shorter list of options is one
			flipped[i+len("comparer=")] ^= 1
		} else {
			flipped[len(b)-1] ^= 1
		}
		for what, spoilt := range map[string][]byte{"removed": nil, "cut": b[:half], "flipped": flipped} {
			db, err := Open("db", faultyOptions(damaged(t, disk, path, spoilt)))
			if err == nil {
				db.Close()
				continue
			}
			refused[kind+" "+what] = true
			if !errors.Is(err, ErrCorrupt) || errors.Is(err, fs.ErrNotExist) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%s %s: Open = %q, want ErrCorrupt in one line", path, what, err)
			}
		}
	}
	for _, want := range []string{".sst removed", ".sst cut", "MANIFEST removed", "MANIFEST cut", "OPTIONS flipped"} {
		if !refused[want] {
			t.Errorf("%s: Open took the store; refused were %v", want, slices.Sorted(maps.Keys(refused)))
		}
	}
}

// Reading damaged pages after Open is corruption too, in one line.
func TestDamageIsToldInOneLine(t *testing.T) {
	disk := closedStore(t, Settings{})
	told := 0
	for path, b := range filesOf(t, disk, "db/"+pebbleName) {
		if !strings.HasSuffix(path, ".sst") {
			continue
		}
		for at := 0; at < len(b); at += 1 + len(b)/8 {
			spoilt := slices.Clone(b)
			spoilt[at] ^= 0x10
			if _, err := lookAt(damaged(t, disk, path, spoilt)); errors.Is(err, ErrCorrupt) {
				told++
				if strings.Contains(err.Error(), "carrier") {
					t.Errorf("%s, byte %d: %q", path, at, err)
				}
			}
		}
	}
	if told == 0 {
		t.Error("no damage was told")
	}
}

// creates calls a function before each file that is created below a directory.
func creates(disk vfs.FS, dir string, before func(path string) error) vfs.FS {
	return errorfs.Wrap(disk, errorfs.InjectorFunc(func(op errorfs.Op) error {
		if op.Kind == errorfs.OpCreate && strings.HasPrefix(op.Path, dir) {
			return before(op.Path)
		}
		return nil
	}))
}

// A copy is made while a writer goes on: it holds all that was acknowledged
// before, what came meanwhile or not, and survives a crash once it is there.
func TestCheckpointBesideAWriter(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for _, first := range []int{0, 1, 40} { // documents before the copy
		disk := vfs.NewCrashableMem()
		o := testOptions(nil)
		o.memTableBytes = 32 << 10
		stored := map[string]string{}
		g := &texts{rng: rand.New(rand.NewPCG(uint64(first), 3))}
		var db *DB
		put := func() error {
			id := fmt.Sprintf("d%03d", len(stored))
			stored[id] = g.next()
			return db.Put(ctx, Document{ID: id, Text: stored[id]})
		}
		// Each file of the copy waits for a commit and a flush, which wait for
		// the copy if it is made under their mutex.
		o.fs = creates(disk, "backups/", func(string) error {
			done := make(chan error, 1)
			go func() { done <- errors.Join(put(), db.flush(ctx)) }()
			select {
			case err := <-done:
				return err
			case <-ctx.Done():
				return ctx.Err()
			}
		})
		db = openTest(t, o)
		for range first {
			if err := put(); err != nil {
				t.Fatal(err)
			}
		}
		if err := db.Checkpoint(ctx, "backups/monday"); err != nil {
			t.Fatalf("Checkpoint beside a writer: %v", err)
		}
		if len(stored) == first {
			t.Error("no one wrote while the copy was made")
		}
		image := disk.CrashClone(vfs.CrashCloneCfg{})
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		o.fs, o.MustExist = image, true
		for range 2 {
			c, err := Open("backups/monday", o)
			if err != nil {
				t.Fatalf("open the copy made after %d documents: %v", first, err)
			}
			n := int(c.Metrics().Documents)
			if n < first || n > len(stored) {
				t.Errorf("%d documents in the copy, want %d to %d", n, first, len(stored))
			}
			if n > 0 {
				want := maps.Clone(stored)
				maps.DeleteFunc(want, func(id, _ string) bool { return id >= fmt.Sprintf("d%03d", n) })
				sameDocuments(t, c, want)
			}
			checkClean(t, c, "copy")
			if err := c.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// A copy that fails leaves nothing behind and can be made again.
func TestCheckpointThatFails(t *testing.T) {
	ctx := context.Background()
	o := testOptions(nil)
	for fails := 1; ; fails++ {
		n, disk := 0, vfs.NewMem()
		o.fs = creates(disk, "copy", func(string) error {
			if n++; n == fails {
				return errorfs.ErrInjected
			}
			return nil
		})
		db := openTest(t, o)
		if err := db.Put(ctx, Document{ID: "a", Text: "x"}); err != nil {
			t.Fatal(err)
		}
		err := db.Checkpoint(ctx, "copy")
		if n >= fails {
			if !errors.Is(err, errorfs.ErrInjected) {
				t.Errorf("Checkpoint whose file %d fails = %v", fails, err)
			}
			if _, err := disk.Stat("copy"); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("file %d failed: something is left of the copy (%v)", fails, err)
			}
			err = db.Checkpoint(ctx, "copy")
		}
		if err := errors.Join(err, db.Put(ctx, Document{ID: "b", Text: "y"}), db.Close()); err != nil {
			t.Errorf("after file %d failed: %v", fails, err)
		}
		if n < fails { // all have failed once
			if fails < 4 {
				t.Errorf("a copy of %d files?", n)
			}
			return
		}
	}
}

// within fails the test rather than hang when a call does not return.
func within(t *testing.T, what string, call func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { defer close(done); call() }()
	select {
	case <-done:
	case <-time.After(patience):
		debug.SetTraceback("all") // shows where
		panic(what + " hangs")
	}
}

// Reading texts again as a store opens does not wait for the builder, which is
// not there yet, and leaves a collection alone that the log drops.
func TestReadAgainWithLongTail(t *testing.T) {
	ctx := context.Background()
	disk := vfs.NewCrashableMem()
	o := testOptions(disk)
	o.unicode, o.segmentSets = "1.0", 1<<20 // no segment is built
	db := openTest(t, o)
	want := map[string]string{}
	for _, name := range []string{"gone", DefaultCollection} {
		if err := db.CreateCollection(ctx, name, Settings{SI: "m3a k4", Versions: true, Words: name == "gone"}); err != nil {
			t.Fatal(err)
		}
		var b Batch
		for i := range 200 {
			d := Document{Collection: name, ID: fmt.Sprint(i), Text: fmt.Sprintf("text number %d of some that are read again", i)}
			want[d.ID] = d.Text
			b.Put(d)
		}
		if _, err := db.Commit(ctx, &b); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(db.flush(ctx), db.DropCollection(ctx, "gone")); err != nil {
		t.Fatal(err)
	}
	image := disk.CrashClone(vfs.CrashCloneCfg{}) // with the drop in the log alone
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	o = testOptions(image)
	o.unicode, o.MaxDocBytes = "2.0", 10 // less than the texts that were taken
	for range 2 {
		within(t, "Open", func() { db = openTest(t, o) })
		sameDocuments(t, db, want)
		if _, err := db.collection("gone"); !errors.Is(err, ErrNotFound) {
			t.Errorf("the dropped collection: %v, want ErrNotFound", err)
		}
		for _, space := range keys.PerCollection {
			if n, err := firstKey(db, space); err != nil || n == 1 {
				t.Errorf("space %#x has keys of the dropped collection (%v)", space, err)
			}
		}
		checkClean(t, db, "read again")
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// What a build wrote after its collection was dropped goes when the store is
// opened, and no number of it is given again.
func TestLeftoversOfDroppedCollections(t *testing.T) {
	ctx := context.Background()
	o := testOptions(vfs.NewMem())
	db := openTest(t, o)
	for _, name := range []string{"kept", "dropped"} {
		if err := db.Put(ctx, Document{Collection: name, ID: "a", Text: "a few words"}); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.DropCollection(ctx, "dropped"); err != nil {
		t.Fatal(err)
	}
	b := db.pebble.NewBatch()
	for _, number := range []uint32{2, 70} {
		left := collection{number: number}
		for i, space := range []keys.Space{keys.Features, keys.Folded, keys.Order} {
			if err := b.Set(left.key(space, 498+number+uint32(i), 0), []byte("left"), nil); err != nil {
				t.Fatal(err)
			}
		}
		if err := b.Set(keys.WithID(left.key(keys.Text, 3), "a"), nil, nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(b.Commit(pebble.NoSync), db.Close()); err != nil {
		t.Fatal(err)
	}
	db = openTest(t, o)
	defer db.Close()
	for _, space := range keys.PerCollection {
		err := scan(db.pebble, keys.Of(space), func(key, _ []byte) error {
			if n, _, _ := keys.Numbers(key, 1); n[0] != 1 {
				t.Errorf("key %x is left", key)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
	if n := db.newSegmentNumber(); n <= 570 {
		t.Errorf("the next segment is %d, though 570 was left", n)
	}
	if err := db.CreateCollection(ctx, "next", Settings{}); err != nil {
		t.Fatal(err)
	}
	if c, err := db.collection("next"); err != nil || c.number <= 70 {
		t.Errorf("the next collection is %+v, %v, though 70 was left", c, err)
	}
	checkClean(t, db, "after the leftovers are gone")
}

// A collection is made for documents that go in, not for those refused.
func TestRefusedPutMakesNoCollection(t *testing.T) {
	ctx := context.Background()
	o := testOptions(vfs.NewMem())
	o.MaxDocBytes = 100
	db := openTest(t, o)
	defer db.Close()
	good := Document{Collection: "new", ID: "a", Text: "x"}
	for what, bad := range map[string]Document{
		"no id": {Text: "x"}, "long id": {ID: strings.Repeat("x", maxIDBytes+1)}, "long text": {ID: "b", Text: strings.Repeat("x", 101)},
		"metadata": {ID: "b", Meta: Meta{"f": func() {}}}, "name": {Collection: "\x00", ID: "b"},
	} {
		if bad.Collection == "" {
			bad.Collection = "new"
		}
		if err := db.Put(ctx, good, bad); !errors.Is(err, ErrInvalid) && !errors.Is(err, ErrTooLarge) {
			t.Errorf("%s: Put = %v, want a refusal", what, err)
		}
		var b Batch
		b.Put(good)
		b.Put(bad)
		one := func(yield func(*Batch, error) bool) { yield(&b, nil) }
		if err := db.Load(ctx, one, func(*Batch, BatchStats) { t.Errorf("%s: Load took it", what) }); !errors.Is(err, ErrInvalid) && !errors.Is(err, ErrTooLarge) {
			t.Errorf("%s: Load = %v, want a refusal", what, err)
		}
	}
	var b Batch
	b.Put(good)
	b.Delete("nowhere", "a")
	if _, err := db.Commit(ctx, &b); !errors.Is(err, ErrNotFound) {
		t.Errorf("delete in no collection: %v, want ErrNotFound", err)
	}
	s, _ := db.Snapshot()
	defer s.Close()
	if got := s.Collections(); len(got) > 0 {
		t.Errorf("refused documents made %v", got)
	}
}

// Load asks its source for no more than memory allows.
func TestLoadIsBounded(t *testing.T) {
	ctx := context.Background()
	o := testOptions(vfs.NewMem())
	o.MemoryBytes = 256 << 10
	db := openTest(t, o)
	defer db.Close()
	const batches = 30
	text := strings.Repeat("many words that take memory ", 200) // times 8 bytes a letter: two thirds of what there is
	var given, acked, most atomic.Int64
	source := func(yield func(*Batch, error) bool) {
		for i := range batches {
			most.Store(max(most.Load(), given.Add(1)-acked.Load()))
			var b Batch
			b.Put(Document{ID: fmt.Sprint(i), Text: text + fmt.Sprint(i)})
			if !yield(&b, nil) {
				return
			}
		}
	}
	err := db.Load(ctx, source, func(*Batch, BatchStats) {
		for range 20 { // longer than the source takes
			if _, err := db.Check(ctx, nil); err != nil {
				t.Error(err)
			}
		}
		acked.Add(1)
	})
	if err != nil || acked.Load() != batches {
		t.Fatalf("Load = %v, %d batches acknowledged", err, acked.Load())
	}
	if most.Load() > 3 { // one on its way, one waiting for room, one that is asked for
		t.Errorf("%d batches were taken ahead, want as many as memory allows", most.Load())
	}
}

// A batch that is larger than all memory for imports goes in alone.
func TestLoadTakesLargeBatches(t *testing.T) {
	o := testOptions(vfs.NewMem())
	o.MemoryBytes = 16
	db := openTest(t, o)
	defer db.Close()
	n := 0
	source := func(yield func(*Batch, error) bool) {
		for i := range 5 {
			var b Batch
			b.Put(Document{ID: fmt.Sprint(i), Text: strings.Repeat("word ", 1000)})
			if !yield(&b, nil) {
				return
			}
		}
	}
	within(t, "Load", func() {
		if err := db.Load(context.Background(), source, func(*Batch, BatchStats) { n++ }); err != nil || n != 5 {
			t.Errorf("Load = %v, %d batches acknowledged", err, n)
		}
	})
}

// Close does not wait for an import whose source is silent.
func TestCloseBesideASilentSource(t *testing.T) {
	db := openTest(t, testOptions(vfs.NewMem()))
	acked, more, loaded := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	source := func(yield func(*Batch, error) bool) {
		for i := range 3 {
			var b Batch
			b.Put(Document{ID: fmt.Sprint(i), Text: "x"})
			if !yield(&b, nil) {
				return
			}
			if i == 0 {
				<-more
			}
		}
	}
	go func() {
		loaded <- db.Load(context.Background(), source, func(*Batch, BatchStats) { close(acked) })
	}()
	<-acked
	within(t, "Close", func() {
		if err := db.Close(); err != nil {
			t.Errorf("Close = %v", err)
		}
	})
	close(more)
	if err := <-loaded; !errors.Is(err, ErrClosed) {
		t.Errorf("Load = %v, want ErrClosed", err)
	}
}

// Load returns what went wrong, not that it stopped for it.
func TestLoadReturnsTheCause(t *testing.T) {
	ctx := context.Background()
	o := testOptions(vfs.NewMem())
	o.MaxDocBytes = 10
	db := openTest(t, o)
	defer db.Close()
	if err := db.CreateCollection(ctx, DefaultCollection, Settings{}); err != nil {
		t.Fatal(err)
	}
	wrong := errors.New("the source is at its end of wits")
	for what, c := range map[string]struct {
		text string
		err  error
		want error
	}{"source": {"x", wrong, wrong}, "batch": {"longer than it may be", nil, ErrTooLarge}} {
		source := func(yield func(*Batch, error) bool) {
			for i := range 50 {
				var b Batch
				b.Put(Document{ID: fmt.Sprint(i), Text: "x"})
				if i == 20 {
					b.Put(Document{ID: "y", Text: c.text})
				}
				if err := c.err; err != nil && i == 20 {
					yield(nil, err)
					return
				}
				if !yield(&b, nil) {
					return
				}
			}
		}
		if err := db.Load(ctx, source, func(*Batch, BatchStats) {}); !errors.Is(err, c.want) {
			t.Errorf("%s: Load = %v, want %v", what, err, c.want)
		}
	}
}
