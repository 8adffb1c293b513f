package measure

// The end of rows in descending order of score: of a search for one target, and of each
// a of pairs.

import "github.com/simdb/simdb/api"

// Cut limits rows in descending order of score. The zero value does not limit them.
type Cut struct {
	Nearest int           // at most so many rows; 0: no limit
	Ties    bool          // with Nearest: also all rows with the score of the last
	Best    api.Threshold // only rows with at least this share of the first score; 0: no limit
}

// ByScore reports whether the number of rows depends on their scores.
func (c Cut) ByScore() bool { return c.Ties || c.Best != api.Threshold{} }

// Ending applies a Cut to rows as they arrive, in descending order.
type Ending struct {
	Cut
	taken      int
	best, last Score
}

// Full reports whether Nearest rows have been taken, so that only ties may follow.
func (e *Ending) Full() bool { return e.Nearest > 0 && e.taken >= e.Nearest }

// Before reports whether the rows end before a row of this score.
func (e *Ending) Before(s Score) bool {
	if e.taken == 0 {
		return false
	}
	return e.Full() && (!e.Ties || s.Compare(e.last) < 0) || e.Best != api.Threshold{} && !s.ReachesShare(e.Best, e.best)
}

// Take counts a row.
func (e *Ending) Take(s Score) {
	if e.taken == 0 {
		e.best = s
	}
	e.taken, e.last = e.taken+1, s
}
