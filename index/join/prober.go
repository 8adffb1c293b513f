package join

import (
	"context"
)

// A worker that joins cells.

// prober is one worker.
type prober struct {
	*cell
	demand
	counts []uint32 // of a high rank: how often it was met; 0 between probes
	met    int64    // counted in all
	shared int64    // partners that shared enough
	pairs  []uint64

	block       block
	lists       []probedBucket // the buckets of the rank at hand, short ones first
	partnersMet []uint32
}

// relieve hands pairs over if there are too many.
func (p *prober) relieve(ctx context.Context) error {
	if len(p.pairs) <= p.most/8/len(p.tables) {
		return nil
	}
	return p.deliver(ctx)
}

// deliver hands over the pairs that were found.
func (p *prober) deliver(ctx context.Context) error {
	err := p.take(ctx, p.pairs)
	p.pairs = p.pairs[:0]
	return err
}

// probedBucket is the high ranks of a bucket that a low one probes with a token of a tier.
type probedBucket struct {
	highs []uint32
	tier  uint8
}
