package measure

// Where rows end that come best first: of a search for one target, and of each a of pairs.

import "github.com/simdb/simdb/api"

// Cut says where rows end that come best first.
type Cut struct {
	Nearest int           // after so many; 0: none
	Ties    bool          // with Nearest: but those that score as much as the last are there
	Best    api.Threshold // before those that score less than this share of what the first does; 0: none
}

// ByScore says whether scores decide where the rows end, so that their number is not known.
func (c Cut) ByScore() bool { return c.Ties || c.Best != api.Threshold{} }

// Ending finds the end of rows as they come.
type Ending struct {
	Cut
	taken      int
	best, last Score
}

// Full says whether there are as many rows as Nearest wants, so that only ties may follow.
func (e *Ending) Full() bool { return e.Nearest > 0 && e.taken >= e.Nearest }

// Before says whether the rows end before one of this score.
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
