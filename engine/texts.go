package engine

import (
	"context"
	"slices"

	"github.com/simdb/simdb/measure"
)

// A textProbe compares one text with others by a measure that is not one of
// bags: a file of its own for each. Safe for concurrent use.
type textProbe interface {
	// score is the measure's definition. Of is 0 where one of the texts has no
	// value by it.
	score(doc string) measure.Score
	// scoreSet is the score of the text of a set, from what is stored of it.
	scoreSet(r *bagReader, set uint32) (measure.Score, error)
	// candidates lists the sets numbered from or above that may match, ascending,
	// by what the collection keeps, and counts in f's plan.
	candidates(ctx context.Context, f *finder, from uint32) ([]uint32, error)
}

// textProbe reads the text by a method.
func (s *Snapshot) textProbe(ctx context.Context, v *view, m Method, text string) (textProbe, error) {
	switch m.Measure {
	case measure.Patricia:
		return newPatriciaProbe(m.Args, text)
	case measure.Versions:
		return v.newVersionsProbe(m.Args, text)
	case measure.Entities:
		return newEntitiesProbe(m.Args, text)
	case measure.Words:
		return s.newWordsProbe(ctx, v, m.Args, text)
	case measure.SI:
		return v.newSIProbe(m.Args, text)
	}
	return nil, invalid("%s compares no texts", m.Measure)
}

// keeps says whether a collection keeps what a measure of texts searches by, and
// the setting that does it.
func (v *view) keeps(q Search) (kept bool, setting string, err error) {
	switch q.Measure {
	case measure.Patricia:
		return v.kept.patricia, "patricia = on", nil
	case measure.Versions:
		return v.kept.versions, "versions = on", nil
	case measure.Entities:
		return v.kept.entities, "entities = on", nil
	case measure.Words:
		return v.kept.words, "words = on", nil
	}
	si, err := v.siOf(q.Args)
	return slices.Contains(v.kept.si, si), "si = '" + si.String() + "'", err
}

// indexOf returns the access that serves a measure of texts, and a reason where
// there is none but a scan.
func (v *view) indexOf(q Search) (a Access, why string, err error) {
	kept, setting, err := v.keeps(q)
	switch {
	case err != nil:
		return "", "", err
	case !kept:
		return "", "every text is read, as collection " + v.name + " was not created WITH (" + setting + ")", nil
	case q.Min.Ceil(1) == 0: // sim >= 0
		return "", "every text is read for sim >= 0", nil
	case q.Measure == measure.Patricia && minMatch(q.Args) < indexedMatch:
		return "", "every text is read, as passages are indexed for min >= 15", nil
	}
	switch q.Measure {
	case measure.SI:
		a = AccessRange
	case measure.Versions, measure.Entities:
		a = AccessChunks
	default:
		a = AccessTerms
	}
	return a, "kept by the collection", nil
}

// byText finds the sets whose texts match the probe's.
func (f *finder) byText(ctx context.Context, text string, access Access, from uint32) (hits []hit, err error) {
	p, err := f.s.textProbe(ctx, f.v, Method{f.q.Measure, f.q.Args}, text)
	if err != nil {
		return nil, err
	}
	sets := f.v.live(from, f.v.next)
	if !f.v.kept.texts() {
		return f.eachDocument(ctx, p, sets)
	}
	if access != AccessScan {
		if sets, err = p.candidates(ctx, f, from); err != nil {
			return nil, err
		}
	}
	f.plan.Candidates += int64(len(sets))
	f.plan.Verified += int64(len(sets))
	err = eachSet(ctx, f.s, f.v, sets, func(r *bagReader, set uint32) (measure.Score, error) {
		return p.scoreSet(r, set)
	}, func(set uint32, score measure.Score) error {
		if f.matches(score) {
			hits = append(hits, hit{set: set, score: score})
		}
		return nil
	})
	return hits, err
}

// eachDocument scores every document of sets that are bags: their documents may
// have different texts.
func (f *finder) eachDocument(ctx context.Context, p textProbe, sets []uint32) (hits []hit, err error) {
	err = eachSet(ctx, f.s, f.v, sets, func(r *bagReader, set uint32) (found []hit, err error) {
		ids, err := r.ids(set, nil)
		for _, id := range ids {
			if err := f.s.interrupted(ctx); err != nil {
				return nil, err
			}
			doc, err := f.s.text(f.v, set, id)
			if err != nil {
				return nil, err
			}
			found = append(found, hit{set, p.score(doc), id})
		}
		return found, err
	}, func(_ uint32, found []hit) error {
		f.plan.Candidates += int64(len(found))
		f.plan.Verified += int64(len(found))
		for _, h := range found {
			if f.matches(h.score) {
				hits = append(hits, h)
			}
		}
		return nil
	})
	return hits, err
}

// matches says whether a score counts.
func (f *finder) matches(s measure.Score) bool {
	return s.Shared > 0 && f.q.Min.Admits(s.Shared, s.Of)
}

// liveOf keeps the sets that are there, of those numbered from or above,
// ascending.
func (v *view) liveOf(sets []uint32, from uint32) []uint32 {
	kept := sets[:0]
	for _, set := range sets {
		if set >= from && set < v.next && v.table.Size(set).Distinct > 0 {
			kept = append(kept, set)
		}
	}
	slices.Sort(kept)
	return slices.Compact(kept)
}
