package index

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/simdb/simdb/measure"
)

// A chunk's fingerprint has two halves of 16 bits; rotating by 0 and by 16 brings
// each to the front of one table.
const halfBits = 16

// maxRangedBits is the largest distance for which ChunkProbe looks leading halves
// up. Beyond it the lookups, 697 and more for each chunk and table, cost more
// than reading a table through.
const maxRangedBits = 5

// ChunkTables returns the tables of a kind of chunk, which is Sentence0, Entity0
// or EntityTF0, by rotation.
func ChunkTables(k Kind) [2]Kind { return [2]Kind{k, k + 1} }

// EachChunk calls yield with the postings, in both tables of a kind, of the
// chunks of a set, which are distinct.
func EachChunk(k Kind, chunks []uint32, yield func(k Kind, key uint32, count int)) {
	for _, c := range chunks {
		yield(k, c, len(chunks))
		yield(k+1, bits.RotateLeft32(c, halfBits), len(chunks))
	}
}

// ChunkProbe counts how many chunks sets share with a probe, chunks being shared
// when their fingerprints differ in at most bits. It is exact: every pair of
// near chunks is met in just one of the two tables.
type ChunkProbe struct {
	chunks []uint32
	bits   int
	counts []chunkCount // by set
	seen   []uint32     // sets with counts
}

type chunkCount struct {
	last          uint32 // number of the probe's chunk counted last, from 1
	query, shared uint32
	doc           uint32
}

// NewChunkProbe makes a probe of distinct chunks for sets numbered below sets.
func NewChunkProbe(chunks []uint32, bits int, sets uint32) *ChunkProbe {
	p := &ChunkProbe{counts: make([]chunkCount, sets)}
	p.Reset(chunks, bits)
	return p
}

// Reset makes it a probe of other chunks, for the same sets: to forget the sets
// met is less than to make counts for all.
func (p *ChunkProbe) Reset(chunks []uint32, bits int) {
	for _, set := range p.seen {
		p.counts[set] = chunkCount{}
	}
	p.chunks, p.bits, p.seen = chunks, min(max(bits, 0), 32), p.seen[:0]
}

// Add counts the sets of a segment by the tables of a kind.
func (p *ChunkProbe) Add(s Stored, k Kind) error {
	for i, q := range p.chunks { // a set's chunks near one of the probe's are met in a row
		for t, kind := range ChunkTables(k) {
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
			if t == 0 || bits.OnesCount32((c^q)>>halfBits) > p.radius(0) { // else table 0 had it
				p.meet(s, i, q, c, payload)
			}
		})
	})
}

// radius is in how many bits the leading half may differ in a table. The two
// sum to bits − 1: fingerprints outside both are bits + 1 apart.
func (p *ChunkProbe) radius(table int) int {
	if table == 0 {
		return p.bits / 2
	}
	return p.bits - 1 - p.bits/2
}

// leadRanges goes through the ranges of 32-bit keys whose leading half is within
// radius bits of q's.
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

// meet counts chunk c of a set for the probe's chunk i, which is q, if it is near.
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

// first returns the first of the probe's chunks that is near c.
func (p *ChunkProbe) first(c uint32) int {
	for i, q := range p.chunks {
		if bits.OnesCount32(c^q) <= p.bits {
			return i
		}
	}
	return len(p.chunks)
}

// Sets lists the sets met so far, in no order, each once.
func (p *ChunkProbe) Sets() []uint32 { return p.seen }

// Match returns what was counted of a set. With exact false the set has at least
// MaxCount chunks; the number is not known here.
func (p *ChunkProbe) Match(set uint32) (m measure.ChunkMatch, exact bool) {
	n := p.counts[set]
	return measure.ChunkMatch{Query: len(p.chunks), Doc: int(n.doc), QueryMatched: int(n.query), DocMatched: int(n.shared)},
		n.doc < MaxCount
}
