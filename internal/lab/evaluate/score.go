package evaluate

// This file scores all pairs of a task by all settings.

import (
	"context"
	"errors"
	"hash/maphash"
	"runtime"
	"sync"

	"github.com/simdb/simdb/internal/lab"
	"github.com/simdb/simdb/internal/measure"
)

// cacheBytes bounds what all workers keep of texts that they have read.
const cacheBytes = 256 << 20

// none is the score of texts that a measure has no value for.
const none = -1

// A scored is a setting with the scores of all pairs.
type scored struct {
	setting
	scores []float64
}

// score reads each text once for each reading, unless there are more than fit
// the memory for them.
func (s store) score(ctx context.Context, t *task, all []reading, o lab.Options) ([]scored, error) {
	made := make([][]scored, len(all))
	var mu sync.Mutex
	done := 0
	err := parallel(ctx, len(all), func(ctx context.Context, i int) error {
		r := &reader{store: s, task: t, reading: all[i], kept: map[int32]*prepared{}}
		for _, one := range all[i].settings {
			made[i] = append(made[i], scored{one, make([]float64, len(t.pairs))})
		}
		for n, p := range t.pairs {
			if err := ctx.Err(); err != nil {
				return err
			}
			q, err := r.query(p.q)
			if err != nil {
				return err
			}
			d, err := r.get(p.d)
			if err != nil {
				return err
			}
			for j, one := range all[i].settings {
				made[i][j].scores[n] = sim(one.score(q, d))
			}
		}
		mu.Lock()
		defer mu.Unlock()
		done++
		o.Progressf("scored by %d of %d ways to read the texts", done, len(all))
		return nil
	})
	var flat []scored
	for _, m := range made {
		flat = append(flat, m...)
	}
	return flat, err
}

func sim(s measure.Score) float64 {
	if s.Of == 0 {
		return none
	}
	return s.Sim()
}

// A reader keeps what a reading makes of texts, up to some bytes.
type reader struct {
	store
	task    *task
	reading reading
	kept    map[int32]*prepared
	bytes   int
	asked   *prepared // of the query that came last
	asks    int32
}

func (r *reader) query(n int32) (*prepared, error) {
	if r.asked != nil && r.asks == n {
		return r.asked, nil
	}
	if r.asked != nil {
		r.asked.tree = nil // the next query needs the memory
	}
	p, err := r.get(n)
	r.asked, r.asks = p, n
	return p, err
}

func (r *reader) get(n int32) (*prepared, error) {
	if p, ok := r.kept[n]; ok {
		return p, nil
	}
	doc, err := r.text(r.task.ids[n])
	if err != nil {
		return nil, err
	}
	p := r.reading.prepare(doc)
	if r.bytes += p.bytes; r.bytes > cacheBytes/runtime.GOMAXPROCS(0) {
		clear(r.kept)
		r.bytes = p.bytes
	}
	r.kept[n] = p
	return p, nil
}

// weights returns the idf of the words of a task's documents: how many of the
// distinct texts of the collection have each. Texts of fewer than three words do
// not count, as in a collection with the defaults: they have no set there.
func (s store) weights(ctx context.Context, t *task) (func(hash uint64) uint64, error) {
	have := map[uint64]uint64{}
	for _, id := range t.ids {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		doc, err := s.text(id)
		if err != nil {
			return nil, err
		}
		for _, term := range measure.WordsOf(doc) {
			have[term.Hash] = 0
		}
	}
	seed := maphash.MakeSeed()
	seen := map[uint64]bool{}
	for doc, err := range s.snap.Documents(ctx, s.in) {
		if err != nil {
			return nil, err
		}
		key := maphash.String(seed, doc.Text)
		if seen[key] || len(byDefault.Bag(doc.Text).Set) == 0 {
			continue
		}
		seen[key] = true
		for _, term := range measure.WordsOf(doc.Text) {
			if n, ok := have[term.Hash]; ok {
				have[term.Hash] = n + 1
			}
		}
	}
	n := uint64(len(seen))
	return func(hash uint64) uint64 { return measure.IDF(n, have[hash]) }, nil
}

// parallel runs n pieces of work on all processors and returns their errors;
// the first ends the rest.
func parallel(ctx context.Context, n int, work func(ctx context.Context, i int) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	next := make(chan int)
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), n) {
		wg.Go(func() {
			for i := range next {
				if err := work(ctx, i); err != nil {
					cancel(err)
				}
			}
		})
	}
	for i := range n {
		select {
		case next <- i:
		case <-ctx.Done():
		}
	}
	close(next)
	wg.Wait()
	if err := context.Cause(ctx); err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	return ctx.Err()
}
