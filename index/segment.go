package index

import (
	"context"

	"github.com/simdb/simdb/measure"
	"github.com/simdb/simdb/shingle"
)

// Kind names the runs of a posting segment.
type Kind uint8

const (
	Prefix   Kind = iota // key: token (high 32 bits of a shingle hash); payload: Entry
	Interval             // key: 32-bit hash of (shingle, interval); payload: Entry
	Rotated0             // key: SimHash rotated left by 0 bits; payload: set − Lo
	Rotated16
	Rotated32
	Rotated48
	Kinds // the number of kinds
)

// MaxSegmentSpan is the largest Hi − Lo: an Entry has 22 bits for the set.
const MaxSegmentSpan = 1 << 22

// Segment is the directory of one posting segment: the runs over the sets
// numbered Lo ≤ n < Hi, all in one Order. A nil run is not kept.
type Segment struct {
	Lo, Hi uint32
	Sets   uint32 // sets it holds; the other numbers were holes or dead
	Runs   [Kinds]*Run
}

// Reader gives the pages of a stored segment.
type Reader interface {
	Pages(k Kind) Pages
}

// Stored is a segment with its pages.
type Stored struct {
	*Segment
	Reader
}

// Emit stores one page of a run under construction; pages come in order.
type Emit func(k Kind, page int, data []byte) error

// Layout is what the postings of a collection depend on beside its sets.
type Layout struct {
	Order     *Order
	Tiers     Tiers
	Intervals Intervals // empty: no interval buckets
}

// Builder collects the postings of a range of sets in memory.
type Builder struct { /* stub */
}

func NewBuilder(l Layout, lo uint32) *Builder { panic("stub") }

// Add takes the next set; numbers ascend.
func (b *Builder) Add(set uint32, bag shingle.Bag, simHash uint64) { panic("stub") }

// Bytes is the memory held by the postings so far.
func (b *Builder) Bytes() int { panic("stub") }

// Finish sorts, emits the pages and returns the directory for [lo, hi). The
// builder must not be used again.
func (b *Builder) Finish(hi uint32, emit Emit) (*Segment, error) { panic("stub") }

// Merge writes the entries of neighbouring segments of one Order, ascending by
// range, as one segment, dropping the sets that live refuses. It streams.
func Merge(ctx context.Context, segments []Stored, live func(set uint32) bool, emit Emit) (*Segment, error) {
	panic("stub")
}

// Probe is one side of a search, prepared for a Layout.
type Probe struct {
	Bag    shingle.Bag
	Facts  Facts
	MinSim measure.Threshold
	Ranked []uint64 // members in the Layout's order; filled by Layout.Probe
}

// Probe prepares a search for sets with resemblance ≥ t to the bag.
func (l Layout) Probe(bag shingle.Bag, f Facts, t measure.Threshold) *Probe { panic("stub") }

// Candidates appends the numbers of the sets of the segment that share a prefix
// bucket (kind Prefix, safe for Jaccard at MinSim ≥ the last tier) or an
// interval bucket (kind Interval, lossy) with the probe and pass the coarse
// length class test; ascending, each once. buckets and postings count the work.
func (p *Probe) Candidates(l Layout, s Stored, k Kind, dst []uint32) (out []uint32, buckets, postings int, err error) {
	panic("stub")
}

// EstimatePostings predicts, from the order's frequencies, how many postings a
// Prefix probe reads in an index of n sets.
func (p *Probe) EstimatePostings(l Layout, n int) float64 { panic("stub") }

// Postings calls yield with the key and the Entry payload (relative to lo)
// of every Prefix (or Interval) posting the set must have: the definition
// that Builder follows and that a check recomputes.
func (l Layout) Postings(k Kind, bag shingle.Bag, rel uint32, yield func(key uint64, payload uint32)) {
	panic("stub")
}

// Scan calls yield for every entry of a run, in order.
func Scan(r *Run, p Pages, yield func(key uint64, payload uint32) error) error { panic("stub") }

// PayloadSet returns the set, relative to Lo, of a payload of kind k.
func PayloadSet(k Kind, payload uint32) uint32 { panic("stub") }
