// Package overview summarises the similar pairs of a collection: how many there are at each
// similarity, which are the most similar, and which documents stand out.
//
// An overview is exact down to its least similarity, which depends on the size of the collection:
// Of lowers it as long as time permits. The package reads a snapshot and keeps no state. Begin
// reading at Of.
package overview

import (
	"context"
	"errors"
	"math/bits"
	"time"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
)

// thresholds are the least similarities that Of tries in turn. Each join costs several times the
// one before.
var thresholds = []api.Threshold{api.Ratio(4, 5), api.Ratio(1, 2), api.Ratio(3, 10)}

// maxRows is the maximum number of pairs that an overview reads, a second or two of work.
var maxRows int64 = 5_000_000 // a variable for tests

// costlier is the estimated factor between the costs of two joins in turn. Of begins a join only if
// the time left is that many times the time of the join before.
const costlier = 4

// A Question selects the pairs of an overview.
type Question struct {
	Collection string
	Measure    api.Measure // a symmetric one
	Args       api.Args
	Ignoring   api.Ignoring
	Least      api.Threshold // 0: as low as Time permits
	Time       time.Duration // for all joins but the first, which takes the time it needs; at most half of the time left
	Pairs      int           // maximum number of listed pairs
	Documents  int           // maximum number of listed documents
}

// An Overview summarises all pairs of at least the similarity Least.
type Overview struct {
	Collection string
	Documents  int64         // of the collection
	Least      api.Threshold // Counts, Pairs and Outliers are exact from here on
	Counts     [101]int64    // pairs by whole percent of sim, rounded down
	Total      int64         // the sum of Counts
	More       bool          // more than maxRows pairs have sim 1, and Counts has maxRows of them
	Similar    int           // documents in at least one pair
	Pairs      []api.PairMatch
	Outliers   []Outlier // by Outlier.Above, then by id
}

// Of computes an overview.
func Of(ctx context.Context, snap *simdb.Snapshot, q Question) (*Overview, error) {
	info, err := snap.Collection(q.Collection)
	if err != nil {
		return nil, err
	}
	if q.Least != (api.Threshold{}) {
		return at(ctx, snap, q, info.Documents, q.Least)
	}
	if end, ok := ctx.Deadline(); ok {
		q.Time = min(q.Time, time.Until(end)/2)
	}
	var best *Overview
	begin := time.Now()
	for i, least := range thresholds {
		left, before := q.Time-time.Since(begin), time.Now()
		lower, cancel := ctx, context.CancelFunc(func() {})
		if i > 0 {
			lower, cancel = context.WithTimeout(ctx, left)
		}
		o, err := at(lower, snap, q, info.Documents, least)
		cancel()
		if err != nil {
			if i > 0 && ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
				return best, nil
			}
			return nil, err
		}
		best = o
		if o.Least != least || costlier*time.Since(before) > q.Time-time.Since(begin) {
			break
		}
	}
	return best, nil
}

// at computes the overview from a similarity on.
func at(ctx context.Context, snap *simdb.Snapshot, q Question, documents int64, least api.Threshold) (*Overview, error) {
	o := &Overview{Collection: q.Collection, Documents: documents, Least: least}
	opts := append(q.options(), simdb.Using(q.Measure, q.Args), simdb.Min(least))
	tracked := tracker{middle: documents / 2, places: map[string]int32{}}
	best, complete := ranked{most: q.Pairs}, 0
	for row, err := range snap.Pairs(ctx, opts...) {
		if err != nil {
			return nil, err
		}
		percent := percentOf(row)
		if o.Total == maxRows { // rows come by descending sim: from the next percent on the overview is complete
			complete = percent + 1
			break
		}
		best.add(row)
		o.Counts[percent]++
		o.Total++
		tracked.add(row, percent)
	}
	best.flush()
	o.Pairs = best.pairs
	if complete > 0 {
		if o.cut(complete); !o.More {
			tracked.drop(complete - 1)
		}
	}
	o.Similar = len(tracked.documents)
	o.Outliers = tracked.outliers(o.Least.Float64(), q.Documents)
	return o, nil
}

// cut raises Least to a whole percent, above the pairs that were not all read.
func (o *Overview) cut(percent int) {
	if percent > 100 {
		percent, o.More = 100, true
	}
	o.Least = api.Ratio(uint64(percent), 100)
	for i := range percent {
		o.Total -= o.Counts[i]
		o.Counts[i] = 0
	}
	for len(o.Pairs) > 0 && percentOf(o.Pairs[len(o.Pairs)-1]) < percent {
		o.Pairs = o.Pairs[:len(o.Pairs)-1]
	}
}

// percentOf returns the similarity in whole percent, rounded down; exactly, if the measure counts.
func percentOf(row api.PairMatch) int {
	if num, den := row.Ratio(); row.Of > 0 {
		hi, lo := bits.Mul64(num, 100)
		percent, _ := bits.Div64(hi, lo, den) // num ≤ den, so hi < den
		return int(percent)
	}
	return int(row.Sim*100 + 1e-9)
}
