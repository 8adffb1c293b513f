package plan

// LEDGER: the choice of ledger rows.

import (
	"time"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/query/syntax"
	"github.com/simdb/simdb/query/value"
)

// Ledger plans a LEDGER. A limit of −1 means all rows.
func (pl *Planner) Ledger(s *syntax.Ledger) (q api.LedgerQuery, limit int64, err error) {
	q.In = pl.Collections(s.In, s.Pos)
	if s.ID != nil {
		q.ID = pl.id(s.ID)
	}
	if s.Since != nil {
		pl.moment(s.Since, &q)
	}
	limit = pl.rowCount(s.Limit, -1)
	return q, limit, pl.Done(s.Pos)
}

// moment reads SINCE: a mark, or a time, which may be a string.
func (pl *Planner) moment(x syntax.Operand, q *api.LedgerQuery) {
	switch v := pl.constant(x).(type) {
	case time.Time:
		q.From = v
	case string:
		if at, ok := syntax.ParseTime(v); ok {
			q.From = at
		} else if q.Since = v; v == "" { // the engine would take "" for no SINCE
			pl.fail(ErrorAt(x.Place(), "a mark or a time", "the string ''", "SHOW MARK returns the current mark"))
		}
	default:
		pl.fail(ErrorAt(x.Place(), "a mark or a time", value.Show(v), ""))
	}
}
