package join

import (
	"context"
	"slices"

	"github.com/simdb/simdb/index"
)

// This file reads tokens for a join by shared members, and makes buckets of them.

// overlapBuckets takes the buckets of tokens: low ranks probe high ones. Both ascend, and
// are written over.
type overlapBuckets interface {
	bucket(lows, highs []uint32) error
	full() bool
}

// overlapReader reads a range of tokens. One worker uses it.
type overlapReader struct {
	*overlapJoin
	next, end uint64 // of the tokens to come
	sorter    index.Sorter
	words     []uint64   // token<<34 | side<<33 | rank<<1 | probes
	seen      []uint8    // of some bits of a token: who has it
	total     []uint32   // of a rank: its tokens of this round that probe; nil: nobody asks
	ranks     [][]uint32 // of the sets of each side
	lists     [4][]uint32
	read      int64
}

// What is seen of tokens: that a set of a side has one, and that one probes with it. With
// one side the second is another set, or the same once more.
const (
	seenAny = 1 << iota
	seenAgain
	seenProbing
	seenProbingToo
)

func (j *overlapJoin) readers(total func(worker int) []uint32) (out []*overlapReader) {
	for i := range uint64(j.workers) {
		r := &overlapReader{
			overlapJoin: j, total: total(int(i)), seen: make([]uint8, j.slots()),
			next: tokens * i / uint64(j.workers), end: tokens * (i + 1) / uint64(j.workers),
		}
		first := uint32(0)
		for _, s := range j.Sides {
			r.ranks = append(r.ranks, r.rankOf[first:][:s.Sets.Len()])
			first = j.second
		}
		out = append(out, r)
	}
	return out
}

// fill reads as many tokens as there is room for in buckets. Most tokens take none: one
// set alone has them, or nobody probes with them.
func (r *overlapReader) fill(ctx context.Context, to *overlapTable) error {
	clear(r.total)
	to.clear()
	if err := r.readTo(ctx, to); err != nil {
		return err
	}
	to.findPlaces()
	return nil
}

func (r *overlapReader) readTo(ctx context.Context, to overlapBuckets) error {
	for r.next < r.end && !to.full() {
		end := min(r.end, r.next+r.width)
		read := r.read
		if err := r.add(ctx, r.next, end); err != nil {
			return err
		}
		r.reading.Add(int(r.read - read))
		if err := r.cut(r.sorter.Sort(r.shared()), to); err != nil {
			return err
		}
		r.next = end
	}
	return nil
}

// add reads the tokens in [from,end): first those parts of both sides that have tokens
// which probe, then of the others those that some set probes with.
func (r *overlapReader) add(ctx context.Context, from, end uint64) error {
	r.words = r.words[:0]
	clear(r.seen)
	for part := range index.Parts {
		for i := range r.Sides {
			if part < r.probed[i] {
				if err := r.addPart(ctx, i, part, from, end); err != nil {
					return err
				}
			}
		}
	}
	for part := range index.Parts {
		for i := range r.Sides {
			if part >= r.probed[i] {
				if err := r.addOthers(ctx, i, part, from, end); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// slot is where it is seen what a token is.
func (r *overlapReader) slot(token uint64) *uint8 {
	return &r.seen[uint32(token*0x9e3779b1)>>8&uint32(len(r.seen)-1)]
}

func (r *overlapReader) addPart(ctx context.Context, i, part int, from, end uint64) error {
	ranks, side := r.ranks[i], uint64(i)<<33
	return r.Sides[i].Tokens.Read(ctx, part, from, end, func(token uint64, set uint32, tier uint8) {
		r.read++
		if int(set) >= len(ranks) || ranks[set] == hole {
			return
		}
		x, slot := ranks[set], r.slot(token)
		rank := x % mostOverlapSets
		word := token<<34 | side | uint64(rank)<<1
		if uint32(tier) <= x>>overlapRankBits {
			word |= 1
			*slot |= seenProbing << i
			if r.total != nil {
				r.total[rank]++
			}
		}
		r.meet(slot, i)
		r.words = append(r.words, word)
	})
}

// meet notes that a set of a side has a token.
func (r *overlapReader) meet(slot *uint8, side int) {
	if len(r.Sides) == 1 {
		*slot |= *slot & seenAny << 1
	}
	*slot |= seenAny << side
}

// addOthers adds the tokens of a part in which nothing probes.
func (r *overlapReader) addOthers(ctx context.Context, i, part int, from, end uint64) error {
	ranks, side := r.ranks[i], uint64(i)<<33
	asked := uint8(seenProbing)
	if len(r.Sides) > 1 && i == 0 {
		asked = seenProbingToo
	}
	return r.Sides[i].Tokens.Read(ctx, part, from, end, func(token uint64, set uint32, _ uint8) {
		r.read++
		slot := r.slot(token)
		if *slot&asked == 0 || int(set) >= len(ranks) || ranks[set] == hole {
			return
		}
		r.meet(slot, i)
		r.words = append(r.words, token<<34|side|uint64(ranks[set]%mostOverlapSets)<<1)
	})
}

// shared returns the words of tokens that somebody probes with and another one has.
func (r *overlapReader) shared() []uint64 {
	out := r.words[:0]
	for _, x := range r.words {
		seen := *r.slot(x >> 34)
		probes := seen >> 2
		if len(r.Sides) > 1 {
			seen = seen>>1&1 | seen<<1&2 // who has what the other probes with
		} else {
			seen = seen >> 1 & 1
		}
		if seen&probes != 0 {
			out = append(out, x)
		}
	}
	return out
}

// cut makes buckets of sorted words.
func (r *overlapReader) cut(words []uint64, to overlapBuckets) error {
	for i, n := 0, 0; i < len(words); i += n {
		token := words[i] >> 34
		for n = 1; i+n < len(words) && words[i+n]>>34 == token; n++ {
		}
		if n == 1 {
			continue
		}
		bucket := words[i:][:n]
		if !slices.IsSorted(bucket) { // SortEntries promises nothing of payloads
			slices.Sort(bucket)
		}
		lists := &r.lists // that probe, and all, of each side
		for k := range lists {
			lists[k] = lists[k][:0]
		}
		for _, x := range bucket {
			side, rank := x>>33&1*2, uint32(x>>1)
			if lists[side+1] = append(lists[side+1], rank); x&1 > 0 {
				lists[side] = append(lists[side], rank)
			}
		}
		var err error
		if len(r.Sides) == 1 {
			err = emit(to, lists[0], lists[1])
		} else if err = emit(to, lists[0], lists[3]); err == nil {
			err = emit(to, lists[2], lists[1])
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// emit hands over a bucket without the ranks that meet nobody.
func emit(to overlapBuckets, lows, highs []uint32) error {
	if len(lows) == 0 || len(highs) == 0 {
		return nil
	}
	n, _ := slices.BinarySearch(lows, highs[len(highs)-1])
	if lows = lows[:n]; n == 0 {
		return nil
	}
	n, _ = slices.BinarySearch(highs, lows[0]+1)
	return to.bucket(lows, highs[n:])
}
