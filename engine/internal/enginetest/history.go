// A random writer that records the history it expects.

package enginetest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/engine/internal/testmodel"
)

// Historian writes at random, and records the expected output of tail for each record.
type Historian struct {
	t     *testing.T
	Rng   *rand.Rand
	texts *testmodel.Texts
	Live  map[string]map[string]bool // collection → ids
	Told  []string                   // expected output of tail, in order
	ends  map[uint64]int             // record → length of Told after it
}

// NewHistorian returns a Historian that has written nothing.
func NewHistorian(t *testing.T, seed uint64) *Historian {
	rng := rand.New(rand.NewPCG(seed, 46))
	return &Historian{t: t, Rng: rng, texts: &testmodel.Texts{Rng: rng}, Live: map[string]map[string]bool{}, ends: map[uint64]int{}}
}

// Contents returns everything stored, as lines.
func Contents(t *testing.T, db *engine.DB) (out []string) {
	t.Helper()
	s, err := db.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, c := range s.Collections() {
		out = append(out, fmt.Sprintf("%s %+v", c.Name, c.Settings))
		for info, err := range s.Infos(context.Background(), c.Name) {
			if err != nil {
				t.Fatal(err)
			}
			d, err := s.Get(c.Name, info.ID)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, fmt.Sprintf("%s/%s %v %q %q", c.Name, d.ID, d.Meta, d.Text, d.Tokens))
		}
	}
	return out
}

// Past is the contents of a store at a moment.
type Past struct {
	Seq  uint64
	At   time.Time
	rows []string
}

// PastOf returns the current contents once the store is idle: no dictionary may be learned
// between reading the number and the contents, or still await its sync.
func PastOf(t *testing.T, db *engine.DB) Past {
	t.Helper()
	Settled(t, db)
	if err := Disk(db).Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	seq, _ := Inside(db).Counted()
	return Past{seq, time.Now(), Contents(t, db)}
}

// ExtendBroken extends the backup on a disk that fails after a random number of writes.
func (h *Historian) ExtendBroken(fsys vfs.FS) {
	left := h.Rng.IntN(12)
	failing := errorfs.Wrap(fsys, errorfs.InjectorFunc(func(op errorfs.Op) error {
		if op.Kind.ReadOrWrite() == errorfs.OpIsWrite {
			if left--; left < 0 {
				return errorfs.ErrInjected
			}
		}
		return nil
	}))
	if _, err := ExtendBackup(context.Background(), failing, "db", "copy"); err != nil && !errors.Is(err, errorfs.ErrInjected) {
		h.t.Errorf("extend on a disk that fails = %v", err)
	}
}

// Restored restores the backup to a moment and checks its contents.
func (h *Historian) Restored(fsys vfs.FS, name string, to api.Moment, want Past) {
	h.t.Helper()
	seq, err := engine.RestoreTo(context.Background(), "copy", name, to, Keeping(fsys))
	h.Must(err)
	db, err := engine.Open(name, Keeping(fsys))
	h.Must(err)
	if got := Contents(h.t, db); seq != want.Seq || !slices.Equal(got, want.rows) {
		h.t.Errorf("restored to %v it ends with record %d, want %d:\n%s", to, seq, want.Seq, testmodel.Difference(got, want.rows))
	}
	CheckClean(h.t, db, name)
	h.Must(db.Close())
}

// record records the changes of the last record.
func (h *Historian) record(db *engine.DB, changes ...string) {
	seq, _ := Inside(db).Counted()
	for i, c := range changes {
		h.Told = append(h.Told, fmt.Sprintf("%d/%d %s", i+1, len(changes), c))
	}
	h.ends[seq] = len(h.Told)
}

// Step writes one batch, or creates or drops a collection.
func (h *Historian) Step(db *engine.DB) {
	ctx := context.Background()
	names := slices.Sorted(maps.Keys(h.Live))
	switch n := h.Rng.IntN(30); {
	case n == 0 || len(names) == 0:
		name := fmt.Sprint("c", h.Rng.IntN(4))
		if h.Live[name] != nil {
			return
		}
		s := api.Settings{Unit: "word"}
		if h.Rng.IntN(3) == 0 {
			s.Unit = "token"
		}
		h.Must(db.CreateCollection(ctx, name, s))
		h.Live[name] = map[string]bool{"unit:" + s.Unit: true}
		h.record(db, "create "+name+" "+s.Unit)
	case n == 1 && len(names) > 1:
		name := names[h.Rng.IntN(len(names))]
		h.Must(db.DropCollection(ctx, name))
		delete(h.Live, name)
		h.record(db, "drop "+name)
	default:
		h.batch(ctx, db, names)
	}
}

// batch writes one random batch.
func (h *Historian) batch(ctx context.Context, db *engine.DB, names []string) {
	var b engine.Batch
	var changes []string
	in := map[string]bool{}
	for range 1 + h.Rng.IntN(6) {
		name, id := names[h.Rng.IntN(len(names))], fmt.Sprintf("d%02d", h.Rng.IntN(30))
		if in[name+"/"+id] {
			continue
		}
		in[name+"/"+id] = true
		ids := h.Live[name]
		switch n := h.Rng.IntN(8); {
		case n == 0 && ids[id]:
			b.Delete(name, id)
			delete(ids, id)
			changes = append(changes, "delete "+name+"/"+id)
		case n == 1 && ids[id]:
			b.UpdateMeta(name, id, api.Meta{"year": n, "gone": nil})
			changes = append(changes, fmt.Sprintf("meta %s/%s gone:null year:%d", name, id, n))
		default:
			d := api.Document{Collection: name, ID: id, Text: h.texts.Next(), Meta: api.Meta{"n": n}}
			if ids["unit:token"] {
				d.Tokens = strings.Fields(d.Text)
			}
			b.Put(d)
			ids[id] = true
			changes = append(changes, fmt.Sprintf("put %s/%s n:%d %q %q", name, id, n, d.Text, d.Tokens))
		}
	}
	b.Note("place", []byte(fmt.Sprint(len(h.Told))))
	_, err := db.Commit(ctx, &b)
	h.Must(err)
	h.record(db, changes...)
}

// Must fails the test on an error.
func (h *Historian) Must(err error) {
	h.t.Helper()
	if err != nil {
		h.t.Fatal(err)
	}
}

// ChangeString formats a change like Told.
func ChangeString(c api.Change) string {
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

// TailOf returns the changes of Tail, and the number of the last record.
func TailOf(t *testing.T, fs vfs.FS, o api.TailOptions) (out []string, last uint64) {
	t.Helper()
	for c, err := range Tail(context.Background(), fs, "db", o) {
		if err != nil {
			t.Fatal(err)
		}
		if c.Time.IsZero() || time.Since(c.Time).Abs() > time.Hour {
			t.Fatalf("record %d has the time %v", c.Seq, c.Time)
		}
		out, last = append(out, ChangeString(c)), c.Seq
	}
	return out, last
}

// Keeping returns options of a store that keeps its log.
func Keeping(fs vfs.FS) *engine.Options {
	o := Options(fs)
	*MemTableBytes(o) = 4 << 10
	o.KeepLog = &api.KeepLog{Age: 24 * time.Hour}
	return o
}

// Check compares the history with Told, from its beginning and from random records.
func (h *Historian) Check(fs vfs.FS) {
	h.t.Helper()
	got, last := TailOf(h.t, fs, api.TailOptions{Oldest: true})
	if !slices.Equal(got, h.Told) {
		h.t.Fatalf("all that is kept:\n%s", testmodel.Difference(got, h.Told))
	}
	for range 3 {
		since := h.Rng.Uint64N(last + 1)
		end, ok := h.ends[since]
		if !ok {
			continue // a record of dictionaries
		}
		if got, _ := TailOf(h.t, fs, api.TailOptions{Since: since}); !slices.Equal(got, h.Told[end:]) {
			h.t.Fatalf("since %d:\n%s", since, testmodel.Difference(got, h.Told[end:]))
		}
	}
}
