package evaluate

// Report: a table of all settings, a plot of the recommended one, and the statements to use it.

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/internal/report"
)

// shown is the number of settings in the report; settings.csv lists all.
const shown = 15

var head = []string{"measure", "unit", "k", "rule", "held out", "precision", "recall", "F1", "ROC AUC", "average precision",
	"precision at 1", "precision at 3", "recall at precision 0.95"}

// report compares the settings and renders the result.
func (e Evaluation) report(ctx context.Context, t *task, all []*judged, o report.Options) (*report.Report, error) {
	o.Progressf("step 3 of 3: comparing %d settings", len(all))
	made, err := choose(ctx, t, all, e.Goal, t.once())
	if err != nil {
		return nil, err
	}
	known := 0
	for _, p := range t.pairs {
		if p.right {
			known++
		}
	}
	r := report.NewReport("Which measure suits these texts")
	r.Printf("%d queries of %d documents, in %d groups; %d queries have a right answer; %d pairs are known, %d of them right.", len(t.queries), len(t.docs), t.groups, t.answers, len(t.pairs), known)
	if t.open {
		r.Printf("Each query is judged on its right answers, and on the %d best of all other documents by each setting: these are wrong.", depth)
	}
	if n := t.leftOpen(); n > 0 {
		r.Printf("Of %d pairs nobody says whether they are right: the two have a right answer in common, or the second has the first as an answer. They are not "+
			"judged, but stand among the nearest. If queries are never answers, put the answers into a collection of their own, and name it with --against.", n)
	}
	if t.left > 0 {
		r.Printf("%d queries were left out: %d are enough, taken at equal distances.", t.left, maxQueries)
	}
	r.Printf("Settings are sorted by %s on the half of the groups that the rule was not chosen by, the mean of %d halvings (held out). "+
		"The other figures are of all pairs, by the rule. The best %d of %d; settings.csv has all.", goalNames[e.Goal], 2*halvings, min(shown, len(made)), len(made))
	var rows [][]string
	for _, c := range made {
		rows = append(rows, c.row())
	}
	r.Table("", head, rows[:min(shown, len(rows))])
	r.Data("settings", head, rows)
	r.Data("thresholds", []string{"measure", "unit", "k", "from", "precision", "recall", "F1"}, sweeps(made[:min(5, len(made))]))
	r.Printf("## The best of each rule")
	r.Table("rules", append([]string{"of the rules by"}, head...), bestOfEach(made))
	r.Printf("## %s by threshold", made[0])
	r.Printf("```\n%s```", plot(made[0].judged))
	recommend(r, e, t, made)
	return r, nil
}

// leftOpen counts the unjudged pairs.
func (t *task) leftOpen() (n int) {
	for _, known := range t.known {
		for _, pair := range known {
			if pair == unjudged {
				n++
			}
		}
	}
	return n
}

// bestOfEach lists the best setting per kind of rule.
func bestOfEach(made []choice) (rows [][]string) {
	best := map[string]choice{}
	for _, c := range made {
		if old, ok := best[c.kind.name()]; !ok || c.heldOut > old.heldOut {
			best[c.kind.name()] = c
		}
	}
	for _, k := range kinds {
		if c, ok := best[k.name()]; ok {
			rows = append(rows, append([]string{k.name()}, c.row()...))
			delete(best, k.name())
		}
	}
	return rows
}

var goalNames = map[string]string{"f1": "F1", "recall": "recall at precision 0.95", "auc": "the area under the ROC curve",
	"ap": "average precision", "p1": "precision at 1", "p3": "precision at 3"}

// row formats a choice for settings.csv.
func (c choice) row() []string {
	w := c.task.once()
	at, ranked := c.from(w, c.rule), c.ranks(w)
	_, sure := c.fit(c.kind, w, "recall")
	unit, k := c.unit, ""
	if c.k > 0 {
		k = strconv.Itoa(c.k)
	}
	return []string{c.using + c.ignores(), unit, k, c.rule.String(), three(c.heldOut), three(at.precision()), three(at.recall()), three(at.f1()),
		three(c.auc(w)), three(ranked.average), three(ranked.first), three(ranked.three), three(sure)}
}

// three formats a number with three decimals.
func three(x float64) string { return strconv.FormatFloat(x, 'f', 3, 64) }

// decimal formats a number with as few decimals as possible.
func decimal(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// sweeps tabulates some settings at thresholds in steps of 0.01.
func sweeps(made []choice) (rows [][]string) {
	for _, c := range made {
		for n := 1; n <= 100; n++ {
			at := c.from(c.task.once(), rule{least: float64(n) / 100})
			rows = append(rows, []string{c.using + c.ignores(), c.unit, strconv.Itoa(c.k), strconv.FormatFloat(float64(n)/100, 'f', 2, 64),
				three(at.precision()), three(at.recall()), three(at.f1())})
		}
	}
	return rows
}

// plot draws precision and recall over the threshold, in steps of 0.1.
func plot(j *judged) string {
	const columns, lines = 50, 10
	var grid [lines + 1][columns + 1]byte
	for i := range grid {
		for c := range grid[i] {
			grid[i][c] = ' '
		}
	}
	put := func(c int, value float64, mark byte) {
		cell := &grid[lines-int(math.Round(value*lines))][c]
		if *cell != ' ' {
			mark = '*'
		}
		*cell = mark
	}
	for c := range columns + 1 {
		at := j.from(j.task.once(), rule{least: max(float64(c)/columns, 1e-12)})
		if at.found+at.wrong > 0 {
			put(c, at.precision(), 'p')
		}
		put(c, at.recall(), 'r')
	}
	var b strings.Builder
	for i, line := range grid {
		fmt.Fprintf(&b, "%3.1f |%s\n", float64(lines-i)/lines, strings.TrimRight(string(line[:]), " "))
	}
	fmt.Fprintf(&b, "    +%s\n     0    0.1  0.2  0.3  0.4  0.5  0.6  0.7  0.8  0.9  1\n     p precision, r recall, * both, from a threshold on\n", strings.Repeat("-", columns+1))
	return b.String()
}

// statement returns the query that a choice amounts to, on the searched collection or on one with
// other settings.
func (e Evaluation) statement(c choice) string {
	in, made := cmp.Or(e.Against, e.Collection), ""
	if !c.suits(e.settings) {
		in, made = "tried", fmt.Sprintf("CREATE COLLECTION tried WITH (%s);\n", c.with())
	}
	of := ""
	if e.Against != "" && e.Against != e.Collection {
		of = " OF " + e.Collection
	}
	nearest, where := c.rule.clause()
	return fmt.Sprintf("%sSIMILAR TO 'ID'%s%s IN %s USING %s%s%s", made, of, nearest, in, c.using, c.ignores(), where)
}

// recommend describes the use of the first choice, its confidence, and the result of the
// defaults.
func recommend(r *report.Report, e Evaluation, t *task, made []choice) {
	best := made[0]
	r.Printf("## Recommended")
	r.Printf("```sql\n%s;\n```", e.statement(best))
	var f1s, precisions, recalls []float64
	old, byDefault := best, rule{least: defaultThreshold}
	for _, c := range made {
		if c.isDefault() {
			old = c
		}
	}
	rng := rand.New(rand.NewPCG(3, 0))
	better := 0
	for range resamples {
		w := t.once().resample(rng)
		at := best.from(w, best.rule)
		f1s, precisions, recalls = append(f1s, at.f1()), append(precisions, at.precision()), append(recalls, at.recall())
		if at.f1() > old.from(w, byDefault).f1() {
			better++
		}
	}
	at, now := best.from(t.once(), best.rule), old.from(t.once(), byDefault)
	r.Printf("Expect F1 %s (%s), precision %s (%s), recall %s (%s). In parentheses: where 95 %% of %d resamples of the groups lie. "+
		"On documents that the numbers were not chosen by expect %s %s.",
		three(at.f1()), interval(f1s), three(at.precision()), interval(precisions), three(at.recall()), interval(recalls),
		resamples, goalNames[e.Goal], three(best.heldOut))
	if best.counts() > 0 || strings.Contains(best.using, "idf") {
		r.Printf("It counts documents: the figures are those of a collection with the %d documents that it was tried on, or others like them.", len(t.docs))
	}
	r.Printf("The default, jaccard of 3 words from %s on, has F1 %s, precision %s, recall %s. In %d of %d resamples the recommended setting has a higher F1.",
		decimal(defaultThreshold), three(now.f1()), three(now.precision()), three(now.recall()), better, resamples)
	var near []string
	for _, c := range made[1:] {
		if c.heldOut >= best.heldOut-tolerance(best.heldOut) && len(near) < 5 {
			near = append(near, fmt.Sprintf("%s, %s", c.judged, c.rule))
		}
	}
	if near != nil {
		r.Printf("As good: %s.", strings.Join(near, "; "))
	}
	if t.groups < fewGroups {
		r.Printf("The truth has %d groups only. With fewer than %d, chance decides between settings that are near to each other.", t.groups, fewGroups)
	}
}

const (
	defaultThreshold = 0.8
	fewGroups        = 50
)

// isDefault reports whether the setting is that of a collection with default settings.
func (s setting) isDefault() bool {
	return s.using == "jaccard" && s.unit == "word" && s.k == 3 && s.ignoring == 0
}

// suits reports whether a collection with the given settings can evaluate the setting.
func (s setting) suits(of api.Settings) bool {
	return s.unit == "" || s.unit == cmp.Or(of.Unit, "word") && s.k == of.K
}

// with returns the WITH clause that creates a suitable collection.
func (s setting) with() string {
	unit, k := s.unit, s.k
	if unit == "" {
		unit, k = "word", 3
	}
	settings := []string{fmt.Sprintf("unit = '%s', k = %d", unit, k)}
	return strings.Join(append(settings, s.keeps...), ", ")
}

// interval formats the range of the middle 95 % of values.
func interval(values []float64) string {
	slices.Sort(values)
	n := len(values)
	return three(values[n/40]) + " to " + three(values[n-1-n/40])
}
