package join

import (
	"context"
	"math/bits"
	"slices"
	"sync/atomic"

	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/internal/progress"
	"golang.org/x/sync/errgroup"
)

// Reading tokens, and making buckets of them.

// Flags of tokens: a set of a side has the token, and a set may probe with it. With one side the
// second flag means another set, or the same set again.
const (
	seenAny = 1 << iota
	seenAgain
	seenProbing
	seenProbingToo
)

// tokens reads and deals all tokens.
func (d *deal) tokens(ctx context.Context) (extents, error) {
	total := int64(0)
	for _, s := range d.Sides {
		total += s.Tokens.Count(index.PartOf(d.met) + 1)
	}
	ctx, stage := progress.Begin(ctx, "tokens read", total)
	dealt, memory := make(extents, d.workers), d.apart.Apart()
	defer memory.Free()
	var next, read atomic.Int64
	g, ctx := errgroup.WithContext(ctx)
	for i := range d.workers {
		r := d.reader(writerIn(d.dealt, d.cells, memory.Halves(d.cells*d.buffer)))
		g.Go(func() error {
			for {
				from := uint64(next.Add(1)-1) * d.width
				if from >= tokens {
					dealt[i] = r.extents
					return r.flushAll()
				}
				n, err := r.tokens(ctx, from, min(from+d.width, tokens))
				if err != nil {
					return err
				}
				read.Add(int64(n))
				stage.Add(n)
			}
		})
	}
	err := g.Wait()
	d.stats.Postings = read.Load()
	return dealt, err
}

// reader returns a dealer that writes to w.
func (d *deal) reader(w *writer) *dealer {
	r := &dealer{deal: d, writer: w}
	r.shift = d.suffixShift()
	r.seen = make([]uint8, 2*mostSorted)
	first := uint32(0)
	for _, s := range d.Sides {
		r.reader.ranks = append(r.reader.ranks, d.rankOf[first:][:s.Sets.Len()])
		first = d.second
	}
	return r
}

// suffixShift returns the number of bits omitted of a suffixed token, so that the tokens of a
// range fit 30 bits. A member may be in the first part of one set, and in the second of another,
// which has no suffixes.
func (d *deal) suffixShift() int {
	if index.PartOf(d.met) > 0 {
		return index.SuffixBits
	}
	return max(bits.Len64(d.width-1)+index.SuffixBits-index.TokenBits, 0)
}

// tokens reads the tokens in [from,end) and deals their buckets. Most tokens yield none, because
// only one set has them or no set probes with them. So it first reads the parts of both sides
// that have probing tokens, then from the others only tokens that some set probes with.
func (d *dealer) tokens(ctx context.Context, from, end uint64) (n int, err error) {
	d.words, d.read, d.reader.from = d.words[:0], 0, from<<index.SuffixBits
	clear(d.seen)
	for _, probing := range []bool{true, false} {
		for part := range index.PartOf(d.met) + 1 {
			for i := range d.Sides {
				if probing == (part < d.probedParts(i)) {
					if err := d.add(ctx, i, part, probing, from, end); err != nil {
						return 0, err
					}
				}
			}
		}
	}
	return d.read, d.cut(d.sorter.Sort(d.shared()))
}

// add reads the tokens of a part of a side. probing: its sets probe.
func (d *dealer) add(ctx context.Context, i, part int, probing bool, from, end uint64) error {
	sets, side, met, probed := len(d.reader.ranks[i]), uint64(i)<<33, d.met, d.probed[i]
	asked, self := uint8(seenProbing), len(d.Sides) == 1
	if !self && i == 0 {
		asked = seenProbingToo
	}
	return d.Sides[i].Tokens.Read(ctx, part, from, end, func(suffixed uint64, set uint32, tier uint8) {
		d.read++
		token := (suffixed - d.reader.from) >> d.shift
		slot := d.slot(token)
		if tier > met || !probing && *slot&asked == 0 || int(set) >= sets {
			return
		}
		if self {
			*slot |= *slot & seenAny << 1
		}
		*slot |= seenAny << i
		if tier < probed {
			*slot |= seenProbing << i
		}
		d.words = append(d.words, token<<34|side|uint64(set)<<4|uint64(tier)<<1)
	})
}

// shared returns the words of tokens that one set may probe with and another has. Only now are
// ranks looked up, which are scattered in memory, since most tokens are in one set. A loop of
// its own lets the cache misses overlap.
func (d *dealer) shared() []uint64 {
	var met [16]bool
	for seen := range met {
		if len(d.Sides) == 1 {
			met[seen] = seen&seenAgain > 0 && seen&seenProbing > 0
		} else {
			met[seen] = seen&seenAny > 0 && seen&seenProbingToo > 0 || seen&seenAgain > 0 && seen&seenProbing > 0
		}
	}
	all := d.words[:0]
	for _, x := range d.words {
		if met[*d.slot(x >> 34)&15] {
			all = append(all, x)
		}
	}
	out := all[:0]
	for _, x := range all {
		rank := d.reader.ranks[x>>33&1][x>>4&rankMask]
		if rank == hole {
			continue
		}
		x = x&^(rankMask<<4) | uint64(rank&rankMask)<<4
		if uint8(x>>1)&lastTier <= uint8(rank>>rankBits) {
			x |= 1
		}
		out = append(out, x)
	}
	return out
}

// cut makes buckets of sorted words.
func (d *dealer) cut(words []uint64) error {
	for i, n := 0, 0; i < len(words); i += n {
		token := words[i] >> 34
		for n = 1; i+n < len(words) && words[i+n]>>34 == token; n++ {
		}
		if n == 1 {
			continue
		}
		bucket := words[i:][:n]
		if !slices.IsSorted(bucket) { // Sort does not order payloads
			slices.Sort(bucket)
		}
		lists := &d.lists // by side: probing ranks, and all ranks
		for k := range lists {
			lists[k] = lists[k][:0]
		}
		for _, x := range bucket {
			side, rank := x>>33&1*2, uint32(x>>4)&rankMask
			if lists[side+1] = append(lists[side+1], rank); x&1 > 0 {
				lists[side] = append(lists[side], rank|uint32(x>>1&lastTier)<<rankBits)
			}
		}
		var err error
		if len(d.Sides) == 1 {
			err = d.bucket(lists[0], lists[1])
		} else if err = d.bucket(lists[0], lists[3]); err == nil {
			err = d.bucket(lists[2], lists[1])
		}
		if err != nil {
			return err
		}
	}
	return nil
}
