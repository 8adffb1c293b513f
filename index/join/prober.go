package join

import (
	"context"
)

// The workers that join cells.

// prober is one worker.
type prober struct {
	*cell
	demand
	counts []uint32 // by high rank: number of meetings; 0 between probes
	met    int64    // meetings in total
	shared int64    // partners that shared enough
	pairs  []uint64

	block       block
	lists       []probedBucket // buckets of the current rank, short ones first
	partnersMet []uint32
}

// relieve delivers the pairs if too many have accumulated.
func (p *prober) relieve(ctx context.Context) error {
	if len(p.pairs) <= p.most/8/len(p.tables) {
		return nil
	}
	return p.deliver(ctx)
}

// deliver delivers the pairs found so far.
func (p *prober) deliver(ctx context.Context) error {
	err := p.take(ctx, p.pairs)
	p.pairs = p.pairs[:0]
	return err
}

// probedBucket holds the high ranks of a bucket that a low rank probes with a token of a tier.
type probedBucket struct {
	highs []uint32
	tier  uint8
}
