package main

// This file writes RESULTS.md: targets, growth, all figures, and the peers.

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/simdb/simdb/internal/report"
)

// writeReport reads the figures of simdb, and those of the peers from
// peers/raw.jsonl under the folder, and writes RESULTS.md there.
func writeReport(raw, dir string) error {
	own, err := readFigures(raw)
	if err != nil {
		return err
	}
	if len(own) == 0 {
		return fmt.Errorf("%s has no figures", raw)
	}
	peers, err := readFigures(filepath.Join(dir, "peers", "raw.jsonl"))
	if err != nil {
		return err
	}
	return reportOf(own, peers).Write(dir)
}

func reportOf(own, peers []figure) *report.Report {
	r := report.NewReport("Benchmark results of simdb")
	r.Printf("Written by `make bench-report` from the figures of `make bench` and `make bench-peers` in\n" +
		"[speed/raw.jsonl](speed/raw.jsonl) and [peers/raw.jsonl](peers/raw.jsonl); do not edit.\n" +
		"[docs/benchmarks.md](../docs/benchmarks.md) describes the method and the causes of missed targets. A figure is the median\n" +
		"of its rounds, with its minimum and maximum in brackets.")
	all := summarise(slices.Concat(own, peers))
	describeMachine(r, own)
	targetTable(r, all)
	growth(r, all)
	peerTables(r, all)
	r.Printf("## All figures of simdb")
	figureTable(r, summarise(own))
	return r
}

// describeMachine states what the last run was made on.
func describeMachine(r *report.Report, own []figure) {
	var lines []string
	for _, what := range []string{"machine", "vectors", "system", "go", "simdb"} {
		for _, f := range slices.Backward(own) {
			if f.Name == what {
				lines = append(lines, fmt.Sprintf("- %s: %s", what, f.Note))
				break
			}
		}
	}
	if len(lines) > 0 {
		r.Printf("%s", strings.Join(lines, "\n"))
	}
}

// measured finds the figure of a target.
func (t target) measured(all []summary) (summary, bool) {
	cores := t.cores
	if cores == 0 {
		cores = 2
	}
	find := func(peer, name string, documents int) int {
		return slices.IndexFunc(all, func(s summary) bool {
			return s.name == name && s.peer == peer && s.question == "" && s.cores == cores && (documents == 0 || s.documents == documents)
		})
	}
	peer := ""
	if t.overPeer != "" {
		peer = "simdb" // measured in turn with the other
	}
	i := find(peer, t.figure, t.documents)
	if i < 0 {
		return summary{}, false
	}
	if t.over == "" {
		return all[i], true
	}
	j := find(t.overPeer, t.over, cmp.Or(t.overOf, t.documents))
	if j < 0 || all[j].median == 0 {
		return summary{}, false
	}
	return summary{median: all[i].median / all[j].median, unit: "×"}, true
}

// misses says by what factor the figure misses the target; 1 or less is held.
func (t target) misses(s summary) float64 {
	if t.most != 0 {
		return s.median / t.most
	}
	if s.median == 0 {
		return 1e9
	}
	return t.least / s.median
}

func targetTable(r *report.Report, all []summary) {
	r.Printf("## Targets\n\nGenerated documents of 2 kB, shingles of three words, threshold 0.8, on two cores, unless stated otherwise.")
	var rows [][]string
	missed := 0
	for _, t := range targets {
		s, ok := t.measured(all)
		if !ok {
			continue
		}
		row := []string{t.work, s.spread(), t.aim, "yes"}
		if by := t.misses(s); by > 1 {
			missed++
			row[3] = fmt.Sprintf("**no**, by %s ×", number(by))
		}
		rows = append(rows, row)
	}
	r.Table("", []string{"figure", "measured", "target", "met"}, rows)
	r.Printf("%d met, %d missed.", len(rows)-missed, missed)
}

// growths are the figures whose growth is drawn, by the file they go to.
var growths = []struct {
	file, column, what string
	names              []string
}{
	{"growth", "seconds", "time", []string{"SIMILAR TO an id, up to 2 rows, median", "SIMILAR TO an id, up to 2 rows, 99 of 100",
		"SIMILAR TO a text, up to 2 rows, median", "SIMILAR PAIRS, word 3, 0.8", "SIMILAR PAIRS, word 3, 0.8, CPU of a document", "open to the first answer"}},
	{"growth-candidates", "candidates", "candidates of a search", []string{"candidates of a search, mean", "candidates of a search, 99 of 100"}},
	{"growth-bytes", "bytes", "bytes on the disk and in memory", []string{"disk", "opened and searched, memory", "import, peak memory", "SIMILAR PAIRS, word 3, 0.8, peak memory"}},
	{"growth-rate", "rate", "rates of imports", []string{"import, JSONL, whole process", pipedFigure, "import, from memory"}},
	{"growth-sets", "seconds", "time of searches by measures of sets", setGrowths()},
}

// setGrowths are the medians of what is asked about sets.
func setGrowths() (names []string) {
	for _, q := range setSearches {
		names = append(names, setFigure("", q.name, middle))
	}
	return names
}

// inBase converts a figure to seconds, bytes or pieces.
func (s summary) inBase() float64 {
	switch s.unit {
	case "µs":
		return s.median / 1e6
	case "ms":
		return s.median / 1e3
	case "MB":
		return s.median * 1e6
	case "kB/doc":
		return s.median * 1e3 * float64(s.documents)
	}
	return s.median
}

func growth(r *report.Report, all []summary) {
	sizes := documentNumbers(all)
	if len(sizes) < 2 {
		return
	}
	r.Printf("## Growth\n\nA figure grows in proportion to documentsᵉ; a least-squares fit on logarithmic axes gives e.")
	head := []string{"what"}
	for _, n := range sizes {
		head = append(head, thousands(n))
	}
	head = append(head, "e")
	var table [][]string
	drawn := map[string]bool{}
	for _, g := range growths {
		var rows [][]string
		for _, name := range g.names {
			row := []string{name}
			var x, y []float64
			for _, n := range sizes {
				cell := ""
				for _, s := range all {
					if s.peer == "" && s.name == name && s.documents == n && s.cores == 2 {
						cell = s.String()
						x, y = append(x, float64(n)), append(y, s.inBase())
						if s.median > 0 {
							rows = append(rows, []string{name, strconv.Itoa(n), strconv.FormatFloat(s.inBase(), 'g', 6, 64)})
						}
					}
				}
				row = append(row, cell)
			}
			e, ok := exponent(x, y)
			if !ok {
				row = append(row, "")
			} else {
				row = append(row, fmt.Sprintf("%.2f", e))
			}
			if len(x) > 0 {
				table = append(table, row)
			}
		}
		if len(rows) > 0 {
			drawn[g.file] = true
			r.Data(g.file, []string{"series", "documents", g.column}, rows)
		}
	}
	r.Table("", head, table)
	for _, g := range growths {
		if drawn[g.file] {
			r.Printf("![growth of %s](%s.svg)", g.what, g.file)
		}
	}
}

// documentNumbers are the sizes of generated corpora measured by themselves.
func documentNumbers(all []summary) (sizes []int) {
	for _, s := range all {
		if s.peer == "" && s.name == "disk" && !slices.Contains(sizes, s.documents) {
			sizes = append(sizes, s.documents)
		}
	}
	slices.Sort(sizes)
	return sizes
}

// thousands writes 1000000 as 1,000,000.
func thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// figureTable shows everything, a line for each figure and a column for each
// number of documents.
func figureTable(r *report.Report, all []summary) {
	var sizes []int
	type line struct {
		name  string
		cores int
	}
	var lines []line
	cells := map[line]map[int]string{}
	for _, s := range all {
		if s.documents == 0 {
			continue
		}
		if !slices.Contains(sizes, s.documents) {
			sizes = append(sizes, s.documents)
		}
		l := line{s.name, s.cores}
		if cells[l] == nil {
			cells[l] = map[int]string{}
			lines = append(lines, l)
		}
		cells[l][s.documents] = s.spread()
	}
	slices.Sort(sizes)
	head := []string{"figure", "cores"}
	for _, n := range sizes {
		head = append(head, thousands(n))
	}
	var rows [][]string
	for _, l := range lines {
		row := []string{l.name, strconv.Itoa(l.cores)}
		for _, n := range sizes {
			row = append(row, cells[l][n])
		}
		rows = append(rows, row)
	}
	r.Table("", head, rows)
}

// peerColumns are the figures of a peer that stand in its line.
var peerColumns = []string{"sketching", "load and index", "query, median", "query, 99 of 100", "query recall", "query precision",
	"pairs", "pairs recall", "pairs precision", // of texts
	"12 bits, median", "12 bits, each of 8", "12 bits recall", "3 bits, median", "3 bits recall", // of fingerprints
	"containment 0.8, median", "containment 0.8, 99 of 100", "containment 0.8 recall", "containment 0.8 precision",
	"containment 0.5, median", "containment 0.5, 99 of 100", "containment 0.5 recall", "containment 0.5 precision",
	"ten nearest, median", "ten nearest, 99 of 100", "ten nearest recall", // of texts by containment
	"peak memory", "disk"}

// peerTables shows the peers beside simdb, a table for each question, input and
// number of cores. What ended otherwise than well says so.
func peerTables(r *report.Report, all []summary) {
	type where struct {
		question         string
		documents, cores int
	}
	var places []where
	for _, s := range all {
		if w := (where{s.question, s.documents, s.cores}); s.peer != "" && !slices.Contains(places, w) {
			places = append(places, w)
		}
	}
	if len(places) == 0 {
		return
	}
	slices.SortFunc(places, func(a, b where) int {
		return cmp.Or(cmp.Compare(a.question, b.question), cmp.Compare(a.documents, b.documents), cmp.Compare(a.cores, b.cores))
	})
	r.Printf("## Peers\n\nAll peers get equal inputs and run one after another, each in a separate process. Recall and precision are relative to the exact answers, at 0.8 unless stated otherwise.")
	for _, w := range places {
		by := ""
		if w.question != "" {
			by = ", by " + w.question
		}
		r.Printf("### %s documents, %s%s", thousands(w.documents), coresOf(w.cores), by)
		var peers []string
		cells := map[string]map[string]string{}
		for _, s := range all {
			if s.peer == "" || (where{s.question, s.documents, s.cores}) != w {
				continue
			}
			if cells[s.peer] == nil {
				cells[s.peer] = map[string]string{}
				peers = append(peers, s.peer)
			}
			if s.name == "failed" || s.name == "version" {
				cells[s.peer][s.name] = s.note
			} else {
				cells[s.peer][s.name] = s.String()
			}
		}
		columns := slices.DeleteFunc(slices.Clone(peerColumns), func(c string) bool {
			return !slices.ContainsFunc(peers, func(p string) bool { return cells[p][c] != "" })
		})
		var rows [][]string
		for _, p := range peers {
			row := []string{p, cells[p]["version"]}
			for _, c := range columns {
				row = append(row, cells[p][c])
			}
			rows = append(rows, append(row, cells[p]["failed"]))
		}
		head := slices.Concat([]string{"peer", "version"}, columns, []string{"failed"})
		r.Table("", head, rows)
	}
}

func coresOf(n int) string {
	if n == 1 {
		return "one core"
	}
	return fmt.Sprintf("%d cores", n)
}
