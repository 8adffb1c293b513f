package join

import (
	"cmp"
	"context"
	"math/bits"
	"slices"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/progress"
)

// Joining documents by the fingerprints of their chunks, all in memory.

// MaxChunkBits is the largest distance at which Chunks finds near fingerprints.
const MaxChunkBits = 5

// Chunks finds the pairs of documents in which chunks with a partner in the other document may
// form at least the given share of the chunks of both. Worker k of workers calls found(k, a, b,
// counts) with a < b and exact counts, a being the query, in no order. lists[d] holds the
// distinct chunks of document d. Two chunks are partners if at most near ≤ MaxChunkBits of their
// bits differ. Each pair is reported at most once. A pair below the share may be reported; a
// pair without partners never is.
//
// Each distinct fingerprint has one list of its documents, and is compared with the other
// fingerprints once, however many documents contain it.
//
// Let the longer document of a pair have n chunks and the other m ≤ n. At least share·(n+m) − m
// ≥ (2·share−1)·n of the n have a partner. So any choice of more than the remaining chunks
// includes one with a partner: the rarest are chosen, and only they produce candidates. Of the
// other chunks only those with lists short compared to the candidates are counted; the frequent
// sentences of a licence stay unread, and the few pairs that they decide are compared in full.
func Chunks(ctx context.Context, lists [][]uint32, near int, share float64, workers int, found func(k int, a, b uint32, m measure.ChunkMatch)) error {
	j := &chunkJoin{lists: lists, near: near, share: share, found: found}
	if err := j.number(ctx); err != nil {
		return err
	}
	if err := j.pair(ctx, workers); err != nil {
		return err
	}
	ctx, stage := progress.Begin(ctx, "sets joined", int64(len(lists)))
	var next atomic.Int64
	g, ctx := errgroup.WithContext(ctx)
	for k := range workers {
		g.Go(func() (err error) {
			defer index.CatchUnreadable(&err)() // found may read facts
			w := newChunkWorker(j, k)
			for {
				rank := int(next.Add(1)) - 1
				if rank >= len(j.order) {
					return nil
				}
				if err := w.document(ctx, j.order[rank]); err != nil {
					return err
				}
				stage.Add(1)
			}
		})
	}
	return g.Wait()
}

// ChunkBytes estimates the memory of Chunks in bytes.
func ChunkBytes(documents, chunks int64) int64 { return 64*documents + 40*chunks }

// chunkJoin is the state of Chunks.
type chunkJoin struct {
	lists [][]uint32
	near  int
	share float64
	found func(k int, a, b uint32, m measure.ChunkMatch)

	order    []uint32            // documents by number of chunks
	rank     []uint32            // by document: index in order
	prints   []uint32            // distinct fingerprints, ascending
	ids      [][]uint32          // by document: indexes of its chunks in prints
	start    []uint32            // by fingerprint: its range of have
	have     []uint32            // ranks of the documents with a fingerprint, ascending
	partners map[uint32][]uint32 // by index of a fingerprint, without itself
}

// number ranks the documents and builds the list of documents of each fingerprint.
func (j *chunkJoin) number(ctx context.Context) error {
	total := 0
	for d, list := range j.lists {
		j.order = append(j.order, uint32(d))
		total += len(list)
	}
	err := index.SortFuncUntil(ctx.Err, j.order, func(a, b uint32) int {
		return cmp.Or(cmp.Compare(len(j.lists[a]), len(j.lists[b])), cmp.Compare(a, b))
	})
	if err != nil {
		return err
	}
	j.prints = make([]uint32, 0, total)
	j.rank = make([]uint32, len(j.order))
	for r, d := range j.order {
		j.rank[d] = uint32(r)
		j.prints = append(j.prints, j.lists[d]...)
	}
	if err := index.SortUntil(ctx.Err, j.prints); err != nil {
		return err
	}
	j.prints = slices.Compact(j.prints)
	j.start = make([]uint32, len(j.prints)+1)
	j.ids = make([][]uint32, len(j.lists))
	for d, list := range j.lists {
		j.ids[d] = make([]uint32, len(list))
		for i, c := range list {
			if i%4096 == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			id, _ := slices.BinarySearch(j.prints, c)
			j.ids[d][i] = uint32(id)
			j.start[id+1]++
		}
		slices.Sort(j.ids[d])
	}
	for id := range j.prints {
		j.start[id+1] += j.start[id]
	}
	j.have = make([]uint32, total)
	at := slices.Clone(j.start)
	for r, d := range j.order {
		for _, id := range j.ids[d] {
			j.have[at[id]] = uint32(r)
			at[id]++
		}
	}
	return ctx.Err()
}

// with returns the ranks of the documents that contain a fingerprint.
func (j *chunkJoin) with(id uint32) []uint32 { return j.have[j.start[id]:j.start[id+1]] }

// pair finds the partners among fingerprints. If two differ in at most near bits, one half of 16
// bits differs in at most near/2, or the other in at most near − 1 − near/2.
func (j *chunkJoin) pair(ctx context.Context, workers int) error {
	j.partners = map[uint32][]uint32{}
	if j.near == 0 {
		return nil
	}
	turned := make([]uint64, len(j.prints)) // turned<<32 | index
	for i, p := range j.prints {
		turned[i] = uint64(bits.RotateLeft32(p, 16))<<32 | uint64(i)
	}
	if err := index.SortUntil(ctx.Err, turned); err != nil {
		return err
	}
	var starts [2][1<<16 + 1]uint32
	for i, p := range j.prints {
		starts[0][p>>16+1]++
		starts[1][turned[i]>>48+1]++
	}
	for t := range starts {
		for b := range 1 << 16 {
			starts[t][b+1] += starts[t][b]
		}
	}
	radius := [2]int{j.near / 2, j.near - 1 - j.near/2}
	ctx, stage := progress.Begin(ctx, "chunks compared", int64(len(j.prints)))
	const stretch = 4096
	parts := make([]map[uint32][]uint32, workers)
	var next atomic.Int64
	g, ctx := errgroup.WithContext(ctx)
	for k := range workers {
		g.Go(func() error {
			mine := map[uint32][]uint32{}
			parts[k] = mine
			for {
				from := int(next.Add(stretch)) - stretch
				if from >= len(j.prints) {
					return nil
				}
				to := min(from+stretch, len(j.prints))
				for id := from; id < to; id++ {
					if id%64 == 0 && ctx.Err() != nil {
						return ctx.Err()
					}
					q := j.prints[id]
					for t := range 2 {
						lead := bits.RotateLeft32(q, 16*t) >> 16
						for r := range radius[t] + 1 {
							for flip := range index.Masks(r) {
								b := lead ^ uint32(flip)
								for i := starts[t][b]; i < starts[t][b+1]; i++ {
									other := i
									if t == 1 {
										other = uint32(turned[i])
									}
									d := q ^ j.prints[other]
									if d != 0 && bits.OnesCount32(d) <= j.near && (t == 0 || bits.OnesCount32(d>>16) > radius[0]) {
										mine[uint32(id)] = append(mine[uint32(id)], other)
									}
								}
							}
						}
					}
				}
				stage.Add(to - from)
			}
		})
	}
	err := g.Wait()
	for _, part := range parts {
		for id, list := range part {
			j.partners[id] = list
		}
	}
	return err
}

// chunkWorker counts partners for one document at a time.
type chunkWorker struct {
	*chunkJoin
	k      int
	counts []chunkCounts // by rank; zero between documents
	met    []uint32      // ranks with counts
	seen   []uint32      // by fingerprint: the last document it was counted for, plus 1
	costs  []chunkCost
}

// chunkCounts counts the chunks with partners on both sides; last is the last chunk counted,
// plus 1.
type chunkCounts struct{ query, doc, last uint32 }

// chunkCost is a chunk of a document with the number of documents that contain its partners.
type chunkCost struct{ id, documents uint32 }

// newChunkWorker returns worker k.
func newChunkWorker(j *chunkJoin, k int) *chunkWorker {
	return &chunkWorker{chunkJoin: j, k: k, counts: make([]chunkCounts, len(j.order)), seen: make([]uint32, len(j.prints))}
}

// document finds the pairs of a document with documents of lower rank.
func (w *chunkWorker) document(ctx context.Context, d uint32) error {
	ids, rank := w.ids[d], w.rank[d]
	n := len(ids)
	w.costs = w.costs[:0]
	for _, id := range ids {
		documents := len(w.with(id))
		for _, p := range w.partners[id] {
			documents += len(w.with(p))
		}
		w.costs = append(w.costs, chunkCost{id, uint32(documents)})
	}
	slices.SortFunc(w.costs, func(a, b chunkCost) int {
		return cmp.Or(cmp.Compare(a.documents, b.documents), cmp.Compare(a.id, b.id))
	})
	prefix := n // number of chunks that produce candidates
	if least := (2*w.share-1)*float64(n) - 1e-6; least > 1 {
		prefix = n - int(least)
	}
	var left []uint32 // chunks that are not counted
	for i, c := range w.costs {
		if err := ctx.Err(); err != nil {
			return err
		}
		if i >= prefix && int(c.documents) > 4*len(w.met)+64 {
			left = append(left, c.id)
			continue
		}
		w.count(i, c.id, d, rank, i < prefix)
		for _, p := range w.partners[c.id] {
			w.count(i, p, d, rank, i < prefix)
		}
	}
	uncounted := w.uncounted(left, d)
	for i, r := range w.met {
		if i%256 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		c := &w.counts[r]
		other := w.order[r]
		m := len(w.ids[other])
		if len(left) > 0 && float64(int(c.query)+len(left)+m) >= w.share*float64(n+m)-1e-6 {
			w.rest(left, uncounted, other, c)
		}
		x := measure.ChunkMatch{Query: n, Doc: m, QueryMatched: int(c.query), DocMatched: int(c.doc)}
		a, b := d, other
		if a > b {
			a, b = b, a
			x = measure.ChunkMatch{Query: m, Doc: n, QueryMatched: int(c.doc), DocMatched: int(c.query)}
		}
		*c = chunkCounts{}
		if float64(x.QueryMatched+x.DocMatched) >= w.share*float64(n+m)-1e-6 {
			w.found(w.k, a, b, x)
		}
	}
	w.met = w.met[:0]
	return nil
}

// count counts the documents with a fingerprint: chunk i of query d, or a partner of it. New
// documents become candidates only if admit is set.
func (w *chunkWorker) count(i int, id, d, rank uint32, admit bool) {
	first := w.seen[id] != d+1
	w.seen[id] = d + 1
	for _, r := range w.with(id) {
		if r >= rank {
			break
		}
		c := &w.counts[r]
		if c.last == 0 {
			if !admit {
				continue
			}
			w.met = append(w.met, r)
		}
		if c.last != uint32(i)+1 {
			c.last = uint32(i) + 1
			c.query++
		}
		if first {
			c.doc++
		}
	}
}

// uncounted returns, ascending, the fingerprints of chunks and partners not yet counted for
// document d.
func (w *chunkWorker) uncounted(left []uint32, d uint32) (out []uint32) {
	for _, id := range left {
		out = append(append(out, id), w.partners[id]...)
	}
	slices.Sort(out)
	return slices.DeleteFunc(slices.Compact(out), func(id uint32) bool { return w.seen[id] == d+1 })
}

// rest adds the uncounted chunks of a document to its counts.
func (w *chunkWorker) rest(left, uncounted []uint32, other uint32, c *chunkCounts) {
	ids := w.ids[other]
	has := func(id uint32) bool {
		_, ok := slices.BinarySearch(ids, id)
		return ok
	}
	for _, id := range left {
		if has(id) || slices.ContainsFunc(w.partners[id], has) {
			c.query++
		}
	}
	for _, id := range uncounted {
		if has(id) {
			c.doc++
		}
	}
}
