package index

// Finding the sets that share chunks with a probe, with two tables of their fingerprints.

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/simdb/simdb/internal/measure"
)

// A chunk's fingerprint has two halves of 16 bits. Rotating it by 0 and by 16 bits moves each
// half to the front of a table.
const halfBits = 16

// maxRangedBits is the largest distance for which ChunkProbe looks up leading halves. Beyond it
// a chunk takes 697 or more look-ups in the first table, which cost more than reading it whole.
const maxRangedBits = 5

// EachChunk calls yield with the postings of a set's chunks in both tables of a kind. The chunks
// must be distinct.
func EachChunk(k Kind, chunks []uint32, yield func(k Kind, key uint32, count int)) {
	for _, c := range chunks {
		yield(k, c, len(chunks))
		yield(k+1, bits.RotateLeft32(c, halfBits), len(chunks))
	}
}

// ChunkProbe counts the chunks that each set shares with a probe. Two chunks are near, and count as
// shared, if at most bits bits of their fingerprints differ. The counts are exact, because each
// pair of near chunks is met in exactly one of the two tables. Not safe for concurrent use.
type ChunkProbe struct {
	chunks []uint32
	bits   int
	counts []chunkCount // by set
	seen   []uint32     // sets with counts
}

// chunkCount counts the shared chunks of a set.
type chunkCount struct {
	last          uint32 // index of the probe's last counted chunk, plus 1
	query, shared uint32 // chunks of the probe near the set's, and chunks of the set near the probe's
	doc           uint32 // all chunks of the set
}

// NewChunkProbe returns a probe of distinct chunks for sets numbered below sets.
func NewChunkProbe(chunks []uint32, bits int, sets uint32) *ChunkProbe {
	p := &ChunkProbe{counts: make([]chunkCount, sets)}
	p.Reset(chunks, bits)
	return p
}

// Reset replaces the chunks of the probe, for the same sets. It clears only the counts of the sets
// met, which costs less than allocating counts for all sets.
func (p *ChunkProbe) Reset(chunks []uint32, bits int) {
	for _, set := range p.seen {
		p.counts[set] = chunkCount{}
	}
	p.chunks, p.bits, p.seen = chunks, min(max(bits, 0), 32), p.seen[:0]
}

// Add counts the sets of a segment with the two tables of a kind: Sentence0, Entity0 or EntityTF0.
// It returns an error if the segment does not keep the kind.
func (p *ChunkProbe) Add(s Stored, k Kind) error {
	for i, q := range p.chunks { // the near chunks of a set are adjacent
		for t, kind := range [2]Kind{k, k + 1} {
			if s.Runs[kind] == nil {
				return fmt.Errorf("index: segment [%d,%d) has no table %d of chunks", s.Lo, s.Hi, kind)
			}
			if err := p.addTable(s, kind, t, i, q); err != nil {
				return err
			}
		}
	}
	return nil
}

// addTable counts chunk i of the probe, q, in table t.
func (p *ChunkProbe) addTable(s Stored, kind Kind, t, i int, q uint32) error {
	run, pages := s.Runs[kind], s.Pages(kind)
	if p.bits > maxRangedBits {
		if t > 0 {
			return nil
		}
		return run.Each(pages, 0, math.MaxUint32, func(key uint64, payload uint32) {
			p.meet(s, i, q, uint32(key), payload)
		})
	}
	return leadRanges(bits.RotateLeft32(q, t*halfBits), p.radius(t), func(lo, hi uint64) error {
		return run.Each(pages, lo, hi, func(key uint64, payload uint32) {
			c := bits.RotateLeft32(uint32(key), -t*halfBits)
			if t == 0 || bits.OnesCount32((c^q)>>halfBits) > p.radius(0) { // otherwise table 0 has counted it
				p.meet(s, i, q, c, payload)
			}
		})
	})
}

// radius returns the number of bits in which the leading half may differ in a table. The two radii
// sum to bits − 1, so fingerprints outside of both are at least bits + 1 apart.
func (p *ChunkProbe) radius(table int) int {
	if table == 0 {
		return p.bits / 2
	}
	return p.bits - 1 - p.bits/2
}

// leadRanges calls yield for the ranges of 32-bit keys with a leading half within radius bits of that
// of q, until yield returns an error.
func leadRanges(q uint32, radius int, yield func(lo, hi uint64) error) error {
	for k := range radius + 1 {
		for flips := range Masks(k) {
			lead := uint64(q>>halfBits) ^ flips
			if err := yield(lead<<halfBits, lead<<halfBits|(1<<halfBits-1)); err != nil {
				return err
			}
		}
	}
	return nil
}

// meet counts chunk c of a set for chunk q with index i of the probe, if they are near.
func (p *ChunkProbe) meet(s Stored, i int, q, c uint32, payload uint32) {
	rel := payload & setMask
	set := s.Lo + rel
	if bits.OnesCount32(c^q) > p.bits || rel >= s.Hi-s.Lo || int(set) >= len(p.counts) {
		return // not near, or a damaged page
	}
	n := &p.counts[set]
	if n.doc == 0 {
		p.seen = append(p.seen, set)
		n.doc = uint32(countOf(payload))
	}
	if n.last != uint32(i)+1 {
		n.last = uint32(i) + 1
		n.query++
	}
	if p.first(c) == i {
		n.shared++
	}
}

// first returns the index of the probe's first chunk that is near c.
func (p *ChunkProbe) first(c uint32) int {
	for i, q := range p.chunks {
		if bits.OnesCount32(c^q) <= p.bits {
			return i
		}
	}
	return len(p.chunks)
}

// Sets returns the sets met so far, each once, in no order.
func (p *ChunkProbe) Sets() []uint32 { return p.seen }

// Match returns the counts of a set. exact is false if the set has MaxCount chunks or more, so
// that their number is unknown.
func (p *ChunkProbe) Match(set uint32) (m measure.ChunkMatch, exact bool) {
	n := p.counts[set]
	return measure.ChunkMatch{Query: len(p.chunks), Doc: int(n.doc), QueryMatched: int(n.query), DocMatched: int(n.shared)},
		n.doc < MaxCount
}
