package scale

// Stage deal: distributes the sets of a shard over the stretches of their sizes, with the data
// for a join: facts, and the first tokens in the global order. Two similar sets share one of
// these tokens, so tokens that occur in a single set are left out. A join by signatures needs no
// tokens.
//
// Each round has two sections per stretch; a new round begins when memory is full. The last
// section lists the documents of the shard that a later one replaces (u64).
//
//	facts    for each set: its number <<33, whether several documents have it <<32, its size; and
//	         its parity signature (u64)
//	tokens   sorted: part and token <<32, which of these sets has it <<3, its tier (u64)

import (
	"context"

	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/index/join"
	"github.com/simdb/simdb/internal/shingle"
	"github.com/simdb/simdb/internal/sketch"
)

const (
	tierBits = 3
	roomDeal = 8 << 20 // words in memory before a round ends
)

// prefixLen returns the number of a set's first members that must be posted, so that any two
// similar sets share one. It is all of them if a pair may need almost no overlap with the larger
// set.
func (r rule) prefixLen(size int) int {
	if r.directed {
		return size
	}
	return index.PrefixLen(size, index.Tiers()[index.TierOf(r.min)])
}

// dealt holds the words of a stretch in memory.
type dealt struct {
	facts, tokens []uint64
	sets          uint64
}

// add adds a set with its first tokens, except rare ones.
func (d *dealt) add(number uint32, several bool, set shingle.Set, first []uint64, rare func(h uint64) bool) {
	fact := uint64(number)<<33 | uint64(len(set))
	if several {
		fact |= 1 << 32
	}
	d.facts = append(d.facts, fact)
	d.facts = append(d.facts, sketch.NewSignature(nil, set)...)
	i := 0
	for tier, t := range index.Tiers() {
		for end := min(index.PrefixLen(len(set), t), len(first)); i < end; i++ {
			if h := first[i]; !rare(h) {
				d.tokens = append(d.tokens, index.PartKey(index.PartOf(uint8(tier)), join.TokenOf(h))<<32|d.sets<<tierBits|uint64(tier))
			}
		}
	}
	d.sets++
}

// deal opens the shard of the task's number.
func (j *Job) deal(ctx context.Context, task int, o *output, _ *Record) error {
	return j.with(Analyse, task, func(shard *result) error { return j.dealShard(ctx, task, shard, o) })
}

// dealShard reads the sets of a shard and writes rounds of sections.
func (j *Job) dealShard(ctx context.Context, task int, shard *result, o *output) error {
	order, classes, err := j.readOrder()
	if err != nil {
		return err
	}
	bounds, by, err := j.stretches()
	if err != nil {
		return err
	}
	sets, err := framesOf(shard, setsSection)
	if err != nil {
		return err
	}
	several, err := shard.words(severalSection)
	if err != nil {
		return err
	}
	lists, held := make([]dealt, len(bounds)), 0
	var sorter index.Sorter
	flush := func() error {
		for i := range lists {
			l := &lists[i]
			if err := o.sectionWords(l.facts); err != nil {
				return err
			}
			if err := o.sectionWords(sorter.Sort(l.tokens)); err != nil {
				return err
			}
		}
		clear(lists) // an input sorted by length fills one list after the other
		held = 0
		return nil
	}
	shift := 64 - j.plan.SketchBits
	rare := func(h uint64) bool { return classes[h>>shift] == 0 }
	var first []uint64
	err = sets.each(ctx, numbersTo(0, sets.n), func(i int, frame []byte) error {
		number := uint32(i)
		set, err := j.rule.setIn(sets, frame)
		if err != nil {
			return err
		}
		if by == byTokens {
			first = order.First(first[:0], set, j.rule.prefixLen(len(set)))
		}
		l := &lists[bounds.of(keyOf(len(set), idOf(task, number)))]
		held -= len(l.facts) + len(l.tokens)
		shared := len(several) > 0 && several[0] == uint64(number)
		if shared {
			several = several[1:]
		}
		l.add(number, shared, set, first, rare)
		if held += len(l.facts) + len(l.tokens); held < roomDeal {
			return nil
		}
		return flush()
	})
	if err == nil {
		err = flush()
	}
	var gone []uint64
	if err == nil {
		err = j.each(ctx, Order, func(_ int, r *result) error {
			docs, err := r.words(replacedSection + task)
			gone = append(gone, docs...)
			return err
		})
	}
	if err != nil {
		return err
	}
	return o.sectionWords(gone)
}
