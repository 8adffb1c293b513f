package engine

// A sample of answers, which Check holds against the scan: searches by the access that is
// chosen for them, and joins of a collection with itself and with each that reads texts as
// it does.

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/check"
	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/pairs"
	"github.com/simdb/simdb/engine/internal/search"
	"github.com/simdb/simdb/engine/internal/segment"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/internal/keys"
)

// How large the sample is. A scan goes through all of a collection, so fewer documents of a
// large one are searched for; a join is of its oldest and its newest sets.
const (
	searchesCompared = 20
	scannedAtMost    = 2 << 20 // documents, by the scans of one measure
	rowsCompared     = 1000    // the first of each search
	setsJoined       = 64
)

// compareAnswers reports answers that differ from those of a scan. It ends after a second,
// or a twentieth of the time since Check began, if that is longer.
func compareAnswers(ctx context.Context, m *view.Snapshot, report *api.CheckReport, begin time.Time) error {
	bounded, cancel := context.WithTimeout(ctx, max(time.Second, time.Since(begin)/20))
	defer cancel()
	_, err := sampleAnswers(bounded, m, report)
	if stop := m.Interrupted(ctx); stop != nil || bounded.Err() != nil {
		return stop
	}
	return err
}

// sampleAnswers says how many rows agreed. An error means that ctx has ended.
func sampleAnswers(ctx context.Context, m *view.Snapshot, report *api.CheckReport) (agreed int, err error) {
	c := &answerCheck{report: report}
	few, ids := *m, make([][]string, len(m.Views))
	few.Views = make([]*view.View, len(m.Views))
	for i, v := range m.Views {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		if few.Views[i], ids[i], err = ends(m, v); err != nil {
			return 0, err
		}
	}
	for i, v := range m.Views {
		spread, err := m.Spread(ctx, v.Name, int(min(searchesCompared, max(1, scannedAtMost/max(1, v.Documents)))))
		if err != nil {
			return 0, err
		}
		for _, q := range []Search{
			{Measure: api.Jaccard, Min: api.Ratio(1, 2)},
			{Measure: api.Multiset, Min: api.Ratio(1, 2)},
			{Measure: api.SimHash, Min: api.Ratio(58, 64)},
		} {
			q.In = []string{v.Name}
			got, want := answerRows{}, answerRows{}
			err := got.searched(ctx, m, q, api.AccessAuto, spread)
			if err == nil {
				err = want.searched(ctx, m, q, api.AccessScan, spread)
			}
			if err := c.hold(ctx, "searches", q, got, want, err); err != nil {
				return c.agreed, err
			}
			for j := i; j < len(few.Views); j++ {
				if few.Views[j].Analysis != v.Analysis {
					continue
				}
				if err := c.join(ctx, &few, q, v.Name, few.Views[j].Name, ids[i], ids[j]); err != nil {
					return c.agreed, err
				}
			}
		}
	}
	return c.agreed, nil
}

// ends is a view of the oldest and the newest sets of a collection, as though the others had
// ended, and the ids of their documents. Sets that many documents have are left out, as all
// of these are pairs.
func ends(m *view.Snapshot, v *view.View) (few *view.View, ids []string, err error) {
	defer segment.CatchUnreadable(&err)()
	live := v.Live(0, v.Table.Len())
	if len(live) > setsJoined {
		live = slices.Concat(live[:setsJoined/2], live[len(live)-setsJoined/2:])
	}
	r := m.Reader(v)
	defer func() { err = errors.Join(err, r.Close()) }()
	var table index.Table
	n := int64(0)
	for _, set := range live {
		shares, err := disk.Get(m.Pebble, v.Key(keys.Shares, set))
		if err != nil {
			return nil, nil, err
		}
		if slices.Compare(shares, []byte{0, 0, 0, 4}) > 0 {
			continue
		}
		if ids, err = r.IDs(set, ids); err != nil {
			return nil, nil, err
		}
		table.Put(set, v.Facts(set))
		n++
	}
	table.Widen(v.Table.Len())
	if n == v.Sets {
		return v, ids, nil
	}
	few = new(view.View)
	*few = *v
	few.Table, few.Postings, few.Sets, few.Tail = table.View(), segment.NoPostings(), n, n
	return few, ids, nil
}

// answerCheck holds answers against each other.
type answerCheck struct {
	report *api.CheckReport
	agreed int
}

// join holds a join of one or two collections against a scan for each of their documents.
func (c *answerCheck) join(ctx context.Context, m *view.Snapshot, q Search, a, b string, ofA, ofB []string) error {
	q.In = slices.Compact([]string{a, b})
	got, want := answerRows{}, answerRows{}
	err := got.joined(ctx, m, q)
	if err == nil {
		err = want.searched(ctx, m, q, api.AccessScan, ofA)
	}
	if err == nil && a != b {
		turned := q
		turned.In = []string{b, a}
		err = want.searched(ctx, m, turned, api.AccessScan, ofB)
	}
	return c.hold(ctx, "pairs", q, got, want, err)
}

// hold reports the first row that differs.
func (c *answerCheck) hold(ctx context.Context, what string, q Search, got, want answerRows, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	p := api.Problem{Kind: check.KindAnswers, Collection: q.In[0]}
	what = fmt.Sprintf("%s in %s by %s, sim >= %s", what, strings.Join(q.In, ", "), q.Measure, q.Min)
	if err != nil && !errors.Is(err, api.ErrCorrupt) { // of the machine, not of what is stored
		return err
	}
	if err != nil {
		p.What = fmt.Sprintf("answers could not be compared: %s: %v", what, err)
		check.Add(c.report, p)
		return nil
	}
	all := maps.Clone(got)
	maps.Copy(all, want)
	for _, pair := range slices.Sorted(maps.Keys(all)) {
		if got[pair] != want[pair] {
			p.What = fmt.Sprintf("answers differ: %s: %s is %q, and %q by a scan", what, pair, got[pair], want[pair])
			check.Add(c.report, p)
			return nil
		}
	}
	c.agreed += len(all)
	return nil
}

// answerRows are scores by pairs of documents.
type answerRows map[string]string

// add adds a row. Either document may come first.
func (r answerRows) add(collectionA, a, collectionB, b string, score ...any) {
	x, y := fmt.Sprintf("%s %q", collectionA, a), fmt.Sprintf("%s %q", collectionB, b)
	r[min(x, y)+" with "+max(x, y)] = fmt.Sprint(score...)
}

// searched adds the rows of searches for documents of the first collection.
func (r answerRows) searched(ctx context.Context, m *view.Snapshot, q Search, access api.Access, ids []string) error {
	q.Access = access
	for _, id := range ids {
		found, err := search.Similar(ctx, m, api.ByID(id), q)
		if err != nil {
			return err
		}
		for row, err := range search.Limited(found.All, rowsCompared) {
			if err != nil {
				return err
			}
			r.add(q.In[0], id, row.Collection, row.ID, row.Sim, row.Shared, row.Of)
		}
	}
	return nil
}

// joined adds the rows of a join.
func (r answerRows) joined(ctx context.Context, m *view.Snapshot, q Search) error {
	found, err := pairs.Find(ctx, m, q)
	if err != nil {
		return err
	}
	for row, err := range found.All {
		if err != nil {
			return err
		}
		r.add(row.CollectionA, row.A, row.CollectionB, row.B, row.Sim, row.Shared, row.Of)
	}
	return nil
}

// The door to package check, which looks at one moment of the store. The constraint of a
// collection is checked here, because that takes a join.

// Check recomputes everything derived from the documents, as of now, and says
// where the store differs. If it does not, a sample of searches and joins is held
// against the scan, for a second or a twentieth of the time. An error means that it could not look, not that it
// found something. progress, if not nil, is told how many documents are done.
func (db *DB) Check(ctx context.Context, progress func(done, total int64)) (*api.CheckReport, error) {
	return db.check(ctx, progress, true)
}

// check is Check, with the sample of answers or without.
func (db *DB) check(ctx context.Context, progress func(done, total int64), answers bool) (*api.CheckReport, error) {
	if err := db.enter(ctx); err != nil {
		return nil, err
	}
	defer db.lifecycle.leave()
	ctx, cancel := db.shared.Bound(ctx)
	defer cancel()
	s := db.snapshot()
	defer s.close()
	begin := time.Now()
	report, err := check.All(ctx, s.view, progress)
	if err == nil {
		err = db.observers.check(ctx, s, report)
	}
	if err == nil && answers && report.Found == 0 { // else answers differ because of what was found
		err = compareAnswers(ctx, s.view, report, begin)
	}
	return report, db.shared.ClosedOr(err)
}

// constraint is unique_sim of collections that have it. Conditions keep it, before a commit.
type constraint struct{ passive }

// check reports the pairs that a collection with unique_sim must not have.
func (constraint) check(ctx context.Context, s *Snapshot, v *view.View, report *api.CheckReport) error {
	if v.Unique == (api.Threshold{}) {
		return nil
	}
	m := s.view
	r, err := pairs.Find(ctx, m, Search{In: []string{v.Name}, Min: v.Unique})
	if err == nil {
		for p, wrong := range r.All {
			if err = wrong; err != nil {
				break
			}
			check.Add(report, api.Problem{Kind: check.KindConstraint, Collection: v.Name, ID: p.A, What: fmt.Sprintf("similar to %q, sim %.6g (shared %d, union %d), and unique_sim is %s", p.B, p.Sim, p.Shared, p.Union, v.Unique)})
		}
	}
	if stop := m.Interrupted(ctx); stop != nil {
		return stop
	}
	if err != nil { // what is damaged has been named
		check.Add(report, api.Problem{Kind: check.KindConstraint, Collection: v.Name, What: fmt.Sprintf("unique_sim could not be checked: %v", err)})
	}
	return nil
}
