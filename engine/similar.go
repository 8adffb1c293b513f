package engine

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"math/bits"
	"slices"
	"time"

	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/measure"
)

// target is a resolved Target.
type target struct {
	v    *view // where the document is; nil for a text
	id   string
	set  uint32
	text string // of a text, or read when something asks for it
	read bool

	analysed *view // whose analysis the bag and the facts are of, once needed
	query    query

	fingerprint uint64
	bare        bool // the fingerprint is all there is
}

// resolve finds the document of a target in the first of the collections that
// has it.
func (s *Snapshot) resolve(t Target, views []*view) (target, error) {
	switch {
	case t.ByText:
		return target{set: noSet, text: t.Text, read: true}, nil
	case t.ByFingerprint:
		return target{set: noSet, fingerprint: t.Fingerprint, bare: true}, nil
	}
	var err error
	for _, v := range views {
		var r documentRecord
		if r, err = s.record(v, t.ID); err == nil {
			return target{v: v, id: t.ID, set: r.set}, nil
		}
		if !errors.Is(err, ErrNotFound) {
			return target{}, err
		}
	}
	return target{}, err
}

// queryIn reads the target as a collection does, for a measure.
func (s *Snapshot) queryIn(t *target, v *view, m measure.Measure) (query, error) {
	r := s.bags(v)
	q, err := r.queryOf(t, m)
	return q, errors.Join(err, r.close())
}

func (r *bagReader) queryOf(t *target, m measure.Measure) (q query, err error) {
	s, v := r.s, r.v
	if t.bare {
		if m != measure.SimHash {
			return q, invalid("a fingerprint is compared by simhash alone, not by %s", m)
		}
		q.facts.SimHash, q.facts.Distinct = t.fingerprint, 1
		return q, nil
	}
	if t.v == v && t.set == noSet {
		return q, nil
	}
	if t.v == v {
		q.facts, q.of, q.set = v.facts(t.set), v, t.set
		switch {
		case m.OfTexts(): // not that of its set, which may be another's
			q.text, err = s.textOf(t)
		case m.OfBags():
			q.bag, err = r.bag(t.set)
		}
		return q, err
	}
	if t.analysed != v {
		if q.text, err = s.textOf(t); err != nil {
			return q, err
		}
		q.bag = v.analysis.Bag(q.text)
		q.facts = probeOf(q.bag)
		t.analysed, t.query = v, q
	}
	return t.query, nil
}

// textOf returns the text of a target, which is not a fingerprint.
func (s *Snapshot) textOf(t *target) (string, error) {
	if !t.read {
		var err error
		if t.text, err = s.text(t.v, t.set, t.id); err != nil {
			return "", err
		}
		t.read = true
	}
	return t.text, nil
}

// found is a hit in one of the collections searched.
type found struct {
	hit
	v   *view
	ids []string // of its documents, if they are known by now
}

// idsAtOnce is up to how many hits have their documents looked up while the
// search has an iterator open; more are looked up as the rows are read.
const idsAtOnce = 16

// Similar finds the documents similar to the target: sim descending, then id
// ascending. A stored target does not match itself. ErrNotFound if the target's
// id is in none of the collections.
func (s *Snapshot) Similar(ctx context.Context, t Target, q Search) (*Result[Match], error) {
	leave, err := s.enter()
	if err != nil {
		return nil, err
	}
	defer leave()
	start := time.Now()
	views, err := s.viewsOf(q.In)
	if err != nil {
		return nil, err
	}
	tg, err := s.resolve(t, views)
	if err != nil {
		return nil, err
	}
	return s.similarIn(ctx, start, views, nil, &tg, q)
}

// similarIn is Similar for a resolved target, with what was scanned for it in
// some of the collections.
func (s *Snapshot) similarIn(ctx context.Context, start time.Time, views []*view, scanned map[*view]map[uint64][]uint32, t *target, q Search) (*Result[Match], error) {
	var plan *Plan
	var all []found
	for _, v := range views {
		f := s.finder(v, q, nil)
		f.scanned = scanned[v]
		hits, err := f.similar(ctx, t)
		if err := errors.Join(err, f.close()); err != nil {
			return nil, err
		}
		all = append(all, hits...)
		if plan == nil {
			plan = f.plan
		} else {
			plan.add(f.plan)
		}
	}
	slices.SortFunc(all, func(a, b found) int { return compareScores(b.score, a.score) })
	plan.took(start)
	return &Result[Match]{Plan: plan, All: guard(s, ctx, limited(s.matches(all, t, q, plan), q.Limit))}, nil
}

// similar plans and makes the search for a target in one collection.
func (f *finder) similar(ctx context.Context, t *target) ([]found, error) {
	query, err := f.bags.queryOf(t, f.q.Measure)
	if err != nil {
		return nil, err
	}
	var access Access
	if f.plan, access, f.probe, err = f.s.planFor(f.v, f.q, query); err != nil {
		return nil, err
	}
	hits, err := f.find(ctx, query, access, 0)
	if err != nil {
		return nil, err
	}
	all := make([]found, len(hits))
	for i, h := range hits {
		all[i] = found{hit: h, v: f.v}
		if h.id == "" && len(hits) <= idsAtOnce {
			if all[i].ids, err = f.bags.ids(h.set, nil); err != nil {
				return nil, err
			}
		}
	}
	return all, nil
}

// planFor chooses the access for one probe in one collection. The probe it
// returns may be nil.
func (s *Snapshot) planFor(v *view, q Search, query query) (_ *Plan, _ Access, probe *index.Probe, _ error) {
	if q.Measure == measure.Jaccard && q.Access == AccessAuto && v.index.order != nil && q.Min.Cmp(v.minSim) >= 0 {
		probe = v.layout(v.index.order).Probe(query.bag, query.facts, q.Min)
	}
	access, why, err := v.access(q, probe)
	if err != nil {
		return nil, "", nil, err
	}
	return newPlan(q, access, why), access, probe, nil
}

// matches expands sets to documents, a group of equal sim at a time.
func (s *Snapshot) matches(all []found, tg *target, q Search, plan *Plan) iter.Seq2[Match, error] {
	return func(yield func(Match, error) bool) {
		start := time.Now()
		defer func() { plan.took(start) }()
		readers := map[*view]*bagReader{}
		defer func() {
			for _, r := range readers {
				r.close()
			}
		}()
		var ids []string
		for len(all) > 0 {
			n := 1
			for n < len(all) && compareScores(all[n].score, all[0].score) == 0 {
				n++
			}
			var rows []Match
			for _, f := range all[:n] {
				r := readers[f.v]
				if r == nil {
					r = s.bags(f.v)
					readers[f.v] = r
				}
				var err error
				switch ids = append(ids[:0], f.id); {
				case f.ids != nil:
					ids = append(ids[:0], f.ids...)
				case f.id == "":
					ids, err = r.ids(f.set, ids[:0])
				}
				var si SI
				if q.Measure == measure.SI && err == nil {
					si, err = r.foundSI(f.hit, q.Args)
				}
				if err != nil {
					yield(Match{}, err)
					return
				}
				for _, id := range ids {
					if f.v == tg.v && id == tg.id {
						continue
					}
					m := q.match(f, id)
					m.SI = si.Value
					rows = append(rows, m)
				}
			}
			slices.SortFunc(rows, func(a, b Match) int {
				return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.Collection, b.Collection))
			})
			for _, m := range rows {
				plan.Matches++
				if !yield(m, nil) {
					return
				}
			}
			all = all[n:]
		}
	}
}

func (q Search) match(f found, id string) Match {
	m := Match{Collection: f.v.name, ID: id, Sim: f.score.Sim(), Shared: f.score.Shared, Union: f.score.Union, Of: f.score.Of}
	if q.Measure == measure.SimHash {
		m.Dist = int(f.score.Of - f.score.Shared)
	}
	return m
}

// compareScores orders exact similarities.
func compareScores(a, b measure.Score) int {
	ah, al := bits.Mul64(a.Shared, b.Of)
	bh, bl := bits.Mul64(b.Shared, a.Of)
	return cmp.Or(cmp.Compare(ah, bh), cmp.Compare(al, bl))
}
