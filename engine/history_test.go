// The log as history: every change is told once, from any record on, whoever writes
// meanwhile.

package engine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/internal/torture"
)

// historian writes at random, and remembers what tail is to tell of each record.
type historian struct {
	t     *testing.T
	rng   *rand.Rand
	texts *texts
	live  map[string]map[string]bool // collection → ids
	told  []string                   // what tail has to tell, in order
	ends  map[uint64]int             // record → how much is told up to it
}

func newHistorian(t *testing.T, seed uint64) *historian {
	rng := rand.New(rand.NewPCG(seed, 46))
	return &historian{t: t, rng: rng, texts: &texts{rng: rng}, live: map[string]map[string]bool{}, ends: map[uint64]int{}}
}

// tell notes the changes of the record that was just written.
func (h *historian) tell(db *DB, changes ...string) {
	seq, _ := db.counted()
	for i, c := range changes {
		h.told = append(h.told, fmt.Sprintf("%d/%d %s", i+1, len(changes), c))
	}
	h.ends[seq] = len(h.told)
}

// step writes one batch, or makes or drops a collection.
func (h *historian) step(db *DB) {
	ctx := context.Background()
	names := slices.Sorted(maps.Keys(h.live))
	switch n := h.rng.IntN(30); {
	case n == 0 || len(names) == 0:
		name := fmt.Sprint("c", h.rng.IntN(4))
		if h.live[name] != nil {
			return
		}
		s := api.Settings{Unit: "word"}
		if h.rng.IntN(3) == 0 {
			s.Unit = "token"
		}
		h.must(db.CreateCollection(ctx, name, s))
		h.live[name] = map[string]bool{"unit:" + s.Unit: true}
		h.tell(db, "create "+name+" "+s.Unit)
	case n == 1 && len(names) > 1:
		name := names[h.rng.IntN(len(names))]
		h.must(db.DropCollection(ctx, name))
		delete(h.live, name)
		h.tell(db, "drop "+name)
	default:
		h.batch(ctx, db, names)
	}
}

func (h *historian) batch(ctx context.Context, db *DB, names []string) {
	var b Batch
	var changes []string
	in := map[string]bool{}
	for range 1 + h.rng.IntN(6) {
		name, id := names[h.rng.IntN(len(names))], fmt.Sprintf("d%02d", h.rng.IntN(30))
		if in[name+"/"+id] {
			continue
		}
		in[name+"/"+id] = true
		ids := h.live[name]
		switch n := h.rng.IntN(8); {
		case n == 0 && ids[id]:
			b.Delete(name, id)
			delete(ids, id)
			changes = append(changes, "delete "+name+"/"+id)
		case n == 1 && ids[id]:
			b.UpdateMeta(name, id, api.Meta{"year": n, "gone": nil})
			changes = append(changes, fmt.Sprintf("meta %s/%s gone:null year:%d", name, id, n))
		default:
			d := api.Document{Collection: name, ID: id, Text: h.texts.next(), Meta: api.Meta{"n": n}}
			if ids["unit:token"] {
				d.Tokens = strings.Fields(d.Text)
			}
			b.Put(d)
			ids[id] = true
			changes = append(changes, fmt.Sprintf("put %s/%s n:%d %q %q", name, id, n, d.Text, d.Tokens))
		}
	}
	b.Note("place", []byte(fmt.Sprint(len(h.told))))
	_, err := db.Commit(ctx, &b)
	h.must(err)
	h.tell(db, changes...)
}

func (h *historian) must(err error) {
	h.t.Helper()
	if err != nil {
		h.t.Fatal(err)
	}
}

// changeString is a change as the historian notes it.
func changeString(c api.Change) string {
	meta := ""
	for _, k := range slices.Sorted(maps.Keys(c.Meta)) {
		v := fmt.Sprint(c.Meta[k])
		if c.Meta[k] == nil {
			v = "null"
		}
		meta += " " + k + ":" + v
	}
	s := fmt.Sprintf("%d/%d %s %s", c.Place, c.Of, c.Kind, c.Collection)
	switch c.Kind {
	case api.ChangePut:
		return fmt.Sprintf("%s/%s%s %q %q", s, c.ID, meta, c.Text, c.Tokens)
	case api.ChangeMeta, api.ChangeDelete:
		return s + "/" + c.ID + meta
	case api.ChangeCreate:
		return s + " " + c.Settings.Unit
	}
	return s
}

func tailOf(t *testing.T, fs vfs.FS, o api.TailOptions) (out []string, last uint64) {
	t.Helper()
	for c, err := range tail(context.Background(), fs, "db", o) {
		if err != nil {
			t.Fatal(err)
		}
		if c.Time.IsZero() || time.Since(c.Time).Abs() > time.Hour {
			t.Fatalf("record %d has the time %v", c.Seq, c.Time)
		}
		out, last = append(out, changeString(c)), c.Seq
	}
	return out, last
}

func keeping(fs vfs.FS) *Options {
	o := testOptions(fs)
	o.memTableBytes = 4 << 10
	o.KeepLog = &api.KeepLog{Age: 24 * time.Hour}
	return o
}

// Tail since any record is what was written after it: of an open store, of a closed one,
// after many reopenings and with collections that were dropped and made anew.
func TestTailTellsEveryChangeOnce(t *testing.T) {
	t.Parallel()
	seeds := uint64(4)
	if torture.Short() {
		seeds = 1
	}
	for seed := range seeds {
		fs := vfs.NewMem()
		h := newHistorian(t, seed)
		db := openTest(t, keeping(fs))
		for range 400 {
			h.step(db)
			switch h.rng.IntN(25) {
			case 0:
				h.must(db.Close())
				db = openTest(t, keeping(fs))
			case 1:
				settled(t, db)
			case 2:
				h.check(fs)
			}
		}
		h.check(fs)
		h.must(db.Close())
		h.check(fs)
		if kept, err := fs.List("db/history"); err != nil || len(kept) < 4 {
			t.Errorf("seed %d: the history has the files %v, %v", seed, kept, err)
		}
	}
}

// check reads the history from random records on.
func (h *historian) check(fs vfs.FS) {
	h.t.Helper()
	got, last := tailOf(h.t, fs, api.TailOptions{Oldest: true})
	if !slices.Equal(got, h.told) {
		h.t.Fatalf("all that is kept:\n%s", difference(got, h.told))
	}
	for range 3 {
		since := h.rng.Uint64N(last + 1)
		end, ok := h.ends[since]
		if !ok {
			continue // a record of dictionaries
		}
		if got, _ := tailOf(h.t, fs, api.TailOptions{Since: since}); !slices.Equal(got, h.told[end:]) {
			h.t.Fatalf("since %d:\n%s", since, difference(got, h.told[end:]))
		}
	}
}

// A follower beside a writer is told everything, once, in order, while segments move.
func TestTailFollowsAWriter(t *testing.T) {
	fs := vfs.NewMem()
	h := newHistorian(t, 9)
	db := openTest(t, keeping(fs))
	h.step(db)
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	var seen atomic.Int64
	got := make(chan []string)
	go func() {
		var out []string
		for c, err := range tail(ctx, fs, "db", api.TailOptions{Oldest: true, Follow: true}) {
			if err != nil {
				if !errors.Is(err, context.Canceled) {
					t.Error(err)
				}
				break
			}
			out = append(out, changeString(c))
			seen.Add(1)
		}
		got <- out
	}()
	for i := range 600 {
		h.step(db)
		if i%97 == 0 {
			h.must(db.Close())
			db = openTest(t, keeping(fs))
		}
	}
	within(t, "the follower", func() {
		for seen.Load() < int64(len(h.told)) && !t.Failed() {
			time.Sleep(time.Millisecond)
		}
	})
	stop()
	if got := <-got; !slices.Equal(got, h.told) {
		t.Errorf("the follower was told:\n%s", difference(got, h.told))
	}
	h.must(db.Close())
}

// History beyond its limits goes, and who asks for it is told where it begins.
func TestHistoryKeepsItsLimits(t *testing.T) {
	t.Parallel()
	withoutRaces(t)
	fs := vfs.NewMem()
	o := keeping(fs)
	o.KeepLog = &api.KeepLog{Bytes: 256 << 10}
	h := newHistorian(t, 3)
	db := openTest(t, o)
	for i := range 1500 {
		h.step(db)
		if i%500 == 0 {
			h.must(db.Close())
			o.KeepLog = nil // the store remembers it
			db = openTest(t, o)
		}
	}
	h.must(db.Close())
	names, err := fs.List("db/history")
	h.must(err)
	var bytes int64
	for _, n := range names {
		info, err := fs.Stat("db/history/" + n)
		h.must(err)
		if n != "SETTINGS" {
			bytes += info.Size()
		}
	}
	if bytes > 256<<10 || bytes < 128<<10 {
		t.Errorf("the history has %d bytes, the limit is %d", bytes, 256<<10)
	}
	for _, err = range tail(context.Background(), fs, "db", api.TailOptions{Since: 1}) {
		break
	}
	if !errors.Is(err, api.ErrNotKept) || !strings.Contains(err.Error(), "begins after record") {
		t.Errorf("tail since 1 = %v, want ErrNotKept with where the history begins", err)
	}
	got, _ := tailOf(t, fs, api.TailOptions{Oldest: true})
	if len(got) == 0 || !slices.Equal(got, h.told[len(h.told)-len(got):]) {
		t.Errorf("%d changes are kept, and they are not the last ones", len(got))
	}

	o.KeepLog = &api.KeepLog{} // none
	h.must(openTest(t, o).Close())
	if names, err := fs.List("db/history"); err == nil {
		t.Errorf("nothing is to be kept, and there are %v", names)
	}
	for _, err = range tail(context.Background(), fs, "db", api.TailOptions{}) {
		break
	}
	if !errors.Is(err, api.ErrNotKept) {
		t.Errorf("tail of a store without history = %v, want ErrNotKept", err)
	}
}

// A store that has learned phrases before its log is kept tells what it writes then with
// them.
func TestHistorySwitchedOnLater(t *testing.T) {
	fs := vfs.NewMem()
	h := newHistorian(t, 6)
	o := keeping(fs)
	o.KeepLog = nil
	db := openTest(t, o)
	for range 300 {
		h.step(db)
	}
	settled(t, db)
	if !slices.ContainsFunc(viewsOf(t, db), func(v *view.View) bool { return v.Dictionaries != nil }) {
		t.Error("no phrases were learned, so nothing is tested")
	}
	h.must(db.Close())
	before := len(h.told)
	db = openTest(t, keeping(fs))
	for range 100 {
		h.step(db)
	}
	h.must(db.Close())
	got, _ := tailOf(t, fs, api.TailOptions{Oldest: true})
	if len(got) < len(h.told)-before || !slices.Equal(got, h.told[len(h.told)-len(got):]) {
		t.Errorf("kept:\n%s", difference(got, h.told[before:]))
	}
}

// Damage is told with its place: no byte of a kept segment can change, and no segment can
// be missing, without an error, or the same changes.
func TestDamagedHistoryIsTold(t *testing.T) {
	t.Parallel()
	withoutRaces(t)
	fs := vfs.NewMem()
	h := newHistorian(t, 5)
	db := openTest(t, keeping(fs))
	for i := range 200 {
		h.step(db)
		if i%40 == 0 {
			h.must(db.Close())
			db = openTest(t, keeping(fs))
		}
	}
	h.must(db.Close())
	dir := filepath.Join(t.TempDir(), "db")
	copyOut(t, fs, "db", dir)
	names, err := filepath.Glob(dir + "/history/*")
	h.must(err)
	slices.Sort(names)
	look := func(what string, mayPass bool) {
		t.Helper()
		var got []string
		for c, err := range Tail(context.Background(), dir, api.TailOptions{}) {
			if err != nil {
				if !errors.Is(err, api.ErrCorrupt) && !errors.Is(err, api.ErrNotKept) {
					t.Errorf("%s: %v, want ErrCorrupt or ErrNotKept", what, err)
				}
				if !slices.Equal(got, h.told[:len(got)]) {
					t.Errorf("%s: before the error other changes were told", what)
				}
				return
			}
			got = append(got, changeString(c))
		}
		if !mayPass || !slices.Equal(got, h.told) {
			t.Errorf("%s: no error, and %d of %d changes", what, len(got), len(h.told))
		}
	}
	look("whole", true)
	for _, name := range names {
		whole, err := os.ReadFile(name)
		h.must(err)
		h.must(os.Remove(name))
		look("without "+name, false)
		for range torture.Few(4, 20) {
			spoilt := slices.Clone(whole)
			spoilt[h.rng.IntN(len(spoilt))] ^= 1 << h.rng.IntN(8)
			h.must(os.WriteFile(name, spoilt, 0o644))
			look("a bit of "+name, true)
			h.must(os.WriteFile(name, whole[:h.rng.IntN(len(whole))], 0o644))
			look("cut "+name, false)
		}
		h.must(os.WriteFile(name, whole, 0o644))
	}
}

// copyOut copies a directory out of a file system in memory.
func copyOut(t *testing.T, fs vfs.FS, from, to string) {
	t.Helper()
	if ok, err := vfs.Clone(fs, vfs.Default, from, to); err != nil || !ok {
		t.Fatalf("copy %s: %v, %v", from, ok, err)
	}
}
