package search

// Common code of the measures that compare texts rather than bags. Each of them has its own
// file (docs/decisions/0014).

import (
	"context"
	"time"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/internal/measure"
)

// Differ explains why a search cannot pair two collections of the same analysis; "" if it can.
func Differ(q Search, a, b *view.View) string {
	if of := textMeasures[q.Measure]; of != nil && of.differ != nil {
		return of.differ(a, b)
	}
	return ""
}

// newTextProbe returns a probe of text for a search, with ignored shingles removed.
func newTextProbe(ctx context.Context, m *view.Snapshot, v *view.View, q Search, text string) (textProbe, error) {
	r, err := reading(ctx, m, v, q)
	if err != nil {
		return nil, err
	}
	if r == nil || q.Measure.OfLetters() {
		p, err := newTextProbeOf(ctx, m, v, q.Method(), r, text)
		if err != nil || r != nil {
			return p, err
		}
		return orBare(v, q.Method(), p, text), nil
	}
	p, err := newTextProbeOf(ctx, m, v, q.Method(), nil, cut(v, r, text))
	return &cutProbe{p, func(doc string) string { return cut(v, r, doc) }}, err
}

// textMeasures is the table of the measures of texts.
var textMeasures = map[api.Measure]*textMeasure{
	api.Patricia: &ofPatricia, api.Coverage: &ofCoverage,
	api.Versions: &ofVersions, api.Entities: &ofEntities,
	api.Words: &ofWords, api.SI: &ofIndexes, api.Quotes: &ofQuotes,
}

// newTextProbeOf returns a probe of text for a measure. Only measures of letters skip the
// shingles that r ignores.
func newTextProbeOf(ctx context.Context, m *view.Snapshot, v *view.View, by api.Method, r *measure.Reading, text string) (textProbe, error) {
	of := textMeasures[by.Measure]
	switch {
	case of == nil:
		return nil, fault.Invalid("%s is not a measure of texts", by.Measure)
	case of.shared != nil:
		return of.shared(ctx, m, v, by, text)
	}
	return view.Apart(ctx, m.Shared, int64(len(text)), func() (textProbe, error) { return of.probe(v, by, r, text) })
}

// scoreApart scores doc against a probe with a text of the given number of bytes. view.Apart
// bounds the concurrent work on long texts.
func scoreApart(ctx context.Context, m *view.Snapshot, p textProbe, bytes int, doc string) (measure.Score, error) {
	return view.Apart(ctx, m.Shared, int64(bytes+len(doc)), func() (measure.Score, error) { return p.score(ctx, doc) })
}

// Keeps reports whether a collection keeps the features that serve a measure of texts, and
// returns the setting that keeps them.
func Keeps(v *view.View, q Search) (kept bool, setting string, err error) {
	if of := textMeasures[q.Measure]; of.keeps != nil {
		return of.keeps(v, q.Args)
	}
	return q.Measure.Kept(v.Settings), q.Measure.Keeper(), nil
}

// indexOf returns the access that serves a measure of texts. If only a scan does, it returns
// no access and the reason.
func indexOf(v *view.View, q Search) (a api.Access, why string, err error) {
	kept, setting, err := Keeps(v, q)
	scans := ""
	if of := textMeasures[q.Measure]; of.scans != nil {
		scans = of.scans(v, q.Args)
	}
	switch {
	case err != nil:
		return "", "", err
	case !kept:
		return "", "every text is read, as collection " + v.Name + " was not created WITH (" + setting + ")", nil
	case q.Ignoring != api.Ignoring{} && !q.Measure.OfLetters():
		return "", "every text is read, as ignored shingles are cut out of it", nil
	case q.Min.Ceil(1) == 0: // sim >= 0
		return "", "every text is read for sim >= 0", nil
	case scans != "":
		return "", "every text is read, as " + scans, nil
	}
	return q.Measure.Accesses()[1], "kept by the collection", nil // the first access is the planner's
}

// byText finds the sets with texts that match the probe's.
func (f *Finder) byText(ctx context.Context, text string, access api.Access, from uint32) (hits []Hit, err error) {
	begun := time.Now()
	of := f.v
	if textMeasures[f.q.Measure].shared != nil {
		of = f.weights
	}
	p, err := newTextProbe(ctx, f.m, of, f.q, text)
	if err != nil {
		return nil, err
	}
	sets := f.live(from)
	if access != api.AccessScan {
		if sets, err = p.candidates(ctx, f, from); err != nil {
			return nil, err
		}
		sets = f.kept(sets)
	}
	if !f.v.Kept.Texts() {
		return f.eachDocument(ctx, p, len(text), sets)
	}
	f.plan.Candidates += int64(len(sets))
	f.plan.Verified += int64(len(sets))
	defer f.plan.Compared(f.plan.Found(begun))
	err = view.EachSet(ctx, f.m, f.v, sets, func(r *view.Reader, set uint32) (measure.Score, error) {
		return p.scoreSet(ctx, r, set)
	}, func(set uint32, score measure.Score) error {
		if f.matches(score) {
			hits = append(hits, Hit{Set: set, Score: score})
		}
		return nil
	})
	return hits, err
}

// eachDocument scores every document of sets in a collection without features, where
// documents of one set may have different texts.
func (f *Finder) eachDocument(ctx context.Context, p textProbe, bytes int, sets []uint32) (hits []Hit, err error) {
	err = view.EachSet(ctx, f.m, f.v, sets, func(r *view.Reader, set uint32) (found []Hit, err error) {
		ids, err := r.IDs(set, nil)
		for _, id := range ids {
			if err := f.m.Interrupted(ctx); err != nil {
				return nil, err
			}
			doc, err := f.m.Text(f.v, set, id)
			if err != nil {
				return nil, err
			}
			done, err := f.m.Analysing(ctx, int64(len(doc)))
			if err != nil {
				return nil, err
			}
			score, err := scoreApart(ctx, f.m, p, bytes, doc)
			done()
			if err != nil {
				return nil, err
			}
			found = append(found, Hit{set, score, id})
		}
		return found, err
	}, func(_ uint32, found []Hit) error {
		f.plan.Candidates += int64(len(found))
		f.plan.Verified += int64(len(found))
		for _, h := range found {
			if f.matches(h.Score) {
				hits = append(hits, h)
			}
		}
		return nil
	})
	return hits, err
}

// matches reports whether a score reaches the threshold. A score of 0 never does.
func (f *Finder) matches(s measure.Score) bool {
	return s.Shared > 0 && s.Reaches(f.q.Min)
}

// OfSets returns the score of two sets by a measure of bags or fingerprints.
func OfSets(r *view.Reader, q Search, a, b uint32) (s measure.Score, err error) {
	if q.Measure.OfFingerprints() {
		return measure.Hamming(r.View.Table.SimHash(a), r.View.Table.SimHash(b)), nil
	}
	bagA, err := r.Bag(a)
	if err != nil {
		return s, err
	}
	bagB, err := r.Bag(b)
	if err != nil {
		return s, err
	}
	return q.Formula().Score(bagA, bagB), nil
}

// Partly reports whether documents that share a set may have a score below 1, other than none.
func Partly(q Search) bool {
	of := textMeasures[q.Measure]
	return of != nil && of.partly
}

// SameSet returns the score of two documents that share a set.
func SameSet(ctx context.Context, r *view.Reader, q Search, set uint32) (measure.Score, error) {
	switch size := r.View.Table.Size(set); {
	case q.Measure.OfFingerprints():
		return measure.Hamming(0, 0), nil
	case q.ReadsBags() && q.Measure.OfBags():
		bag, err := r.Bag(set)
		if err != nil {
			return measure.Score{}, err
		}
		exact, _, err := ExactFormula(ctx, r.Snapshot, r.View, q)
		if err != nil {
			return measure.Score{}, err
		}
		return exact.Score(bag, bag), nil
	case q.Measure.OfBags():
		return q.Formula().Bound(size, size, size.Distinct), nil // equal bags reach the bound
	}
	defer r.Free()
	doc, err := r.Text(set)
	if err != nil {
		return measure.Score{}, err
	}
	r.Free() // the probe may count words and then waits for memory
	p, err := newTextProbe(ctx, r.Snapshot, r.View, q, doc)
	if err != nil {
		return measure.Score{}, err
	}
	return p.scoreSet(ctx, r, set)
}
