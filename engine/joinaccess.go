package engine

import (
	"context"
	"fmt"

	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/sketch"
)

// joinAccess chooses how a join finds candidates: by the postings, if they
// serve; by the signatures in memory; or, where those are too narrow for the
// threshold and would leave most of the work to the comparison of texts, by
// wide ones that are made for the call. Then the ranks returned have these.
func (s *Snapshot) joinAccess(ctx context.Context, v *view, ranks *index.Ranks, access Access, why string) (Access, string, *index.Ranks, error) {
	// A pair that is no match is compared in a microsecond if its bags are at
	// hand; where there are many such pairs, bags do not stay.
	const nanosPerPass = 4000
	signature := ranks.SignatureNanos()
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
			nanos, err := ranks.JoinNanos(ctx, s.readThrough(ctx, v), v.layout(v.index.order), index.Prefix)
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
	made, err := s.wideSignatures(ctx, v, ranks)
	if err != nil {
		return "", "", nil, err
	}
	if made != nil {
		ranks = ranks.With(func(set uint32) sketch.Signature { return made[set] })
	}
	return AccessSignature, why, ranks, nil
}

// wideSignatures makes signatures from the texts, by set; nil if they would take
// more than three quarters of the memory that a join may use.
func (s *Snapshot) wideSignatures(ctx context.Context, v *view, ranks *index.Ranks) ([]sketch.Signature, error) {
	sets := v.live(0, v.next)
	bytes := 24 * int64(v.next)
	for _, set := range sets {
		bytes += 8 * int64(ranks.WideWords(v.table.Size(set).Distinct))
	}
	if bytes > s.db.opts.MemoryBytes/4*3 {
		return nil, nil
	}
	made := make([]sketch.Signature, v.next)
	err := eachSet(ctx, s, v, sets, func(r *bagReader, set uint32) (sketch.Signature, error) {
		bag, err := r.once(set)
		if err != nil {
			return nil, err
		}
		return sketch.AppendWide(nil, bag.Set, ranks.WideWords(uint64(len(bag.Set)))), nil
	}, func(set uint32, wide sketch.Signature) error {
		made[set] = wide
		return nil
	})
	return made, err
}
