package join

import (
	"context"
	"math"
	"slices"

	"github.com/simdb/simdb/index"
)

// This file reads the postings of all segments side by side, in the order of
// their keys, into the ranges of the workers.

// bucketSink takes buckets of two postings or more, rank<<1 | long, in any order.
// It may write over them.
type bucketSink interface {
	addBucket(bucket []uint32) error
	full() bool
}

// readBuckets reads the buckets of p's next keys, of all segments side by side,
// until to is full.
func (j *postingJoin) readBuckets(ctx context.Context, p *keySpan, to bucketSink) error {
	lo, hi := p.next, p.end
	var sources []*keySource
	for _, s := range j.segments {
		run := s.Runs[j.kind]
		for part := range j.parts {
			c := run.From(s.Pages(j.kind), index.PartKey(part, lo))
			src := &keySource{postingJoin: j, Cursor: c, lo: s.Lo, hi: s.Hi, part: index.PartKey(part, 0), end: hi}
			if err := src.skipTo(ctx, lo); err != nil {
				return err
			}
			sources = append(sources, src)
		}
	}
	keys := make([]uint64, len(sources)+1) // side by side in memory, because each is looked at for every bucket
	for i, s := range sources {
		keys[i] = s.key
	}
	keys[len(sources)] = math.MaxUint64
	var bucket []uint32
	for !to.full() {
		key := slices.Min(keys)
		if key == math.MaxUint64 {
			p.next = p.end
			return nil
		}
		bucket = bucket[:0]
		for i, s := range sources {
			if keys[i] != key {
				continue
			}
			for s.key == key {
				bucket = s.take(bucket)
				if err := s.look(ctx); err != nil {
					return err
				}
			}
			keys[i] = s.key
		}
		p.next = key + 1
		p.stats.Postings += int64(len(bucket))
		if len(bucket) > 1 {
			if err := to.addBucket(bucket); err != nil {
				return err
			}
		}
	}
	return nil
}

// keySource reads one segment for readBuckets. Its payloads are rank<<1 | long,
// as in a bucket, or noRank.
type keySource struct {
	*postingJoin
	index.Cursor
	lo, hi uint32 // the segment's sets
	part   uint64 // key where its part begins
	end    uint64 // tokens
	key    uint64 // token of the next entry; MaxUint64 at the end
}

func (s *keySource) skipTo(ctx context.Context, lo uint64) error {
	for {
		if err := s.look(ctx); err != nil || s.key == math.MaxUint64 || s.Keys[s.At] >= s.part+lo {
			return err
		}
		s.At++
	}
}

// take appends to a bucket the postings of its key that the current page has.
func (s *keySource) take(bucket []uint32) []uint32 {
	key, keys, at := s.Keys[s.At], s.Keys, s.At
	for ; at < len(keys) && keys[at] == key; at++ {
		if r := s.Payloads[at]; r != noRank {
			bucket = append(bucket, r)
		}
	}
	s.At = at
	return bucket
}

// look sets s.key to the next key.
func (s *keySource) look(ctx context.Context) error {
	if s.At == len(s.Keys) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if ok, err := s.Fill(); err != nil || !ok {
			s.key = math.MaxUint64
			return err
		}
		s.rank()
		s.reading.Add(len(s.Payloads))
	}
	if key := s.Keys[s.At]; key < s.part {
		s.key = 0
	} else if s.key = key - s.part; s.key >= s.end {
		s.key = math.MaxUint64
	}
	return nil
}

const noRank = math.MaxUint32 // for a posting whose tier is not read, or whose set has ended

// rank looks up the ranks of all postings of a page together, so that the waits
// for memory overlap.
func (s *keySource) rank() {
	for i, e := range s.Payloads {
		set, tier := s.lo+index.PayloadSet(s.kind, e), s.layout.Tier(e)
		r := uint32(noRank)
		if tier <= s.tier && set < s.hi && int(set) < len(s.rankOf) && s.rankOf[set] != hole {
			r = s.rankOf[set] << 1
			if tier > s.short {
				r |= 1
			}
		}
		s.Payloads[i] = r
	}
}
