package history_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/engine/internal/enginetest"
	"github.com/simdb/simdb/engine/internal/history"
	"github.com/simdb/simdb/engine/internal/record"
)

// A subject is a document whose traces must go: its id and 15 random words of its text.
type subject struct {
	id    string
	words []string
}

func newSubject(rng *rand.Rand, id string) subject {
	s := subject{id: id}
	for range 15 {
		w := make([]byte, 12)
		for i := range w {
			w[i] = "bcdfghjklmnpqrstvwxz"[rng.IntN(20)]
		}
		s.words = append(s.words, string(w))
	}
	return s
}

func (s subject) text() string { return strings.Join(s.words, " ") }

// A document that is stored, one that was deleted, one that was refused, and one in a collection
// that was dropped, by id and as a whole: EraseTraces names the places with traces, and after
// COMPACT and the next backup no file has any.
func TestTracesAreErasedEverywhere(t *testing.T) {
	for _, keep := range []*api.KeepLog{nil, {Bytes: 1 << 30}} {
		t.Run(fmt.Sprint("history ", keep != nil), func(t *testing.T) { eraseTraces(t, keep) })
	}
}

func eraseTraces(t *testing.T, keep *api.KeepLog) {
	ctx := t.Context()
	disk := vfs.NewCrashableMem()
	e := newErasing(t, disk, keep)
	rng := rand.New(rand.NewPCG(7, 8))
	live, deleted, refused := newSubject(rng, "the-live-one"), newSubject(rng, "the-deleted-one"), newSubject(rng, "the-refused-one")
	inDropped, whole := newSubject(rng, "the-one-in-a-dropped-collection"), newSubject(rng, "the-one-dropped-and-erased")
	all := []subject{live, deleted, refused, inDropped, whole}
	put := func(in string, s subject) {
		e.must(e.db.Put(ctx, api.Document{Collection: in, ID: s.id, Text: s.text()}))
	}
	put("", live)
	put("", deleted)
	_, outcome, err := e.db.PutUnlessSimilar(ctx, api.Document{ID: refused.id, Text: othersText(3)}, engine.Search{Min: api.Ratio(1, 2)}, nil)
	if e.must(err); outcome != api.OutcomeRefused {
		t.Fatalf("the document is %v, want refused", outcome)
	}
	for _, in := range []string{"left", "right"} {
		e.must(e.db.CreateCollection(ctx, in, api.Settings{Synonyms: in + "-synonym, another"}))
	}
	put("left", inDropped)
	put("right", whole)
	put("right", newSubject(rng, "another"))
	e.must(e.db.UpdateMeta(ctx, "left", inDropped.id, api.Meta{"n": 1}))
	e.must(e.db.Delete(ctx, "", deleted.id))
	note := func(value []byte) {
		var b engine.Batch
		b.Note("a note of "+live.id, value)
		_, err := e.db.Commit(ctx, &b)
		e.must(err)
	}
	note([]byte("x"))
	if keep != nil {
		e.must(e.db.Checkpoint(ctx, "copy"))
		e.reopen()
	}
	e.must(e.db.DropCollection(ctx, "left"))
	e.must(e.db.Delete(ctx, "", personID))

	places := func(in string, ids ...string) string {
		s := enginetest.SnapshotOf(t, e.db)
		found, err := s.Traces(ctx, []string{in}, ids)
		e.must(errors.Join(err, s.Close()))
		erased, err := e.db.EraseTraces(ctx, []string{in}, ids)
		e.must(err)
		if !slices.Equal(found, erased) {
			t.Errorf("Traces of %v found %v, EraseTraces %v", ids, found, erased)
		}
		var out []string
		for _, x := range erased {
			out = append(out, fmt.Sprint(x.Place, " ", x.Traces))
		}
		return strings.Join(out, ", ")
	}
	got := map[string]string{
		"live": places("", live.id), "deleted": places("", deleted.id), "refused": places("", refused.id),
		"in dropped": places("left", inDropped.id), "whole": places("right"),
	}
	// Each of the two groupings has an event of each put and deletion.
	want := map[string]string{"live": "documents 1, log and history 3, notes 1", "deleted": "log and history 6", "refused": "ledger 1, log and history 1",
		"in dropped": "log and history 2", "whole": "documents 2, log and history 2"}
	if !maps.Equal(got, want) {
		t.Errorf("traces:\n%v\nwant\n%v", got, want)
	}
	if _, err := e.db.EraseTraces(ctx, []string{"never"}, []string{"x"}); !errors.Is(err, api.ErrNoCollection) {
		t.Errorf("in a collection that never was: %v, want ErrNoCollection", err)
	}
	note(nil)
	after := disk.CrashClone(vfs.CrashCloneCfg{}) // a replay erases too
	e.must(e.db.Close())
	e.fs, *enginetest.FS(e.o) = after, after
	e.db = enginetest.Open(t, e.o)
	if n, err := e.db.Erasing(ctx); n != 6 || err != nil { // that of twin too
		t.Errorf("%d erasures wait, %v, want 6", n, err)
	}
	e.must(e.db.Compact(ctx))
	e.must(e.db.Close())
	traceless := func(dir string) {
		for _, s := range all {
			if found := tracesIn(t, e.fs, dir, append(s.words, s.id, "right-synonym")...); len(found) > 0 {
				t.Errorf("%s has traces of %s: %v", dir, s.id, found)
			}
		}
	}
	traceless("db")
	if keep != nil {
		_, of, err := history.Read(e.fs, "db")
		e.must(err)
		for _, o := range of {
			ops, err := record.DecodeSettings(o.Settings)
			e.must(err)
			for _, o := range ops {
				if o.Name == "right" {
					t.Error("the history has the settings of the erased collection")
				}
			}
		}
		if tracesIn(t, e.fs, "copy", live.id) == nil {
			t.Error("the backup has no traces before, so nothing is tested")
		}
		x, err := enginetest.ExtendBackup(ctx, e.fs, "db", "copy")
		if e.must(err); !x.Anew {
			t.Errorf("the backup was extended from %d to %d, want one made anew", x.From, x.To)
		}
		traceless("copy")
		for c, err := range enginetest.Tail(ctx, e.fs, "db", api.TailOptions{Oldest: true}) {
			if e.must(err); c.Collection == "right" || c.ID == inDropped.id {
				t.Errorf("the history still has %v", c)
			}
		}
	}
	e.db = enginetest.Open(t, e.o)
	e.others()
	e.must(e.db.Close())
}
