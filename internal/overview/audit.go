package overview

// The page of an audit: how far the answers of another tool are right and complete.

import (
	"bufio"
	"context"
	"io"
	"strconv"
	"time"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
)

// Audit compares the answers of another tool with exact scores.
type Audit struct {
	Answers   string // name of the answers
	Question  Question
	Made      time.Time
	Documents int64
	Sampled   int64 // documents that an exact search compared with all others

	Rows, Right int64 // verified pairs of the tool, and those that are similar; of groups, keeper with member
	Recall      Estimate
	Precision   Estimate // of all pairs of a group, of groups

	Groups                        int64
	Largest                       string // group
	LargestOthers, LargestSimilar int64  // its members besides the keeper, and those similar to it

	Missed, Wrong []Compared // the worst cases
}

// Estimate is a share of pairs, with bounds of 95 % confidence.
type Estimate struct {
	Pairs              int64 // in the sample; 0: there is no share
	Share, Least, Most float64
}

// Compare finds the common passages of a pair.
func Compare(ctx context.Context, snap *simdb.Snapshot, q Question, p api.PairMatch) (Compared, error) {
	return compared(ctx, snap, q, p)
}

// WriteHTML writes the page, which loads nothing.
func (a *Audit) WriteHTML(w io.Writer) error {
	p := page{bufio.NewWriterSize(w, 64<<10)}
	title := "Audit of " + a.Answers
	p.begin(title)
	p.f("<h1>%s</h1>\n", title)
	p.f("<p class=\"dim\">A pair counts as similar from %s: %s%s. Estimates are marked; every other number is exact. Made by simdb on %s.</p>\n", percent(a.Question.Least.Float64()),
		words(a.Question.Measure, a.Question.Args), ignored(a.Question.Ignoring), a.Made.Format("2 January 2006, 15:04"))
	p.f("<table><thead><tr><th scope=\"col\">Figure</th><th scope=\"col\" class=\"num\">Value</th><th scope=\"col\">Basis</th></tr></thead><tbody>\n")
	row := func(name, value, basis string) {
		p.f("<tr><th scope=\"row\">%s</th><td class=\"num\">%s</td><td>%s</td></tr>\n", name, value, basis)
	}
	estimated := map[bool]string{true: ", estimated"}[a.Sampled < a.Documents]
	row("Recall"+estimated, a.Recall.String(), a.basis(a.Recall, "similar pairs"))
	verified := "Pairs that are similar"
	if a.Groups > 0 {
		verified = "Members similar to the first of their group"
		row("Precision of all pairs in groups"+estimated, a.Precision.String(), a.basis(a.Precision, "pairs in the groups"))
	}
	if a.Rows > 0 {
		row(verified, percent(float64(a.Right)/float64(a.Rows)), count(a.Right)+" of "+count(a.Rows))
	}
	if a.Groups > 0 {
		row("Largest group", count(a.LargestOthers+1)+" texts", a.Largest+": "+count(a.LargestSimilar)+" of "+count(a.LargestOthers)+" others are similar to its first")
		row("Groups", count(a.Groups), "of two texts or more")
	}
	p.f("</tbody></table>\n")
	if estimated != "" {
		p.f("<p class=\"dim\">Estimates rest on exact searches for %s of %s, drawn by a hash of the id; the bounds have 95 %% confidence and treat the pairs of one text as one observation.</p>\n",
			many(a.Sampled, "text"), count(a.Documents))
	}
	a.cases(p, "missed", "Missed: the most similar pairs that the answers lack", a.Missed)
	a.cases(p, "wrong", "Wrong: the least similar pairs that the answers contain", a.Wrong)
	p.f("</body></html>\n")
	return p.Flush()
}

// basis describes the pairs of an estimate.
func (a *Audit) basis(e Estimate, of string) string {
	if e.Pairs == 0 {
		return "the sample has no such pairs"
	}
	return count(e.Pairs) + " " + of + " of " + many(a.Sampled, "sampled text")
}

// cases shows pairs with their passages, in sections with ids.
func (a *Audit) cases(p page, id, title string, pairs []Compared) {
	p.f("<h2>%s</h2>\n", title)
	if len(pairs) == 0 {
		p.f("<p>There are none.</p>\n")
	}
	for i, c := range pairs {
		p.pair(id+strconv.Itoa(i+1), c)
	}
}

// String formats the share with its bounds.
func (e Estimate) String() string {
	switch {
	case e.Pairs == 0:
		return "–"
	case e.Least == e.Most:
		return percent(e.Share)
	}
	short := func(x float64) string { return strconv.FormatFloat(100*x, 'f', 1, 64) }
	return short(e.Share) + " % (" + short(e.Least) + " to " + short(e.Most) + ")"
}
