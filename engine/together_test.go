// What was tested apart, together: collections of settings drawn at random take batches of
// every mixture, by Commit and by Load, and are opened again, crash and are compacted.

package engine_test

import (
	"context"
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
	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/enginetest"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/engine/internal/testmodel"
	"github.com/simdb/simdb/internal/keys"
	"github.com/simdb/simdb/internal/torture"
)

// together is a store beside its model.
type together struct {
	*testing.T
	rng   *rand.Rand
	disk  *vfs.MemFS
	o     *engine.Options
	db    *engine.DB
	w     enginetest.World
	g     *testmodel.Texts
	now   int // batches so far
	marks []enginetest.KeptMark
	found map[string]int // rows, by what was asked
}

func TestFeaturesTogether(t *testing.T) {
	t.Parallel()
	found := map[string]int{}
	for seed := range uint64(torture.Few(2, 20)) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 40))
			x := &together{T: t, rng: rng, disk: vfs.NewCrashableMem(), w: enginetest.World{}, g: &testmodel.Texts{Rng: rng}, found: found}
			x.o = enginetest.Options(x.disk)
			x.run()
		})
	}
	for _, what := range []string{"pairs", "pairs where", "pairs since", "pairs since where", "groups since where", "similar where", "gone"} {
		if found[what] == 0 {
			t.Errorf("%s: there was nothing to find", what)
		}
	}
}

// drawn are settings at random.
func (x *together) drawn() (s api.Settings) {
	s.UniqueSim = []string{"", "", "0.7", "1"}[x.rng.IntN(4)]
	s.Index = []string{"", "year", "who, year"}[x.rng.IntN(3)]
	s.Unit = []string{"", "token", "char"}[x.rng.IntN(3)]
	return s
}

func (x *together) run() {
	ctx := context.Background()
	x.db = enginetest.Open(x.T, x.o)
	defer func() { x.db.Close() }()
	names := []string{api.DefaultCollection, "other"}[:1+x.rng.IntN(2)]
	settings := x.drawn()
	for _, name := range names {
		if err := x.db.CreateCollection(ctx, name, settings); err != nil {
			x.Fatal(err)
		}
		x.w[name] = enginetest.ModelOfCollection(x.T, x.db, name)
		settings.UniqueSim, settings.Index = "", x.drawn().Index
	}
	for phase := range 5 {
		mark, err := x.db.Mark(ctx)
		if err != nil {
			x.Fatal(err)
		}
		x.marks = append(x.marks, enginetest.KeptMark{Mark: mark, At: x.now})
		n := []int{12, 2, 6, 1, 4}[phase]
		if x.rng.IntN(3) == 0 {
			x.load(ctx, n)
		} else {
			x.commit(ctx, n)
		}
		switch x.rng.IntN(5) {
		case 0:
			x.again(x.disk)
		case 1:
			x.again(x.disk.CrashClone(vfs.CrashCloneCfg{}))
		case 2:
			if err := x.db.Compact(ctx); err != nil {
				x.Fatal(err)
			}
		case 3:
			enginetest.Settled(x.T, x.db)
		}
		x.check(ctx)
		if x.Failed() {
			x.Fatalf("phase %d", phase)
		}
	}
	x.dedupe(ctx, names)
	x.drop(ctx, names)
}

// again opens the store from another disk, or the same.
func (x *together) again(from *vfs.MemFS) {
	if err := x.db.Close(); err != nil {
		x.Fatal(err)
	}
	x.disk, *enginetest.FS(x.o) = from, from
	x.db = enginetest.Open(x.T, x.o)
}

// batch draws one, and says what becomes of it.
func (x *together) batch() (b *engine.Batch, after enginetest.World, dropped, evicted []api.Dropped, wrong error) {
	kinds := []string{"put", "put", "unless", "new", "delete", "meta", "meta", "newest", "longest"}
	if x.rng.IntN(2) == 0 { // what nothing refuses
		kinds = []string{"unless", "unless", "newest", "longest", "delete", "meta", "meta"}
	}
	steps := enginetest.DrawSteps(x.rng, x.g, kinds)
	for i := range steps {
		d := &steps[i].Doc
		if len(x.w) > 1 && x.rng.IntN(2) == 0 {
			d.Collection, d.ID = "other", "y"+d.ID
		}
		if c := x.w[record.OrDefault(d.Collection)]; c.OwnTokens() {
			d.Tokens = append([]string{}, strings.Fields(d.Text)...)
		}
	}
	after, dropped, evicted, wrong = x.w.Run(x.now+1, steps)
	b = enginetest.BatchOf(steps)
	b.Note("batch", fmt.Append(nil, x.now+1))
	return b, after, dropped, evicted, wrong
}

func (x *together) commit(ctx context.Context, n int) {
	for range n {
		b, after, dropped, evicted, wrong := x.batch()
		stats, err := x.db.Commit(ctx, b)
		enginetest.SameOutcome(x.T, fmt.Sprint("batch ", x.now+1), b, stats, err, dropped, evicted, wrong)
		if wrong == nil {
			x.now++
		}
		x.w = after
	}
}

// load is commit for batches that nothing refuses, all at once.
func (x *together) load(ctx context.Context, n int) {
	type outcome struct{ dropped, evicted []api.Dropped }
	var want, got []outcome
	source := func(yield func(*engine.Batch, error) bool) {
		for len(want) < n {
			b, after, dropped, evicted, wrong := x.batch()
			if wrong != nil {
				continue
			}
			x.now++
			x.w, want = after, append(want, outcome{dropped, evicted})
			if !yield(b, nil) {
				return
			}
		}
	}
	err := x.db.Load(ctx, source, func(b *engine.Batch, _ api.BatchStats) { got = append(got, outcome{b.Dropped(), b.Evicted()}) })
	if err != nil {
		x.Fatal(err)
	}
	if !slices.EqualFunc(got, want, func(a, b outcome) bool {
		return slices.Equal(a.dropped, b.dropped) && slices.Equal(a.evicted, b.evicted)
	}) {
		x.Errorf("the load dropped and evicted\n%v, want\n%v", got, want)
	}
}

// check holds all that can be asked against the model.
func (x *together) check(ctx context.Context) {
	x.Helper()
	if note, err := x.db.Note("batch"); err != nil || x.now > 0 && string(note) != fmt.Sprint(x.now) {
		x.Errorf("the note is %q, %v, want %d", note, err, x.now)
	}
	enginetest.CheckClean(x.T, x.db, "together")
	s, err := x.db.Snapshot()
	if err != nil {
		x.Fatal(err)
	}
	defer s.Close()
	for name, m := range x.w {
		x.documents(ctx, s, name, m)
		for _, measure := range []api.Measure{api.Jaccard, api.SimHash, api.ContainmentOfQuery, api.Multiset} {
			q := engine.Search{In: []string{name}, Measure: measure, Min: threshold(x.T, []string{"0.35", "0.7", "0.9"}[x.rng.IntN(3)])}
			x.pairs(s, q, m, m.Pairs(q))
			if q.Method().Symmetric() {
				x.groups(s, q, m)
			}
			x.similar(s, q, m)
		}
	}
	if len(x.w) > 1 {
		x.across(s)
	}
}

func (x *together) documents(ctx context.Context, s *engine.Snapshot, name string, m enginetest.UnlessModel) {
	x.Helper()
	n := 0
	for d, err := range s.Documents(ctx, name) {
		if err != nil {
			x.Fatal(err)
		}
		n++
		want, there := m.Texts[d.ID]
		year, who := fmt.Sprint(d.Meta["year"]), d.Meta["who"]
		if m.Year[d.ID] == 0 {
			year = strings.Replace(year, "<nil>", "0", 1)
		}
		if !there || d.Text != want || who != d.ID || year != fmt.Sprint(m.Year[d.ID]) {
			x.Errorf("%s has %+v, want %q of the year %d", name, d, want, m.Year[d.ID])
		}
		if m.OwnTokens() && !slices.Equal(d.Tokens, strings.Fields(want)) {
			x.Errorf("%s: %q has tokens %q", name, d.ID, d.Tokens)
		}
	}
	if n != len(m.Texts) {
		x.Errorf("%s has %d documents, want %d", name, n, len(m.Texts))
	}
}

// pairs asks for all pairs, those since marks, and those of a year, and all of it at once.
func (x *together) pairs(s *engine.Snapshot, q engine.Search, m enginetest.UnlessModel, all []string) {
	x.Helper()
	h := enginetest.Timeline{Last: m.Last}
	compare := func(what string, q engine.Search, got, want []string) {
		x.Helper()
		if x.found[what] += len(want); !slices.Equal(got, want) {
			x.Errorf("%s of %v %v by %s >= %v: got %d, want %d\n%s", what, q.In, q.Against, q.Measure, q.Min, len(got), len(want), testmodel.Difference(got, want))
		}
	}
	a, b := 1+x.rng.IntN(3), 1+x.rng.IntN(3)
	where := q
	where.Where, where.WhereB = enginetest.Year(a), enginetest.Year(b)
	narrow := func(rows []string) []string { return m.Of(m.Of(rows, 0, a), 1, b) }
	compare("pairs", q, enginetest.PairRows(x.T, s, q), all)
	compare("pairs where", q, narrow(enginetest.PairRows(x.T, s, where)), narrow(all))
	for _, mark := range x.marks {
		q.Since, where.Since = mark.Mark, mark.Mark
		want := h.Since(all, mark.At)
		compare("pairs since", q, enginetest.PairRows(x.T, s, q), want)
		compare("pairs since where", q, narrow(enginetest.PairRows(x.T, s, where)), narrow(want))
	}
}

// groups asks for those of a year's documents since each mark.
func (x *together) groups(s *engine.Snapshot, q engine.Search, m enginetest.UnlessModel) {
	x.Helper()
	n := 1 + x.rng.IntN(3)
	kept := m.Copied()
	for id := range m.Texts {
		if m.Year[id] != n {
			kept.Remove(id)
		}
	}
	all := kept.Clusters(q)
	q.Where = enginetest.Year(n)
	q.Keep = func(_ string, d api.DocInfo) (bool, error) { return fmt.Sprint(d.Meta["year"]) == fmt.Sprint(n), nil }
	for _, mark := range x.marks {
		q.Since = mark.Mark
		want := (&enginetest.Timeline{Last: m.Last}).GroupsSince(all, mark.At)
		x.found["groups since where"] += len(want)
		if got := enginetest.ClusterRows(x.T, s, q); !slices.Equal(got, want) {
			x.Errorf("groups of %v by %s >= %v since %d in year %d:\n%s", q.In, q.Measure, q.Min, mark.At, n, testmodel.Difference(got, want))
		}
	}
}

// similar asks for what is similar to some document in a year.
func (x *together) similar(s *engine.Snapshot, q engine.Search, m enginetest.UnlessModel) {
	x.Helper()
	ids := m.Ids()
	if len(ids) == 0 {
		return
	}
	id, n := ids[x.rng.IntN(len(ids))], 1+x.rng.IntN(3)
	want := m.Of(m.Similar(q, m.Texts[id], id), 0, n)
	x.found["similar where"] += len(want)
	q.Where = enginetest.Year(n)
	if got := m.Of(enginetest.SimilarRows(x.T, s, api.ByID(id), q), 0, n); !slices.Equal(got, want) {
		x.Errorf("similar to %s in %v by %s >= %v in year %d:\n%s", id, q.In, q.Measure, q.Min, n, testmodel.Difference(got, want))
	}
}

// across asks for the pairs of two collections, together and against each other. All of
// them are what the store says; the others follow.
func (x *together) across(s *engine.Snapshot) {
	x.Helper()
	both := enginetest.UnlessModel{Year: map[string]int{}, Last: map[string]int{}}
	for _, m := range x.w {
		maps.Copy(both.Year, m.Year)
		maps.Copy(both.Last, m.Last)
	}
	for _, q := range []engine.Search{
		{In: []string{"docs", "other"}}, {In: []string{"other"}, Against: []string{"docs"}}, {In: []string{"docs", "other"}, Measure: api.ContainmentOfQuery},
		{In: []string{"docs"}, Against: []string{"other"}, Measure: api.ContainmentOfDoc}, {In: []string{"docs"}, Against: []string{"other"}, Measure: api.SimHash},
	} {
		q.Min = threshold(x.T, "0.5")
		x.pairs(s, q, both, enginetest.PairRows(x.T, s, q))
	}
}

// dedupe deletes duplicates, after the metadata of all has changed: that keeps none.
func (x *together) dedupe(ctx context.Context, names []string) {
	x.Helper()
	s, err := x.db.Snapshot()
	if err != nil {
		x.Fatal(err)
	}
	defer s.Close()
	q := engine.Search{In: names, Min: threshold(x.T, "0.5")}
	r, err := s.Dedupe(ctx, q, api.KeepNewest)
	if err != nil {
		x.Fatal(err)
	}
	var b engine.Batch
	for name, m := range x.w {
		for id := range m.Texts {
			b.UpdateMeta(name, id, api.Meta{"year": 1})
			m.Year[id] = 1
		}
	}
	if _, err := x.db.Commit(ctx, &b); err != nil {
		x.Fatal(err)
	}
	for row, err := range x.db.DeleteDuplicates(ctx, q, r.All) {
		if err != nil || row.Changed {
			x.Fatalf("DeleteDuplicates: %+v, %v", row, err)
		}
		if !row.Keep {
			x.w[row.Collection].Remove(row.ID)
			x.found["gone"]++
		}
	}
	x.check(ctx)
	after, err := x.db.Snapshot()
	if err != nil {
		x.Fatal(err)
	}
	defer after.Close()
	if left := enginetest.PairRows(x.T, after, q); len(left) > 0 {
		x.Errorf("duplicates are left: %v", left)
	}
}

// drop removes the collections, and looks for what is left of them.
func (x *together) drop(ctx context.Context, names []string) {
	x.Helper()
	for _, name := range names {
		if err := x.db.DropCollection(ctx, name); err != nil {
			x.Fatal(err)
		}
	}
	x.again(x.disk)
	for _, space := range keys.PerCollection {
		err := disk.Scan(enginetest.Disk(x.db).Pebble(), keys.Of(space), func(key, _ []byte) error {
			return fmt.Errorf("key %x", key)
		})
		if err != nil {
			x.Errorf("after all collections were dropped: %v", err)
		}
	}
	if err := x.db.Put(ctx, api.Document{Collection: "other", ID: "yd01", Text: "one two three"}); err != nil {
		x.Fatal(err)
	}
	enginetest.CheckClean(x.T, x.db, "anew")
	s, err := x.db.Snapshot()
	if err != nil {
		x.Fatal(err)
	}
	defer s.Close()
	for _, mark := range x.marks {
		if err := enginetest.PairsError(s, mark.Mark); err != nil {
			x.Errorf("since an old mark: %v", err)
		}
	}
	if err := enginetest.PairsError(s, "00"); !errors.Is(err, api.ErrMark) {
		x.Errorf("since no mark: %v", err)
	}
}
