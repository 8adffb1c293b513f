package main

// EXPLAIN and EXPLAIN ANALYZE beside the statement itself.

import (
	"context"
	"fmt"
	"slices"
	"strconv"
)

// explains says whether EXPLAIN can stand before a statement.
func (s *Statement) explains() bool {
	return slices.Contains([]string{"similar to", "related to", "similar pairs", "clusters", "select", "si_view", "select duplicates"}, s.Kind)
}

// property lists the values of a property of a plan.
func (a asked) property(name string) (out []string) {
	for _, r := range a.rows {
		if r[0] == strconv.Quote(name) {
			out = append(out, r[1])
		}
	}
	return out
}

// explain asks for the plan of a statement whose answer is known: it names the access that
// the search took, and counts the rows of the answer.
func explain(ctx context.Context, db querier, w *World, s *Statement, got asked) string {
	plan, ran := ask(ctx, db, w, "EXPLAIN "+s.String()), ask(ctx, db, w, "EXPLAIN ANALYZE "+s.String())
	switch {
	case got.err != nil && ran.err != nil:
		return ""
	case got.err != nil || ran.err != nil || plan.err != nil:
		return fmt.Sprintf("the statement says %v, EXPLAIN %v, EXPLAIN ANALYZE %v", got.err, plan.err, ran.err)
	}
	rows := strconv.Itoa(len(got.rows))
	if slices.Equal(s.Returning, []string{"count(*)"}) && len(s.Group) == 0 {
		if s.Limit >= 0 || s.Offset > 0 {
			return ""
		}
		rows = got.rows[0][0]
	}
	if m := ran.property("matches"); !slices.Equal(m, []string{strconv.Quote(rows)}) {
		return fmt.Sprintf("EXPLAIN ANALYZE counts %v matches, the answer has %s", m, rows)
	}
	will, did := plan.property("access"), ran.property("access")
	switch {
	case s.Kind == "similar pairs" && s.Limit >= 0:
	case s.Kind == "related to" && s.Limit >= 0 && len(did) <= len(will) && slices.Equal(did, will[:len(did)]): // the weaker kinds were not looked for
	case slices.Equal(will, did):
	case slices.Equal(ask(ctx, db, w, "EXPLAIN "+s.String()).property("access"), did): // a segment was built in between
	default:
		return fmt.Sprintf("EXPLAIN names the access %v, EXPLAIN ANALYZE %v", will, did)
	}
	return ""
}
