package search

// Evidence of a relation, in whole numbers.

import (
	"context"
	"slices"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/internal/measure"
)

// Witness computes the evidence of rows about one target. It caches its reads of the target
// between rows. It must be used from one goroutine.
type Witness struct {
	m       *view.Snapshot
	without api.Ignoring
	target  target
	probes  map[probeKey]textProbe
}

// probeKey identifies a cached probe.
type probeKey struct {
	v  *view.View
	by api.Method
}

// NewWitness returns a Witness of target t in the collections named. It returns ErrNotFound
// if no collection has the target's id.
func NewWitness(m *view.Snapshot, t api.Target, in []string, without api.Ignoring) (*Witness, error) {
	_, tg, err := resolve(m, in, t)
	if err != nil {
		return nil, err
	}
	return &Witness{m, without, tg[0], map[probeKey]textProbe{}}, nil
}

// Evidence returns the evidence of a row that a search for the target found.
func (w *Witness) Evidence(ctx context.Context, r api.Relation) (e api.Evidence, err error) {
	if !r.Method.Measure.OfTexts() {
		e = api.Evidence{Shared: r.Shared, Of: r.Of, Unit: r.Method.Measure.Unit()}
		// A weighted sum is not a number of shingles: report the union.
		if r.Unit != 0 || slices.ContainsFunc(r.Method.Measure.Params(), func(p api.Param) bool { return p.Weight }) { // a weighted sum is no number of shingles
			e.Of = r.Union
		}
		return e, nil
	}
	v, err := w.m.View(r.Collection)
	if err != nil {
		return e, err
	}
	own, err := w.target.readText(w.m)
	if err != nil {
		return e, err
	}
	probe := w.probes[probeKey{v, r.Method}]
	if probe == nil {
		if probe, err = newTextProbe(ctx, w.m, v, Search{Measure: r.Method.Measure, Args: r.Method.Args, Ignoring: w.without}, own); err != nil {
			return e, err
		}
		w.probes[probeKey{v, r.Method}] = probe
	}
	doc, err := w.m.Record(v, r.ID)
	if err != nil {
		return e, err
	}
	other, err := w.m.Text(v, doc.Set, r.ID)
	if err != nil {
		return e, err
	}
	return view.Apart(ctx, w.m.Shared, int64(len(own)+len(other)), func() (e api.Evidence, err error) {
		if e, err = evidenceOf(ctx, probe, other); e.Unit == "" {
			e.Unit = r.Method.Measure.Unit()
		}
		return e, err
	})
}

// witness is implemented by probes that can explain their scores.
type witness interface {
	evidence(ctx context.Context, doc string) (api.Evidence, error)
}

// evidenceOf returns the evidence of a probe against doc; api.ErrInvalid if the measure has
// none.
func evidenceOf(ctx context.Context, probe textProbe, doc string) (api.Evidence, error) {
	if w, ok := probe.(witness); ok {
		return w.evidence(ctx, doc)
	}
	return api.Evidence{}, fault.Invalid("the measure has no evidence")
}

// evidence counts the matched chunks of both sides.
func (p *chunkProbe) evidence(ctx context.Context, doc string) (api.Evidence, error) {
	m, err := measure.MatchChunksUntil(p.chunks, p.of(doc), p.bits, ctx.Err)
	return chunkEvidence(m), err
}

// chunkEvidence counts the matched chunks of both sides.
func chunkEvidence(m measure.ChunkMatch) api.Evidence {
	return api.Evidence{Shared: uint64(m.QueryMatched + m.DocMatched), Of: uint64(m.Query + m.Doc)}
}

// evidence counts the words that two ascending vectors have in common.
func (p *wordsProbe) evidence(_ context.Context, text string) (api.Evidence, error) {
	doc := measure.WordsOf(text, p.form)
	e := api.Evidence{Of: uint64(len(p.terms) + len(doc))}
	for query := p.terms; len(query) > 0 && len(doc) > 0; {
		switch a, b := query[0].Hash, doc[0].Hash; {
		case a < b:
			query = query[1:]
		case b < a:
			doc = doc[1:]
		default:
			query, doc = query[1:], doc[1:]
			e.Shared++
			e.Of--
		}
	}
	return e, nil
}
