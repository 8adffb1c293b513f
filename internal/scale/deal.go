package scale

// The stage deal: the sets of a shard are dealt to the stretches of their sizes, with what a
// join needs of them: the facts, and the first tokens by the order. Two sets that are a pair
// have a common one among these. Tokens that occur in one set of all are left out. A join by
// signatures needs no tokens.
//
// There are two sections for each stretch, again and again where memory is full. The last
// section has the documents of the shard that a later one replaces (u64).
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
	roomDeal = 8 << 20 // words held before they are written
)

// prefixLen is how many of the members of a set are in the prefixes that have a common one of
// every pair: all where a pair may be next to nothing of the larger set.
func (r rule) prefixLen(size int) int {
	if r.directed {
		return size
	}
	return index.PrefixLen(size, index.Tiers()[index.TierOf(r.min)])
}

// dealt is what is held of a stretch.
type dealt struct {
	facts, tokens []uint64
	sets          uint64
}

// add adds a set, and the first of its tokens.
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

func (j *Job) deal(ctx context.Context, task int, o *output, _ *Record) error {
	return j.with(Analyse, task, func(shard *result) error { return j.dealShard(ctx, task, shard, o) })
}

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
		clear(lists) // an input that is sorted by length fills them in turn
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
