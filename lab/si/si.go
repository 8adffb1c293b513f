// Package si repeats the experiment of paper 000: every combination of method,
// stream, variation, k and w on fifteen documents, scored as the paper scores
// them and set beside what it prints. A folder of documents comes in, a report
// goes out.
package si

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/simdb/simdb/internal/report"
	"github.com/simdb/simdb/internal/sketch"
	"github.com/simdb/simdb/lab/corpora"
)

// Run applies the whole grid to the documents at the top of dir. The documents are
// those of corpora/roth: eleven in three families, with the names of the paper, and
// others. It takes about a minute, most of it for method 14.
//
// Another folder, or a file of JSON lines, is scored by its labels; see labelled.
func Run(ctx context.Context, dir string, o report.Options) (*report.Report, error) {
	all := func(int) bool { return true }
	if !isPaper(dir) {
		return labelled(ctx, dir, o, all)
	}
	return reportOf(ctx, dir, o, all)
}

// reportOf is Run for some methods, which are given by their numbers on characters.
func reportOf(ctx context.Context, dir string, o report.Options, methods func(base int) bool) (*report.Report, error) {
	docs, err := readDocs(dir)
	if err != nil {
		return nil, err
	}
	all := grid(sketch.DefaultN, methods)
	if err := applyAll(ctx, all, docs, o); err != nil {
		return nil, err
	}
	extremes := func(base int) bool { return 7 <= base && base <= 10 }
	with200 := grid(200, func(base int) bool { return extremes(base) && methods(base) })
	if err := applyAll(ctx, with200, docs, o); err != nil {
		return nil, err
	}
	o.Progressf("other k")
	r := report.NewReport("The similarity index, paper 000")
	r.Printf("%d documents. Two are alike where the index of the second lies strictly within ±30 %% of the first's. "+
		"A score is correct / (false negatives + false positives), counted as in the paper: a 1 is expected in the %d cells of the three zones "+
		"and in the diagonal of the other documents. The texts are not the paper's own: see the README of the corpus; "+
		"neither its stop words nor its Rabin polynomial are known. Nothing here is left to chance: the same texts give the same report.", len(docs), zoneCells)
	claims(r, all, docs)
	fiveCandidates(r, docs)
	bestOfAll(r, all)
	families(r, all)
	lowestAndHighest(r, all, with200)
	otherK(r, docs)
	why(r, all)
	r.Data("grid", gridHead, gridRows(all))
	return r, nil
}

// claims sets what the paper says beside what is found.
func claims(r *report.Report, all []result, docs []corpora.Doc) {
	above := above1(all)
	top := best(all)[:min(10, len(all))]
	five := top[:min(5, len(top))]
	var full []string
	for _, a := range all {
		if name := a.si.String(); a.asExpected() == zoneCells && !slices.Contains(full, name) {
			full = append(full, name)
		}
	}
	inB := count(five, func(a result) bool { return a.si.Variation == 'B' })
	winnowing := count(five, func(a result) bool { return a.si.Method%20 == 5 || a.si.Method%20 == 6 })
	withK8 := count(top, func(a result) bool { return a.si.K == 8 })
	var rows [][]string
	add := func(claim, paper, here string) {
		verdict := "differs"
		if paper == here {
			verdict = "agrees"
		}
		rows = append(rows, []string{claim, paper, here, verdict})
	}
	add("combinations", fmt.Sprint(paperRuns), fmt.Sprint(len(all)))
	add("with a score above 1", fmt.Sprint(paperAbove1), fmt.Sprint(len(above)))
	add("best combination", candidates[0].si, top[0].si.String())
	add("its score", candidates[0].score, top[0].score())
	add("zones as tables 6 to 8 expect, among the paper's best five", "m43b k40, m3b k16", listed(fullOfFive(docs)))
	add("the same, among all", "not told", listed(full))
	add("of the best five, in variation B", "4", fmt.Sprint(inB))
	add("of the best five, winnowing", "0", fmt.Sprint(winnowing))
	add("of the best ten, with k = 8", "0", fmt.Sprint(withK8))
	add("methods most often above 1, streams together", "9 (23), 3 (21), 7 (21)", mostOften(above, 3))
	r.Printf("## What the paper claims")
	r.Table("claims", []string{"claim", "paper", "here", ""}, rows)
	r.Printf("The paper counts method 13 on characters, which it says does not exist, with its %d: "+
		"without its %d there are %d.", paperRuns, paperMissing, paperRuns-paperMissing)
}

func count(results []result, is func(result) bool) (n int) {
	for _, a := range results {
		if is(a) {
			n++
		}
	}
	return n
}

func listed(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// fullOfFive names those of the paper's five candidates whose zones are all as
// expected here.
func fullOfFive(docs []corpora.Doc) (names []string) {
	for _, c := range candidates {
		if applied(c.si, docs).asExpected() == zoneCells {
			names = append(names, c.si)
		}
	}
	return names
}

func above1(results []result) (above []result) {
	for _, a := range results {
		if a.above1() {
			above = append(above, a)
		}
	}
	return above
}

// byFamily counts results by their methods' numbers on characters.
func byFamily(results []result) map[int]int {
	n := map[int]int{}
	for _, a := range results {
		n[a.si.Method%20]++
	}
	return n
}

// mostOften lists the n most frequent families with their counts, and those as
// frequent as the last of them.
func mostOften(results []result, n int) string {
	counts := byFamily(results)
	families := slices.Sorted(maps.Keys(counts))
	slices.SortStableFunc(families, func(a, b int) int { return counts[b] - counts[a] })
	var often []string
	for i, base := range families {
		if i < n || counts[base] == counts[families[n-1]] {
			often = append(often, fmt.Sprintf("%d (%d)", base, counts[base]))
		}
	}
	return listed(often)
}

// fiveCandidates sets tables 9 to 24 beside the same combinations here.
func fiveCandidates(r *report.Report, docs []corpora.Doc) {
	var rows, cells [][]string
	for _, c := range candidates {
		ours := applied(c.si, docs)
		equal := 0
		for z := range zones {
			zone := ours.zone(z)
			equal += equalCells(zone, c.zones[z])
			for i, name := range zones[z] {
				cells = append(cells, []string{c.si, name, spaced(c.zones[z][i]), spaced(zone[i])})
			}
		}
		rows = append(rows, []string{c.si,
			fmt.Sprint(c.counts.falsePositives), fmt.Sprint(ours.falsePositives),
			fmt.Sprint(c.counts.falseNegatives), fmt.Sprint(ours.falseNegatives),
			fmt.Sprint(c.counts.correct), fmt.Sprint(ours.correct), c.score, ours.score(), fmt.Sprintf("%d of %d", equal, zoneCells)})
	}
	r.Printf("## Table 9: the paper's best five")
	r.Table("candidates", []string{"index", "false positives, paper", "here", "false negatives, paper", "here", "correct, paper", "here", "score, paper", "here", "zone cells alike"}, rows)
	r.Printf("## Tables 10 to 24: their zones\n\nThe columns of a row are the documents of its zone in the order of the rows.")
	r.Table("zones", []string{"index", "document", "paper", "here"}, cells)
}

func spaced(row string) string { return strings.Join(strings.Split(row, ""), " ") }

// applied returns a combination by its name, applied to the documents.
func applied(name string, docs []corpora.Doc) (r result) {
	si, err := sketch.ParseSI(name)
	if err != nil {
		panic(err) // a name of this package
	}
	r.si = si
	r.apply(docs)
	return r
}

func bestOfAll(r *report.Report, all []result) {
	rows := func(top []result) (rows [][]string) {
		top = slices.CompactFunc(top, func(a, b result) bool { return a.si.String() == b.si.String() }) // method 13 for each k
		for _, t := range top[:min(10, len(top))] {
			rows = append(rows, []string{t.si.String(), fmt.Sprint(t.falsePositives), fmt.Sprint(t.falseNegatives), fmt.Sprint(t.correct),
				t.score(), fmt.Sprintf("%d of %d", t.asExpected(), zoneCells)})
		}
		return rows
	}
	head := []string{"index", "false positives", "false negatives", "correct", "score", "zone cells as tables 6 to 8 expect"}
	r.Printf("## The best ten here, by the score")
	r.Table("best", head, rows(best(all)))
	r.Printf("## The best ten here, by agreement with tables 6 to 8")
	agreeing := best(all)
	slices.SortStableFunc(agreeing, func(a, b result) int { return b.asExpected() - a.asExpected() })
	r.Table("agreeing", head, rows(agreeing))
}

// families is figure 3: which methods are above 1, and how often.
func families(r *report.Report, all []result) {
	above := above1(all)
	method := map[int]int{}
	for _, a := range above {
		method[a.si.Method]++
	}
	together := byFamily(above)
	var rows [][]string
	for base := 1; base <= 14; base++ {
		paper := paperFamilies[base]
		paper = cmp.Or(paper, "not known")
		var inFigure []string
		for _, m := range figure3 {
			if m%20 == base {
				inFigure = append(inFigure, fmt.Sprint(m))
			}
		}
		rows = append(rows, []string{fmt.Sprint(base), fmt.Sprint(method[base]), fmt.Sprint(method[base+20]), fmt.Sprint(method[base+40]),
			fmt.Sprint(together[base]), paper, strings.Join(inFigure, " ")})
	}
	r.Printf("## Figure 3: methods with a score above 1\n\nThe paper's bars are lost but for three sums in its text and the methods below the bars, "+
		"which by their number begin with the most frequent: %s. There is no method 35.", strings.Trim(fmt.Sprint(figure3), "[]"))
	r.Table("families", []string{"method", "on characters", "on words (+20)", "on Soundex codes (+40)", "together", "together, paper", "in the paper's figure"}, rows)
}

// lowestAndHighest compares the two numbers that the paper gives for n.
func lowestAndHighest(r *report.Report, all, with200 []result) {
	var rows [][]string
	for base := 7; base <= 10; base++ {
		row := []string{fmt.Sprint(base)}
		for _, results := range [][]result{all, with200} {
			var of []result
			for _, a := range results {
				if a.si.Method%20 == base {
					of = append(of, a)
				}
			}
			if len(of) == 0 {
				row = append(row, "-", "-", "-")
				continue
			}
			top := best(of)[0]
			row = append(row, fmt.Sprint(len(above1(of))), top.si.String(), top.score())
		}
		rows = append(rows, row)
	}
	r.Printf("## 400 or 200 hashes\n\nThe paper says 400 where it defines methods 7 to 10 and 200 where it concludes.")
	r.Table("n", []string{"method", "above 1, n 400", "best", "score", "above 1, n 200", "best", "score"}, rows)
}

// otherK shows how far the paper's best method depends on its k.
func otherK(r *report.Report, docs []corpora.Doc) {
	const from, to = 4, 60
	var results []result
	var rows [][]string
	full := 0
	for k := from; k <= to; k++ {
		a := applied(fmt.Sprintf("m43b k%d", k), docs)
		results = append(results, a)
		if a.asExpected() == zoneCells {
			full++
		}
		rows = append(rows, []string{fmt.Sprint(k), fmt.Sprint(a.falsePositives), fmt.Sprint(a.falseNegatives), fmt.Sprint(a.correct), a.score(), fmt.Sprint(a.asExpected())})
	}
	order := best(results)
	lowest, median, highest := order[len(order)-1], order[len(order)/2], order[0]
	r.Printf("## The best method with other k\n\nMethod 43B with each k from %d to %d (k.csv): the scores go from %s (k %d) over %s, the median, to %s (k %d); "+
		"%d of the %d agree with tables 6 to 8 in full. Neighbouring k do not have neighbouring scores.",
		from, to, lowest.score(), lowest.si.K, median.score(), highest.score(), highest.si.K, full, len(results))
	r.Data("k", []string{"k", "false positives", "false negatives", "correct", "score", "zone cells as expected"}, rows)
	r.Figure("k", "Score and zone cells as expected, by k")
}

var gridHead = []string{"method", "variation", "k", "w", "false positives", "false negatives", "correct", "score", "zone cells as expected"}

func gridRows(all []result) (rows [][]string) {
	for _, a := range all {
		rows = append(rows, []string{fmt.Sprint(a.si.Method), string(a.si.Variation), fmt.Sprint(a.si.K), fmt.Sprint(a.w),
			fmt.Sprint(a.falsePositives), fmt.Sprint(a.falseNegatives), fmt.Sprint(a.correct), a.score(), fmt.Sprint(a.asExpected())})
	}
	return rows
}

// why says what the figures have in common.
func why(r *report.Report, all []result) {
	walks := slices.DeleteFunc(slices.Clone(all), func(a result) bool {
		base := a.si.Method % 20
		return base != 1 && base != 3 || a.si.K < 8 || a.si.Variation > 'B'
	})
	extended := count(walks, func(a result) bool {
		return a.like(slices.Index(a.names, "Proverbs1-24.txt"), slices.Index(a.names, "Proverbs.txt"))
	})
	r.Printf(`## Why they differ

- A Java hash is a signed number. For grams of seven characters and more both signs are about as frequent, so the sum of
  many is a random walk: it says little of the text, and what one text has beyond another adds a second walk. For normal sums,
  a text and the same with a share e added lie within 30 %% with a chance of 2/π · arctan(0.3/√e): 0.32 for Proverbs, which
  has 0.30 more than Proverbs1-24. Methods 1 and 3 in variations A and B with k from 8 up find that pair in %d of %d
  combinations. So their ones and zeros depend on every hash: other texts, another list of stop words or another k make
  another pattern, and the full agreement of 43B in the paper can be one draw of many.
- Methods 5 and 6 of winnowing and 7 to 10 of extremes prefer hashes of one sign. Their sums do not cancel, they tell
  how many distinct hashes there are. Where these are far more than n, all long texts are alike under 7 and 9: most of their false
  positives are pairs of Proverbs with the Constitution. For 47C, correct ones and false negatives are as many as in the paper,
  and 400 comes nearer to the paper than 200.
- Grams of four characters have positive hashes only: their sums, too, tell the length.
- A Rabin hash (even numbers to 12) and a super shingle (14) of two sketches that differ are unrelated numbers. They find
  equal sketches; all other ones are chance.
- The families of methods with scores above 1 are mostly the paper's: sums (1, 3, 5, 7, 9), seldom a Rabin hash (4, 44 and 30 in its figure).
- The texts are other editions, three documents outside the zones are others than the paper's, and Compiled.class is binary: it is read as
  text with U+FFFD in the place of each byte that is not UTF-8.`, extended, len(walks))
}
