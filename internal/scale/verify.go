package scale

// The stage verify: the candidates whose lower set is in a shard are compared, member by
// member, and become rows of documents. Sets that several documents have give rows too.
//
//	edges   sections of two numbers for each pair of sets: shard<<24 | set, twice
//	rows    see rows.go
//	last    the directory of the rows; the one before tells which sections are edges

import (
	"context"
	"slices"

	"github.com/simdb/simdb/internal/shingle"
)

const (
	verifyBytes      = 128 << 20 // of sets held at once
	verifyCandidates = 8 << 20
	roomEdges        = 1 << 16
)

const (
	countPairs = "pairs"
	countEdges = "edges"

	countAtOnce = "candidates_at_once"
)

// verifying is one task of the stage.
type verifying struct {
	*Job
	shard int
	gone  map[uint64]struct{} // shard<<32 | document
	rows  sorter
	edges []uint64
	of    []uint64 // sections with edges
	n     int64
	most  int64 // candidates held at once

	lower *result
	sets  frames
	names frames
	known map[uint32][]doc // documents of lower sets
}

func (j *Job) verify(ctx context.Context, task int, o *output, r *Record) (err error) {
	v := verifying{Job: j, shard: task, gone: map[uint64]struct{}{}, rows: sorter{o: o, compare: j.rule.comparePairs}}
	if v.lower, err = j.open(Analyse, task); err != nil {
		return err
	}
	release, err := v.lower.hold()
	if err != nil {
		return err
	}
	defer release()
	if v.sets, err = framesOf(v.lower, setsSection, setPlaces); err != nil {
		return err
	}
	if v.names, err = framesOf(v.lower, namesSection, namePlaces); err != nil {
		return err
	}
	total := int64(0)
	err = j.each(ctx, Meet, func(_ int, m *result) error {
		gone, err := m.words(0)
		for _, d := range gone {
			v.gone[d] = struct{}{}
		}
		for i := 1 + task; i < m.n && err == nil; i += len(j.plan.Inputs) {
			var length int64
			_, length, _, _, err = m.place(i)
			total += length / 8
		}
		return err
	})
	if err != nil {
		return err
	}
	if err := v.equal(ctx); err != nil {
		return err
	}
	bounds, err := v.bounds(ctx, total)
	if err != nil {
		return err
	}
	for i, to := range bounds[1:] {
		if err := v.pass(ctx, bounds[i], to); err != nil {
			return err
		}
	}
	if err := v.endEdges(); err != nil {
		return err
	}
	if err := v.rows.flush(); err != nil {
		return err
	}
	if err := o.sectionWords(v.of); err != nil {
		return err
	}
	r.Counts[countPairs], r.Counts[countEdges], r.Counts[countCandidates], r.Counts[countAtOnce] = v.rows.n, v.n, total, v.most
	return o.sectionWords(v.rows.blocks)
}

// equal gives the rows of sets that several documents have.
func (v *verifying) equal(ctx context.Context) error {
	several, err := v.lower.words(severalSection)
	if err != nil {
		return err
	}
	wanted := numbers(several)
	sizes := make([]uint32, len(wanted))
	err = v.sets.each(ctx, wanted, func(i int, frame []byte) error {
		sizes[i] = uint32(len(frame)/8 - 1)
		return nil
	})
	if err != nil {
		return err
	}
	return v.names.each(ctx, wanted, func(i int, frame []byte) error {
		docs, err := v.live(v.names, v.shard, frame)
		if err != nil {
			return err
		}
		for k, x := range docs {
			if err := ctx.Err(); err != nil {
				return err
			}
			for _, y := range docs[:k] {
				if err := v.rows.add(row{min(x.id, y.id), max(x.id, y.id), sizes[i], sizes[i], sizes[i]}); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

func numbers(list []uint64) []uint32 {
	out := make([]uint32, len(list))
	for i, n := range list {
		out[i] = uint32(n)
	}
	return out
}

// live returns the documents of a set that no later one replaces.
func (v *verifying) live(names frames, shard int, frame []byte) ([]doc, error) {
	docs, err := names.namesIn(frame)
	return slices.DeleteFunc(docs, func(d doc) bool {
		_, gone := v.gone[uint64(shard)<<32|uint64(d.number)]
		return gone
	}), err
}

// bounds divides the lower sets so that each pass has room for its sets and candidates, however
// unevenly these are spread. A set is not divided.
func (v *verifying) bounds(ctx context.Context, total int64) ([]uint32, error) {
	if v.sets.length <= verifyBytes && total <= v.verifyRoom {
		return []uint32{0, v.sets.n}, nil
	}
	counts := make([]uint32, v.sets.n)
	err := v.each(ctx, Meet, func(_ int, m *result) error {
		for i := 1 + v.shard; i < m.n; i += len(v.plan.Inputs) {
			words, err := m.words(i)
			if err != nil {
				return err
			}
			for _, c := range words {
				counts[lowerOf(c)]++
			}
		}
		return nil
	})
	most := int64(v.sets.n) * verifyBytes / max(v.sets.length, 1) // sets of a pass
	bounds, held := []uint32{0}, int64(0)
	for i, n := range counts {
		from := bounds[len(bounds)-1]
		if held += int64(n); uint32(i) > from && (held > v.verifyRoom || int64(uint32(i)-from) >= most) {
			bounds, held = append(bounds, uint32(i)), int64(n)
		}
	}
	return append(bounds, v.sets.n), err
}

// pass compares the candidates whose lower set is one of from to before to.
func (v *verifying) pass(ctx context.Context, from, to uint32) error {
	list, err := v.candidates(ctx, from, to)
	if err != nil || len(list) == 0 {
		return err
	}
	wanted := make([]uint32, len(list))
	for i, c := range list {
		wanted[i] = lowerOf(c)
	}
	slices.Sort(wanted)
	wanted = slices.Compact(wanted)
	lower := make(map[uint32]shingle.Set, len(wanted))
	err = v.sets.each(ctx, wanted, func(i int, frame []byte) error {
		set, err := v.sets.setIn(make(shingle.Set, 0, len(frame)/8-1), frame)
		lower[wanted[i]] = set
		return err
	})
	if err != nil {
		return err
	}
	v.known = map[uint32][]doc{}
	for len(list) > 0 {
		n := 1
		for n < len(list) && list[n]>>48 == list[0]>>48 {
			n++
		}
		if err := v.with(ctx, int(list[0]>>48), list[:n], lower); err != nil {
			return err
		}
		list = list[n:]
	}
	return nil
}

func lowerOf(c uint64) uint32 { return uint32(c) & (maxSets - 1) }
func otherOf(c uint64) uint32 { return uint32(c>>24) & (maxSets - 1) }

// candidates reads those of a pass, without repeats.
func (v *verifying) candidates(ctx context.Context, from, to uint32) (list []uint64, err error) {
	err = v.each(ctx, Meet, func(_ int, m *result) error {
		for i := 1 + v.shard; i < m.n; i += len(v.plan.Inputs) {
			words, err := m.words(i)
			if err != nil {
				return err
			}
			for _, c := range words {
				if l := lowerOf(c); from <= l && l < to {
					list = append(list, c)
				}
			}
		}
		return nil
	})
	v.most = max(v.most, int64(len(list)))
	slices.Sort(list)
	return slices.Compact(list), err
}

// with compares the candidates of which the other set is in a shard.
func (v *verifying) with(ctx context.Context, shard int, list []uint64, lower map[uint32]shingle.Set) error {
	r, err := v.open(Analyse, shard)
	if err != nil {
		return err
	}
	release, err := r.hold()
	if err != nil {
		return err
	}
	defer release()
	sets, err := framesOf(r, setsSection, setPlaces)
	if err != nil {
		return err
	}
	var wanted []uint32
	var first []int // of wanted[i] in list
	for i, c := range list {
		if i == 0 || otherOf(c) != otherOf(list[i-1]) {
			wanted, first = append(wanted, otherOf(c)), append(first, i)
		}
	}
	first = append(first, len(list))
	found := make([]match, 0, 64)
	var set shingle.Set
	err = sets.each(ctx, wanted, func(i int, frame []byte) (err error) {
		if set, err = sets.setIn(set[:0], frame); err != nil {
			return err
		}
		for _, c := range list[first[i]:first[i+1]] {
			of := lower[lowerOf(c)]
			need := v.rule.need(uint64(len(of)), uint64(len(set)))
			if n := shingle.Shared(of, set, int(need)); uint64(n) >= need {
				found = append(found, match{lowerOf(c), wanted[i], uint32(n), uint32(len(of)), uint32(len(set))})
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return v.expand(ctx, shard, r, found)
}

// match is a pair of sets that share enough, at least for one direction.
type match struct{ lower, other, shared, ofLower, ofOther uint32 }

// expand makes rows of matches with a shard, which are sorted by the other set.
func (v *verifying) expand(ctx context.Context, shard int, r *result, found []match) error {
	names, err := framesOf(r, namesSection, namePlaces)
	if err != nil {
		return err
	}
	var others, unknown []uint32
	for _, m := range found {
		if len(others) == 0 || others[len(others)-1] != m.other {
			others = append(others, m.other)
		}
		if _, ok := v.known[m.lower]; !ok {
			v.known[m.lower] = nil
			unknown = append(unknown, m.lower)
		}
	}
	slices.Sort(unknown)
	err = v.names.each(ctx, unknown, func(i int, frame []byte) (err error) {
		v.known[unknown[i]], err = v.live(v.names, v.shard, frame)
		return err
	})
	if err != nil {
		return err
	}
	return names.each(ctx, others, func(i int, frame []byte) error {
		docs, err := v.live(names, shard, frame)
		if err != nil {
			return err
		}
		for len(found) > 0 && found[0].other == others[i] {
			if err := v.add(ctx, shard, found[0], docs); err != nil {
				return err
			}
			found = found[1:]
		}
		return nil
	})
}

// add gives the rows of a match.
func (v *verifying) add(ctx context.Context, shard int, m match, docs []doc) error {
	rows := v.rows.n
	for _, a := range v.known[m.lower] {
		if err := ctx.Err(); err != nil {
			return err
		}
		for _, b := range docs {
			x := row{a.id, b.id, m.shared, m.ofLower, m.ofOther}
			if b.id < a.id {
				x = row{b.id, a.id, m.shared, m.ofOther, m.ofLower}
			}
			if !v.rule.score(&x).Reaches(v.rule.min) {
				continue
			}
			if err := v.rows.add(x); err != nil {
				return err
			}
		}
	}
	if v.rows.n == rows {
		return nil
	}
	v.n++
	v.edges = append(v.edges, uint64(v.shard)<<24|uint64(m.lower), uint64(shard)<<24|uint64(m.other))
	if len(v.edges) < roomEdges {
		return nil
	}
	return v.endEdges()
}

func (v *verifying) endEdges() error {
	v.of = append(v.of, uint64(len(v.rows.o.table)/entryBytes))
	err := v.rows.o.sectionWords(v.edges)
	v.edges = v.edges[:0]
	return err
}
