package search

// What a relation goes by, in whole numbers.

import (
	"context"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/internal/measure"
)

// Witness finds the evidence of the rows about one target. What it reads of the target it
// keeps for the next row. It is for one goroutine.
type Witness struct {
	m       *view.Snapshot
	without api.Ignoring
	target  target
	probes  map[probeKey]textProbe
}

type probeKey struct {
	v  *view.View
	by api.Method
}

// NewWitness is ErrNotFound if the target's id is in none of the collections.
func NewWitness(m *view.Snapshot, t api.Target, in []string, without api.Ignoring) (*Witness, error) {
	_, tg, err := resolve(m, in, t)
	if err != nil {
		return nil, err
	}
	return &Witness{m, without, tg[0], map[probeKey]textProbe{}}, nil
}

// Evidence is that of a row.
func (w *Witness) Evidence(ctx context.Context, r api.Relation) (e api.Evidence, err error) {
	if !r.Method.Measure.OfTexts() {
		e = api.Evidence{Shared: r.Shared, Of: r.Of, Unit: "shingles"}
		if by := r.Method.Measure; by == api.Multiset || by == api.Repetition {
			e.Unit = "repetitions"
		} else if by == api.Tversky {
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
	return view.Apart(ctx, w.m.Shared, int64(len(own)+len(other)), func() (api.Evidence, error) { return evidenceOf(ctx, probe, other) })
}

func evidenceOf(ctx context.Context, probe textProbe, doc string) (api.Evidence, error) {
	switch p := probe.(type) {
	case *bare:
		if equal, err := p.equals(doc); err != nil || equal {
			return p.evidence(), err
		}
		return evidenceOf(ctx, p.textProbe, doc)
	case *cutProbe:
		return evidenceOf(ctx, p.textProbe, p.cut(doc))
	case *passagesProbe:
		return p.evidence(doc), nil
	case *versionsProbe:
		return p.evidence(ctx, doc)
	case *chunkProbe:
		return p.evidence(ctx, doc)
	case *wordsProbe:
		return p.evidence(measure.WordsOf(doc, p.form)), nil
	}
	return api.Evidence{}, fault.Invalid("the measure has no evidence")
}

func (p *chunkProbe) evidence(ctx context.Context, doc string) (api.Evidence, error) {
	m, err := measure.MatchChunksUntil(p.chunks, p.of(doc), p.bits, ctx.Err)
	return chunkEvidence(m, "paragraphs"), err
}

func chunkEvidence(m measure.ChunkMatch, unit string) api.Evidence {
	return api.Evidence{Shared: uint64(m.QueryMatched + m.DocMatched), Of: uint64(m.Query + m.Doc), Unit: unit}
}

// evidence counts the words that two ascending vectors have in common.
func (p *wordsProbe) evidence(doc measure.Vector) api.Evidence {
	e := api.Evidence{Of: uint64(len(p.terms) + len(doc)), Unit: "words"}
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
	return e
}
