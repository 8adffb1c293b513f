// Command notes measures by which measure, and from which threshold on, two short notes say the same
// fact: on pairs that a person has labelled. Pairs of even ids choose the threshold, the odd ones judge it.
package main

import (
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/notes"
	"github.com/simdb/simdb/internal/shingle"
	"github.com/simdb/simdb/internal/text"
)

type pair struct {
	id   int
	same bool
	kind string
	a, b string
}

// candidate is a measure of two texts.
type candidate struct {
	name string
	sim  func(a, b string) float64
}

// rules are what may tell two texts apart, whatever their similarity.
var rules = []struct {
	name  string
	apart []notes.Difference
}{
	{"none", nil},
	{"numbers, negations", []notes.Difference{notes.Number, notes.Negation}},
	{"numbers, negations, words", []notes.Difference{notes.Number, notes.Negation, notes.Word}},
	{"all", []notes.Difference{notes.Number, notes.Negation, notes.Word, notes.Order}},
}

func main() {
	verbose := flag.Bool("v", false, "list the pairs that rule all and jaccard of characters, k = 4, from 0.4 on, get wrong")
	flag.Parse()
	pairs, err := read("pairs.tsv")
	held, heldErr := read("held.tsv")
	if err != nil || heldErr != nil {
		fmt.Fprintln(os.Stderr, "notes: run it in bench/notes:", err, heldErr)
		os.Exit(1)
	}
	fmt.Println("| told apart by | measure | from | F1 of even | precision | recall | F1 of odd | of 150 other facts taken for the same | held back: precision | recall |")
	fmt.Println("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |")
	for _, rule := range rules {
		for _, c := range candidates() {
			score := func(p pair) float64 {
				d := notes.Differ(p.a, p.b)
				for _, apart := range rule.apart {
					if d == apart {
						return 0
					}
				}
				return c.sim(p.a, p.b)
			}
			row(rule.name, c.name, judge(pairs, score), judge(held, score))
		}
	}
	if !*verbose {
		return
	}
	for _, p := range append(pairs, held...) {
		d := notes.Differ(p.a, p.b)
		sim := ofBags(text.Char, 4, api.Jaccard)(p.a, p.b)
		if got := d == notes.None && sim >= 0.4; got != p.same {
			fmt.Printf("%d %s, same %v: %.2f, %s\n  %s\n  %s\n", p.id, p.kind, p.same, sim, d, p.a, p.b)
		}
	}
}

func read(file string) (all []pair, err error) {
	b, err := os.ReadFile(file)
	for line := range strings.Lines(string(b)) {
		c := strings.Split(strings.TrimSpace(line), "\t")
		if id, err := strconv.Atoi(c[0]); err == nil && len(c) == 5 {
			all = append(all, pair{id, c[1] == "1", c[2], c[3], c[4]})
		}
	}
	return all, err
}

func candidates() (all []candidate) {
	for k := 1; k <= 3; k++ {
		all = append(all, candidate{fmt.Sprintf("jaccard, words, k = %d", k), ofBags(text.Word, k, api.Jaccard)})
	}
	for k := 3; k <= 5; k++ {
		all = append(all, candidate{fmt.Sprintf("jaccard, characters, k = %d", k), ofBags(text.Char, k, api.Jaccard)})
	}
	query, doc, sets := ofBags(text.Word, 1, api.ContainmentOfQuery), ofBags(text.Word, 1, api.ContainmentOfDoc), ofBags(text.Word, 1, api.Jaccard)
	return append(all,
		candidate{"containment, words, k = 1, the better way", func(a, b string) float64 { return max(query(a, b), doc(a, b)) }},
		candidate{"jaccard, words that are no stop words", func(a, b string) float64 { return sets(content(a), content(b)) }},
		candidate{"words (cosine)", func(a, b string) float64 {
			return measure.Cosine(measure.WordsOf(a, 0), measure.WordsOf(b, 0), nil).Sim()
		}})
}

func ofBags(unit text.Unit, k int, m api.Measure) func(a, b string) float64 {
	read, formula := shingle.Analysis{Unit: unit, K: k}, measure.FormulaOf(m, api.Args{})
	return func(a, b string) float64 {
		score, ok := formula.Match(read.Bag(a), read.Bag(b), api.Threshold{})
		if !ok {
			return 0
		}
		return score.Sim()
	}
}

// content is a text without stop words.
func content(doc string) string {
	norm := text.Word.Normalize(nil, doc)
	var out []string
	for t := range text.Words(norm) {
		if word := string(norm[t.Start:t.End]); !text.IsStopWord(word) {
			out = append(out, word)
		}
	}
	return strings.Join(out, " ")
}

// judged is the similarities of pairs.
type judged struct {
	pairs []pair
	sims  []float64
}

func judge(pairs []pair, score func(pair) float64) (j judged) {
	j.pairs = pairs
	for _, p := range pairs {
		j.sims = append(j.sims, score(p))
	}
	return j
}

// counts are of the pairs from a similarity on whose ids leave a rest by 2; −1 means all.
func (j judged) counts(from float64, rest int) (right, wrong, missed float64) {
	for i, p := range j.pairs {
		same := j.sims[i] >= from
		switch {
		case rest >= 0 && p.id%2 != rest:
		case same && p.same:
			right++
		case same:
			wrong++
		case p.same:
			missed++
		}
	}
	return right, wrong, missed
}

func f1(right, wrong, missed float64) float64 { return 2 * right / (2*right + wrong + missed) }

func row(rule, name string, chosen, held judged) {
	best, from := 0.0, 0.0
	for percent := 5; percent <= 100; percent += 5 {
		if f := f1(chosen.counts(float64(percent)/100, 0)); f > best+1e-9 {
			best, from = f, float64(percent)/100
		}
	}
	right, wrong, missed := chosen.counts(from, 1)
	_, all, _ := chosen.counts(from, -1)
	heldRight, heldWrong, heldMissed := held.counts(from, -1)
	fmt.Printf("| %s | %s | %.2f | %.3f | %.3f | %.3f | %.3f | %.0f | %.3f | %.3f |\n", rule, name, from, best,
		right/(right+wrong), right/(right+missed), f1(right, wrong, missed), all, heldRight/(heldRight+heldWrong), heldRight/(heldRight+heldMissed))
}
