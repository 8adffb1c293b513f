package verify

// The rows of the output: a claim with its exact score.

import (
	"context"
	"fmt"
	"time"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/cmd/simdb/internal/exit"
	"github.com/simdb/simdb/cmd/simdb/internal/output"
)

// counts sums up the rows.
type counts struct {
	rows, similar, missing int64
	skipped                int64  // in parts of earlier runs, or of other tasks
	absent                 string // the first id without a text

	groups       int64
	now, largest groupCounts
}

// groupCounts counts the members of a group without its keeper.
type groupCounts struct {
	group           string
	others, similar int64
}

// run scores the claims and writes a row for each.
func (v *verifier) run(ctx context.Context, snap *simdb.Snapshot) error {
	defer v.writer.close()
	begin := time.Now()
	var waiting []claim // of rows to come
	given := func(yield func(api.Given, error) bool) {
		part, wanted := -1, false
		for c, err := range v.claims(ctx, v.scratch, v.memory) {
			if err == nil && c.part != part {
				part, wanted = c.part, v.audit != nil || v.writer.wants(c.part) // an audit counts all rows
			}
			if err == nil && !wanted {
				v.skipped++
				continue
			}
			waiting = append(waiting, c)
			if !yield(api.Given{A: c.a, B: c.b}, err) {
				return
			}
		}
	}
	next := 0
	for s, err := range snap.Scores(ctx, given, v.options...) {
		if err != nil {
			return err
		}
		c := waiting[next]
		if next++; next == len(waiting) {
			waiting, next = waiting[:0], 0
		}
		if err := v.row(c, s); err != nil {
			return err
		}
		v.bar.Draw(v.rows, 0, output.Count(v.rows, "row"), time.Since(begin))
	}
	v.endGroup()
	if v.writer.printer == nil && v.writer.dir == "" { // no rows: still the header
		if err := v.writer.begin(0); err != nil {
			return err
		}
	}
	return v.writer.end()
}

// row writes and counts the row of a claim.
func (v *verifier) row(c claim, s api.Scored) error {
	similar := v.min.Admits(s.Ratio())
	missing := s.MissingA || s.MissingB
	score := make([]any, 6)
	if !missing {
		score = []any{similar, s.Sim, int64(s.Shared), int64(s.Union), share(s.Common, s.SizeA), share(s.Common, s.SizeB)}
	}
	if v.audit != nil {
		v.audit.claimed(c, s, similar && !missing)
	}
	if v.rows++; c.group != v.now.group {
		v.endGroup()
		v.now = groupCounts{group: c.group}
		return v.writer.row(c.part, append([]any{c.group, c.b, c.a}, score...)) // the keeper itself
	}
	v.now.others++
	switch {
	case missing:
		if v.missing++; v.absent == "" {
			v.absent = map[bool]string{true: c.a, false: c.b}[s.MissingA]
		}
	case similar:
		v.similar++
		v.now.similar++
	}
	if c.group == "" {
		return v.writer.row(c.part, append([]any{c.a, c.b}, score...))
	}
	score[4], score[5] = score[5], score[4] // b is the member
	return v.writer.row(c.part, append([]any{c.group, c.b, c.a}, score...))
}

// endGroup counts the group that has ended, if there is one.
func (v *verifier) endGroup() {
	if v.now.group == "" {
		return
	}
	v.groups++
	if v.now.others > v.largest.others {
		v.largest = v.now
	}
}

// share returns a part of a whole, or NULL.
func share(part, whole uint64) any {
	if whole == 0 {
		return nil
	}
	return float64(part) / float64(whole)
}

// summary describes all rows in a line.
func (v *verifier) summary() string {
	min, before := v.min.String(), ""
	if v.skipped > 0 {
		before = fmt.Sprintf("%s in parts of other runs; ", output.Count(v.skipped, "row"))
	}
	if v.groups == 0 {
		return before + fmt.Sprintf("%s: %s similar at %s, %s not%s", output.Count(v.rows, "pair"), output.Thousands(v.similar), min,
			output.Thousands(v.rows-v.similar-v.missing), v.missed())
	}
	others := v.rows - v.groups
	return before + fmt.Sprintf("%s of %s: %s similar to the keeper of the group at %s, %s not%s; of the %s others in the largest, %q, %s similar", output.Count(v.groups, "group"),
		output.Count(v.rows, "document"), output.Thousands(v.similar), min, output.Thousands(others-v.similar-v.missing), v.missed(),
		output.Thousands(v.largest.others), v.largest.group, output.Thousands(v.largest.similar))
}

// missed describes the rows without texts.
func (v *verifier) missed() string {
	if v.missing == 0 {
		return ""
	}
	return fmt.Sprintf(", %s without a text", output.Thousands(v.missing))
}

// incomplete returns the error of rows that could not be verified.
func (v *verifier) incomplete() error {
	if err := v.rejected(); err != nil || v.missing == 0 {
		return err
	}
	return exit.Failf(exit.Incomplete, "%s without a text; the first id that no text has: %s", output.Count(v.missing, "row"), output.EscapeControls(v.absent))
}
