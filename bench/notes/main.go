package main

import (
	"bufio"
	"fmt"
	"os"
	"slices"
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

func main() {
	var ps []pair
	f, _ := os.Open("pairs.tsv")
	sc := bufio.NewScanner(f)
	for sc.Scan() {
		c := strings.Split(sc.Text(), "\t")
		if len(c) != 5 || c[0] == "id" {
			continue
		}
		id, _ := strconv.Atoi(c[0])
		ps = append(ps, pair{id, c[1] == "1", c[2], c[3], c[4]})
	}
	type cand struct {
		name string
		sim  func(a, b string) float64
	}
	var cs []cand
	bags := func(u text.Unit, k int, m api.Measure) func(a, b string) float64 {
		an := shingle.Analysis{Unit: u, K: k}
		fo := measure.FormulaOf(m, api.Args{})
		return func(a, b string) float64 {
			s, ok := fo.Match(an.Bag(a), an.Bag(b), api.Threshold{})
			if !ok {
				return 0
			}
			return s.Sim()
		}
	}
	for k := 1; k <= 3; k++ {
		cs = append(cs, cand{fmt.Sprint("jaccard, words, k=", k), bags(text.Word, k, api.Jaccard)})
	}
	for k := 2; k <= 7; k++ {
		cs = append(cs, cand{fmt.Sprint("jaccard, characters, k=", k), bags(text.Char, k, api.Jaccard)})
	}
	q, d := bags(text.Word, 1, api.ContainmentOfQuery), bags(text.Word, 1, api.ContainmentOfDoc)
	cs = append(cs, cand{"containment, words, k=1, better way", func(a, b string) float64 { return max(q(a, b), d(a, b)) }})
	cs = append(cs, cand{"words (cosine, no stop words)", func(a, b string) float64 {
		return measure.Cosine(measure.WordsOf(a), measure.WordsOf(b), nil).Sim()
	}})
	cs = append(cs, cand{"jaccard, words, k=1, no stop words", func(a, b string) float64 {
		strip := func(s string) string {
			n := text.Word.Normalize(nil, s)
			var o []string
			for t := range text.Words(n) {
				if w := string(n[t.Start:t.End]); !text.IsStopWord(w) {
					o = append(o, w)
				}
			}
			return strings.Join(o, " ")
		}
		return bags(text.Word, 1, api.Jaccard)(strip(a), strip(b))
	}})
	guards := []struct {
		name string
		ok   func(a, b string) bool
	}{
		{"none", func(a, b string) bool { return true }},
		{"numbers, negations", func(a, b string) bool { d := notes.Differ(a, b); return d == notes.None || d == notes.Word }},
		{"and words", func(a, b string) bool { return notes.Differ(a, b) == notes.None }},
	}
	for _, g := range guards {
		for _, c := range cs {
			sims := make([]float64, len(ps))
			for i, p := range ps {
				if g.ok(p.a, p.b) {
					sims[i] = c.sim(p.a, p.b)
				}
			}
			count := func(t float64, rem int) (tp, fp, fn int) {
				for i, p := range ps {
					if p.id%2 != rem {
						continue
					}
					got := sims[i] >= t && sims[i] > 0
					switch {
					case got && p.same:
						tp++
					case got:
						fp++
					case p.same:
						fn++
					}
				}
				return
			}
			f1 := func(tp, fp, fn int) float64 { return 2 * float64(tp) / float64(2*tp+fp+fn) }
			best, bt := -1.0, 0.0
			for t := 0.05; t <= 1.0001; t += 0.05 {
				if f := f1(count(t, 0)); f > best+1e-9 {
					best, bt = f, t
				}
			}
			tp, fp, fn := count(bt, 1)
			atp, afp, afn := count(bt, 0)
			fpk := map[string]int{}
			for i, p := range ps {
				if !p.same && sims[i] >= bt {
					fpk[p.kind]++
				}
				if p.same && sims[i] < bt {
					fpk["-"+p.kind]++
				}
			}
			fmt.Printf("%-20s %-40s t=%.2f train F1 %.3f (fp %d) | test P %.3f R %.3f F1 %.3f (fp %d of 75) %v\n", g.name, c.name, bt, f1(atp, afp, afn), afp, float64(tp)/float64(tp+fp), float64(tp)/float64(tp+fn), f1(tp, fp, fn), fp, fpk)
		}
	}
	if len(os.Args) > 1 {
		for _, p := range ps {
			if d := notes.Differ(p.a, p.b); (d == notes.None) != p.same {
				fmt.Println(p.id, p.same, p.kind, d, "|", p.a, "|", p.b)
			}
		}
	}
	_ = slices.Sort[[]int]
}
