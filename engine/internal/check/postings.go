package check

// Postings against those derived from texts. Order-independent sums detect differences, because a
// run and the texts have different orders and memory does not hold all postings.

import (
	"context"
	"fmt"
	"math/bits"

	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/engine/internal/segment"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/internal/progress"
)

// expect adds up the postings that the set must have in its segment.
func (c *check) expect(v *view.View, set uint32, p record.Posted, simHash uint64, out *checkedSet) {
	seg := v.Postings.SegmentOf(set)
	l := v.Layout(v.Postings.Order)
	v.Kept.Postings(p.Features, func(k index.Kind, key uint32, count int) {
		out.sums[k] += postingSum(uint64(key), index.Counted(set-seg.Lo, count))
	})
	l.Postings(p.Bag, set-seg.Lo, func(key uint64, payload uint32) {
		out.sums[index.Prefix] += postingSum(key, payload)
	})
	for k := index.Rotated0; k < index.Sentence0; k++ {
		out.sums[k] = postingSum(bits.RotateLeft64(simHash, 16*int(k-index.Rotated0)), set-seg.Lo)
	}
}

// postingSum hashes one posting. The sum over a set's postings does not depend on their order.
func postingSum(key uint64, payload uint32) uint64 {
	h, l := bits.Mul64(key^0x9e3779b97f4a7c15, uint64(payload)<<1|1<<40|1)
	return bits.RotateLeft64(h, 29) ^ l*0xd6e8feb86659fd93 ^ key
}

// postings reads every run and compares the sums.
func (c *check) postings(ctx context.Context, v *view.View, sets []checkedSet) error {
	var entries uint64
	for _, seg := range v.Postings.Segments {
		for _, run := range seg.Runs {
			if run != nil {
				entries += run.Entries
			}
		}
	}
	ctx, stage := progress.Begin(ctx, "postings checked", int64(entries))
	for _, seg := range v.Postings.Segments {
		if err := c.m.Interrupted(ctx); err != nil {
			return err
		}
		for k, run := range seg.Runs {
			kind := index.Kind(k)
			if run == nil || kind == index.Frequent { // run checks Frequent together with Prefix
				continue
			}
			if err := c.reportError(ctx, v, ofRun(seg, kind), c.run(ctx, v, seg, kind, sets)); err != nil {
				return err
			}
			stage.Add(int(run.Entries))
		}
	}
	return nil
}

// ofRun locates a problem in a run of a segment.
func ofRun(seg *segment.Segment, kind index.Kind) at {
	return at{kind: KindPostings, place: fmt.Sprintf("segment %d, run %d", seg.Number, kind)}
}

// run compares one run with the expected sums, set by set.
func (c *check) run(ctx context.Context, v *view.View, seg *segment.Segment, kind index.Kind, sets []checkedSet) error {
	sums := make([]uint64, seg.Hi-seg.Lo)
	kinds := []index.Kind{kind}
	// Frequent extends Prefix, and the expected sum of Prefix covers both.
	if kind == index.Prefix && seg.Runs[index.Frequent] != nil {
		kinds = index.ShingleKinds[:]
	}
	for _, kind := range kinds {
		if err := c.sum(ctx, seg, kind, sums); err != nil {
			return err
		}
	}
	for rel, sum := range sums {
		set := seg.Lo + uint32(rel)
		if s := &sets[set]; s.seen.Load() && s.sums[kind] != sum {
			where := ofRun(seg, kind)
			where.id = c.someID(v, set)
			c.problem(v, where, "its postings in run %d of segment %d differ from those of the text", kind, seg.Number)
		}
	}
	return nil
}

// sum adds the postings of a run to the sums of their sets.
func (c *check) sum(ctx context.Context, seg *segment.Segment, kind index.Kind, sums []uint64) error {
	run := seg.Runs[kind]
	var entries, last uint64
	err := index.Scan(run, seg.ReadThrough(1, nil).Reader.Pages(kind), func(key uint64, payload uint32) error {
		if entries++; entries%4096 == 0 {
			if err := c.m.Interrupted(ctx); err != nil {
				return err
			}
		}
		set := index.PayloadSet(kind, payload)
		if int(set) >= len(sums) || key < last {
			return fault.Corrupt("run %d of segment %d: entry %d is out of place", kind, seg.Number, entries)
		}
		last = key
		sums[set] += postingSum(key, payload)
		return nil
	})
	if err != nil {
		return segment.PageError(err)
	}
	c.report.Postings += int64(entries)
	if entries != run.Entries {
		return fault.Corrupt("run %d of segment %d has %d entries, its directory says %d", kind, seg.Number, entries, run.Entries)
	}
	return nil
}

// someID returns the first document of a set, for messages.
func (c *check) someID(v *view.View, set uint32) string {
	r := c.m.Reader(v)
	defer r.Close()
	ids, err := r.IDs(set, nil)
	if err != nil || len(ids) == 0 {
		return ""
	}
	return ids[0]
}
