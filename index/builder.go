package index

// Collecting the postings of a new segment and writing its runs.

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"

	"github.com/simdb/simdb/internal/shingle"
)

// Builder collects the postings of a range of sets in memory. Add the sets in order, then
// Finish. Not safe for concurrent use.
type Builder struct {
	layout   Layout
	lo       uint32
	sets     uint32
	next     uint64             // smallest set that Add accepts
	postings [Kinds]radixBuffer // without the rotated tables
	hashes   []hashed
	ranked   []uint64
	words    []uint64 // postings of one set
}

// hashed is the fingerprint of a set, relative to lo.
type hashed struct {
	simHash uint64
	rel     uint32
}

// NewBuilder returns a builder for the sets from lo on.
func NewBuilder(l Layout, lo uint32) *Builder {
	return &Builder{layout: l, lo: lo, next: uint64(lo)}
}

// Add adds the next set. It panics unless numbers ascend and stay below lo + MaxSegmentSpan. A
// bag without shingles gets no postings.
func (b *Builder) Add(set uint32, bag shingle.Bag, simHash uint64) {
	if uint64(set) < b.next || set-b.lo >= MaxSegmentSpan {
		panic(fmt.Sprintf("index: set %d added to a segment from %d at %d", set, b.lo, b.next))
	}
	b.next = uint64(set) + 1
	if len(bag.Set) == 0 {
		return
	}
	rel := set - b.lo
	b.sets++
	b.hashes = append(b.hashes, hashed{simHash, rel})
	b.words = b.words[:0]
	b.ranked = b.layout.postings(b.ranked[:0], bag, rel, func(key uint64, payload uint32) {
		b.words = append(b.words, key<<32|uint64(payload))
	})
	b.postings[Prefix].add(b.words)
}

// Post adds a posting of a kind from Sentence0 on to the last added set.
func (b *Builder) Post(k Kind, key uint32, count int) {
	b.postings[k].add([]uint64{uint64(key)<<32 | uint64(Counted(uint32(b.next-1)-b.lo, count))})
}

// Postings calls yield for every Prefix posting that a set must have, with its key and its
// payload relative to lo. This is the definition: Builder follows it, and a check recomputes it.
func (l Layout) Postings(bag shingle.Bag, rel uint32, yield func(key uint64, payload uint32)) {
	l.postings(nil, bag, rel, yield)
}

// postings is Postings that ranks the set in reused memory, which it returns.
func (l Layout) postings(ranked []uint64, bag shingle.Bag, rel uint32, yield func(key uint64, payload uint32)) []uint64 {
	ranked = l.Order.Rank(ranked, bag.Set)
	i := 0
	for tier, t := range tiers {
		part := PartOf(uint8(tier))
		for end := PrefixLen(len(ranked), t); i < end; i++ {
			yield(PartKey(part, token(ranked[i])), l.entry(part, uint8(tier), l.middle(part, bag, ranked[i]), rel))
		}
	}
	return ranked
}

// Bytes returns the memory of the postings so far, plus the memory that Finish needs to sort
// them.
func (b *Builder) Bytes() int {
	sum := 32 * cap(b.hashes)
	for k := range b.postings {
		sum += b.postings[k].bytes()
	}
	return sum
}

// Finish sorts the postings, emits the pages and returns the directory for [lo, hi). The builder
// must not be used afterwards.
func (b *Builder) Finish(hi uint32, emit Emit) (*Segment, error) {
	if uint64(hi) < b.next || hi-b.lo > MaxSegmentSpan {
		return nil, fmt.Errorf("index: segment [%d,%d) does not fit its sets", b.lo, hi)
	}
	seg := &Segment{Lo: b.lo, Hi: hi, Sets: b.sets}
	shingles := newPostingWriter(b.layout, emit, nil)
	err := b.postings[Prefix].drain(shingles.write) // sets ascended, so sorting from the interval up suffices
	if err == nil {
		seg.Runs[Prefix], seg.Runs[Frequent], err = shingles.finish()
	}
	if err != nil {
		return nil, err
	}
	for k := Sentence0; k < Kinds; k++ {
		if !b.layout.Keeps(k) {
			continue
		}
		w := wordWriter{runWriter: runWriter{kind: k, emit: emit}}
		if err := b.postings[k].drain(w.write); err != nil {
			return nil, err
		}
		if seg.Runs[k], err = w.finish(); err != nil {
			return nil, err
		}
	}
	for k := Rotated0; k <= Rotated48; k++ {
		run, err := b.writeRotated(k, emit)
		if err != nil {
			return nil, err
		}
		seg.Runs[k] = run
	}
	return seg, nil
}

// writeRotated writes one rotated table.
func (b *Builder) writeRotated(k Kind, emit Emit) (*Run, error) {
	turn := BlockBits * int(k-Rotated0)
	turned := func(i uint64) uint64 { return bits.RotateLeft64(b.hashes[i&setMask].simHash, turn) }
	// Entries are sorted by their high bits. The low bits hold the index of the hash.
	words := make([]uint64, len(b.hashes))
	for i := range words {
		words[i] = turned(uint64(i))&^setMask | uint64(i)
	}
	if len(words) < digits {
		slices.Sort(words)
	} else {
		words = distribute(words, make([]uint64, len(words)), setBits, 64)
	}
	w := flatWriter{runWriter: runWriter{kind: k, emit: emit}}
	for i := 0; i < len(words); {
		n := 1
		for i+n < len(words) && (words[i]^words[i+n])>>setBits == 0 {
			n++
		}
		alike := words[i : i+n]
		if n > 1 {
			slices.SortFunc(alike, func(x, y uint64) int {
				return cmp.Or(cmp.Compare(turned(x), turned(y)), cmp.Compare(x, y))
			})
		}
		for _, x := range alike {
			if err := w.add(turned(x), b.hashes[x&setMask].rel); err != nil {
				return nil, err
			}
		}
		i += n
	}
	return w.finish()
}
