package evaluate

// Scoring of all pairs of a task with all settings.

import (
	"cmp"
	"context"
	"hash/maphash"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/report"
)

// cacheBytes bounds the prepared texts of all workers together.
const cacheBytes = 256 << 20

// score applies all settings: first those by shingles, which compare all queries with all
// documents, then the others pair by pair.
func (s store) score(ctx context.Context, t *task, o report.Options) (all []scored, err error) {
	info, err := s.snap.Collection(s.searched)
	if err != nil {
		return nil, err
	}
	counted := info.TextBytes <= mostCounted
	var limits []int64
	passes := 1
	if counted {
		limits, passes = limitsOf(len(t.docs)), 2
	}
	ways := analyses()
	made := make([][]scored, len(ways))
	progress := newSteps(o, "step 1 of 3: texts compared by shingles", passes*len(ways)*len(t.docs))
	err = parallel(ctx, len(ways), func(ctx context.Context, i int) (err error) {
		i = len(ways) - 1 - i // characters take longest, so they start first
		made[i], err = s.count(ctx, t, ways[i], limits, counted, progress.add)
		return err
	})
	if err != nil {
		return nil, err
	}
	weight, err := s.weights(ctx, t, poolOf(t, slices.Concat(made...)))
	if err != nil {
		return nil, err
	}
	all, err = s.scorePairs(ctx, t, slices.Concat(made...), weight, o)
	slices.SortStableFunc(all, func(a, b scored) int { return cmp.Compare(a.counts(), b.counts()) })
	return all, err
}

// poolDepth is the number of documents per query, measure and analysis that are compared pair by
// pair. Three measures and three analyses contribute.
const poolDepth = 4

// poolOf returns, by query, the most similar documents without a label, by several measures.
func poolOf(t *task, all []scored) [][]int32 {
	pool := make([][]int32, len(t.queries))
	for _, s := range all {
		if s.ignoring > 0 || s.unit+strconv.Itoa(s.k) != "word1" && s.unit+strconv.Itoa(s.k) != "word3" && s.unit+strconv.Itoa(s.k) != "char9" {
			continue
		}
		if s.using != "jaccard" && !strings.HasPrefix(s.using, "containment") {
			continue
		}
		for q, list := range s.others {
			for _, f := range list[:min(len(list), poolDepth)] {
				if !slices.Contains(pool[q], f.doc) {
					pool[q] = append(pool[q], f.doc)
				}
			}
		}
	}
	return pool
}

// scorePairs appends the settings that compare pair by pair.
func (s store) scorePairs(ctx context.Context, t *task, all []scored, weight func(uint64) uint64, o report.Options) ([]scored, error) {
	pool, ways := poolOf(t, all), readings(weight)
	pairs := len(t.pairs)
	for _, docs := range pool {
		pairs += len(docs)
	}
	progress := newSteps(o, "step 2 of 3: pairs compared", len(ways)*pairs)
	made := make([][]scored, len(ways))
	err := parallel(ctx, len(ways), func(ctx context.Context, i int) error {
		r := &reader{store: s, task: t, reading: ways[i], kept: map[string]*prepared{}}
		for _, one := range ways[i].settings {
			made[i] = append(made[i], scored{one, make([]float64, len(t.pairs)), nil, make([][]found, len(t.queries))})
		}
		n := 0
		for q := range t.queries {
			r.next(q)
			for ; n < len(t.pairs) && int(t.pairs[n].q) == q; n++ {
				if err := r.score(ctx, t.pairs[n].d, func(j int, sim float64) { made[i][j].scores[n] = sim }); err != nil {
					return err
				}
				progress.add()
			}
			for _, d := range pool[q] {
				if err := r.score(ctx, d, func(j int, sim float64) {
					made[i][j].others[q] = append(made[i][j].others[q], found{d, sim})
				}); err != nil {
					return err
				}
				progress.add()
			}
		}
		return nil
	})
	return append(all, slices.Concat(made...)...), err
}

// sim returns the similarity of a score; 0 if there is none.
func sim(s measure.Score) float64 {
	if s.Of == 0 {
		return 0
	}
	return s.Sim()
}

// A reader caches texts as prepared by a reading, up to some bytes. It is not safe for concurrent
// use.
type reader struct {
	store
	task    *task
	reading reading
	kept    map[string]*prepared // by collection and id
	bytes   int
	q       int
	query   *prepared // nil until read
}

// next moves on to a query.
func (r *reader) next(q int) {
	if r.query != nil {
		r.query.tree = nil // frees memory for the next query
	}
	r.q, r.query = q, nil
}

// score compares the query with a document by all settings of the reading.
func (r *reader) score(ctx context.Context, d int32, take func(j int, sim float64)) (err error) {
	if err := ctx.Err(); err != nil {
		return err
	}
	if r.query == nil {
		if r.query, err = r.get(ctx, r.in, r.task.queries[r.q]); err != nil {
			return err
		}
	}
	doc, err := r.get(ctx, r.searched, r.task.docs[d])
	if err != nil {
		return err
	}
	for j, score := range r.reading.scores(r.query, doc) {
		take(j, sim(score))
	}
	return nil
}

// get returns a prepared text, from the cache if possible.
func (r *reader) get(ctx context.Context, in, id string) (*prepared, error) {
	key := in + "/" + id
	if p, ok := r.kept[key]; ok {
		return p, nil
	}
	doc, err := r.text(ctx, in, id)
	if err != nil {
		return nil, err
	}
	p := r.reading.prepare(doc)
	if r.bytes += p.bytes; r.bytes > cacheBytes/runtime.GOMAXPROCS(0) {
		clear(r.kept)
		r.bytes = p.bytes
	}
	r.kept[key] = p
	return p, nil
}

// weights returns the idf of the words in the texts of the pool, from their frequency among the
// distinct texts of the collection.
func (s store) weights(ctx context.Context, t *task, pool [][]int32) (func(hash uint64) uint64, error) {
	have := map[uint64]uint64{}
	met := map[[2]string]bool{}
	note := func(in, id string) error {
		if met[[2]string{in, id}] {
			return ctx.Err()
		}
		met[[2]string{in, id}] = true
		doc, err := s.text(ctx, in, id)
		for _, term := range measure.WordsOf(doc, 0) {
			have[term.Hash] = 0
		}
		return err
	}
	for q, docs := range pool {
		if err := note(s.in, t.queries[q]); err != nil {
			return nil, err
		}
		for _, d := range docs {
			if err := note(s.searched, t.docs[d]); err != nil {
				return nil, err
			}
		}
	}
	for _, p := range t.pairs {
		if err := note(s.searched, t.docs[p.d]); err != nil {
			return nil, err
		}
	}
	seed := maphash.MakeSeed()
	seen := map[uint64]bool{}
	for doc, err := range s.snap.Documents(ctx, s.searched) {
		if err != nil {
			return nil, err
		}
		key := maphash.String(seed, doc.Text)
		if seen[key] {
			continue
		}
		seen[key] = true
		for _, term := range measure.WordsOf(doc.Text, 0) {
			if n, ok := have[term.Hash]; ok {
				have[term.Hash] = n + 1
			}
		}
	}
	n := uint64(len(seen))
	return func(hash uint64) uint64 { return measure.IDF(n, have[hash]) }, nil
}

// parallel runs n pieces of work on all processors and joins their errors. The first error
// cancels the rest.
func parallel(ctx context.Context, n int, work func(ctx context.Context, i int) error) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i := range n {
		g.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			return work(ctx, i)
		})
	}
	return g.Wait()
}
