package engine

// The sample of answers that Check compares with the scan: searches by the chosen access
// path, and joins of a collection with itself and with each collection of the same
// analysis.

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

// The size of the sample. A scan reads a whole collection, so a large collection gets fewer
// searches. A join covers the oldest and the newest sets.
const (
	searchesCompared = 20
	scannedAtMost    = 2 << 20 // documents scanned per measure
	rowsCompared     = 1000    // first rows of each search
	setsJoined       = 64
)

// compareAnswers reports answers that differ from a scan's. It stops after a second, or
// after a twentieth of the time since begin if that is longer.
func compareAnswers(ctx context.Context, m *view.Snapshot, report *api.CheckReport, begin time.Time) error {
	bounded, cancel := context.WithTimeout(ctx, max(time.Second, time.Since(begin)/20))
	defer cancel()
	_, err := sampleAnswers(bounded, m, report)
	if stop := m.Interrupted(ctx); stop != nil || bounded.Err() != nil {
		return stop
	}
	return err
}

// sampleAnswers compares the sample and returns the number of rows that agree. It returns an
// error only if ctx has ended or the machine fails.
func sampleAnswers(ctx context.Context, m *view.Snapshot, report *api.CheckReport) (agreed int, err error) {
	c := &answerCheck{report: report}
	few, ids := *m, make([][]string, len(m.Views))
	few.Views = make([]*view.View, len(m.Views))
	for i, v := range m.Views {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		if few.Views[i], ids[i], err = oldestAndNewest(m, v); err != nil {
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
			err := got.addSearches(ctx, m, q, api.AccessAuto, spread)
			if err == nil {
				err = want.addSearches(ctx, m, q, api.AccessScan, spread)
			}
			if err := c.compare(ctx, "searches", q, got, want, err); err != nil {
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

// oldestAndNewest returns a view of the oldest and the newest sets of a collection, as
// though all others had ended, and the ids of their documents. It omits sets of more than
// four documents, because any two documents of a set are a pair.
func oldestAndNewest(m *view.Snapshot, v *view.View) (few *view.View, ids []string, err error) {
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

// answerCheck compares results and reports differences.
type answerCheck struct {
	report *api.CheckReport
	agreed int
}

// join compares a join of one or two collections with a scan for each of their documents.
func (c *answerCheck) join(ctx context.Context, m *view.Snapshot, q Search, a, b string, ofA, ofB []string) error {
	q.In = slices.Compact([]string{a, b})
	got, want := answerRows{}, answerRows{}
	err := got.addJoin(ctx, m, q)
	if err == nil {
		err = want.addSearches(ctx, m, q, api.AccessScan, ofA)
	}
	if err == nil && a != b {
		turned := q
		turned.In = []string{b, a}
		err = want.addSearches(ctx, m, turned, api.AccessScan, ofB)
	}
	return c.compare(ctx, "pairs", q, got, want, err)
}

// compare compares two results and reports the first row that differs.
func (c *answerCheck) compare(ctx context.Context, what string, q Search, got, want answerRows, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	p := api.Problem{Kind: check.KindAnswers, Collection: q.In[0]}
	what = fmt.Sprintf("%s in %s by %s, sim >= %s", what, strings.Join(q.In, ", "), q.Measure, q.Min)
	if err != nil && !errors.Is(err, api.ErrCorrupt) { // a failure of the machine, not of the stored data
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

// answerRows maps pairs of documents to scores.
type answerRows map[string]string

// add records a row. The order of the documents does not matter.
func (r answerRows) add(collectionA, a, collectionB, b string, score ...any) {
	x, y := fmt.Sprintf("%s %q", collectionA, a), fmt.Sprintf("%s %q", collectionB, b)
	r[min(x, y)+" with "+max(x, y)] = fmt.Sprint(score...)
}

// addSearches adds the rows of searches for documents of the first collection.
func (r answerRows) addSearches(ctx context.Context, m *view.Snapshot, q Search, access api.Access, ids []string) error {
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

// addJoin adds the rows of a join.
func (r answerRows) addJoin(ctx context.Context, m *view.Snapshot, q Search) error {
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

// Check runs internal/check on a snapshot. The engine checks the constraint of a collection
// itself, because that takes a join.

// Check recomputes all derived data in a snapshot of the present state, and reports
// differences. If it finds none, it compares a sample of searches and joins with the scan,
// for at most a second or a twentieth of the elapsed time. An error means that the check
// could not run; findings are in the report. progress, unless nil, receives the number of
// documents checked.
func (db *DB) Check(ctx context.Context, progress func(done, total int64)) (*api.CheckReport, error) {
	return db.check(ctx, progress, true)
}

// check is Check with or without the sample of answers.
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
	if err == nil && answers && report.Found == 0 { // a known defect would make answers differ
		err = compareAnswers(ctx, s.view, report, begin)
	}
	return report, db.shared.ClosedOr(err)
}

// constraint checks the unique_sim of a collection. Conditions enforce it before a commit.
type constraint struct{ passive }

// check reports pairs that violate unique_sim.
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
	if err != nil { // by damage, which the other checks report with its place
		check.Add(report, api.Problem{Kind: check.KindConstraint, Collection: v.Name, What: fmt.Sprintf("unique_sim could not be checked: %v", err)})
	}
	return nil
}
