package engine

import (
	"context"
	"fmt"
	"math"

	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/index/join"
	"github.com/simdb/simdb/sketch"
)

// joinAccess chooses how a join finds candidates: by the postings, if they
// serve; by the signatures in memory; or, where those are too narrow for the
// threshold and would leave most of the work to the comparison of texts, by
// wide ones that are made for the call. Then the ranks returned have these.
func (s *Snapshot) joinAccess(ctx context.Context, v *view, ranks *join.Ranks, memory *joinMemory, access Access, why string) (Access, string, *join.Ranks, error) {
	// A pair that is no match is compared in a microsecond if its bags are at
	// hand; where there are many such pairs, bags do not stay.
	const nanosPerPass = 4000
	signature := join.SignaturesCost(ranks)
	passes := ranks.SignaturePasses() * nanosPerPass
	members, tail := 0.0, 0.0
	for _, set := range v.live(0, v.next) {
		n := float64(v.table.Size(set).Distinct)
		if members += n; set >= v.index.built {
			tail += n
		}
	}
	wide := 1.5*signature + members*nanosPerMember
	prefix := tail*nanosPerMember + passes
	signature += passes
	if access != AccessPrefix {
		prefix, why = 2*(signature+wide), why+"; "
	} else {
		why = ""
		if prefix < min(signature, wide) {
			nanos, err := join.PostingsCost(ctx, ranks, s.readThrough(ctx, v), v.layout(v.index.order), index.Prefix)
			if err != nil {
				return "", "", nil, pageError(err)
			}
			prefix += nanos
		}
		why = fmt.Sprintf("postings ≈ %.0f ms, ", prefix/1e6)
	}
	why = fmt.Sprintf("join: %ssignatures ≈ %.0f ms, wide ones ≈ %.0f ms", why, signature/1e6, wide/1e6)
	switch {
	case prefix <= min(signature, wide):
		return AccessPrefix, why, ranks, nil
	case signature <= wide:
		return AccessSignature, why, ranks, nil
	}
	wider, err := s.wideSignatures(ctx, v, ranks, memory)
	if wider != nil {
		ranks = ranks.With(wider)
	}
	return AccessSignature, why, ranks, err
}

// wideSignatures makes signatures from the texts, by set; nil if they would take
// more than three quarters of the memory that a join may use.
func (s *Snapshot) wideSignatures(ctx context.Context, v *view, ranks *join.Ranks, memory *joinMemory) (func(set uint32) sketch.Signature, error) {
	sets := v.live(0, v.next)
	words := uint64(0)
	for _, set := range sets {
		words += uint64(ranks.WideWords(v.table.Size(set).Distinct))
	}
	if 8*words+4*uint64(v.next) > uint64(s.db.opts.MemoryBytes/4*3) || words > math.MaxUint32 {
		return nil, nil
	}
	starts := memory.Halves(int(v.next) + 1) // by set, of its signature; it ends at the next one's
	at := 0
	for _, set := range sets {
		starts[set] = uint32(at)
		at += ranks.WideWords(v.table.Size(set).Distinct)
		starts[set+1] = uint32(at)
	}
	made := memory.Words(int(words))
	signature := func(set uint32) sketch.Signature {
		return made[starts[set]:starts[set+1]:starts[set+1]]
	}
	err := eachSet(ctx, s, v, sets, func(r *bagReader, set uint32) (none struct{}, err error) {
		bag, err := r.once(set)
		if err == nil {
			wide := signature(set)
			sketch.AppendWide(wide[:0], bag.Set, len(wide))
		}
		return none, err
	}, func(uint32, struct{}) error { return nil })
	return signature, err
}
