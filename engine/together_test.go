// What was tested apart, together: collections of settings drawn at random take batches of
// every mixture, by Commit and by Load, and are opened again, crash and are compacted.

package engine_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/engine/internal/enginetest"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/engine/internal/testmodel"
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
