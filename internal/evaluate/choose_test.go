package evaluate

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
)

// Of a setting that tells right from wrong and others that do not, the first is
// recommended, with a threshold between the two.
func TestChoosesWhatTellsThemApart(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 3))
		known, docs := truth{}, []string{}
		for q := range 60 {
			for d := range 4 {
				docs = append(docs, fmt.Sprintf("d%02d-%d", q, d))
				known.rows = append(known.rows, row{a: fmt.Sprintf("q%02d", q), b: docs[len(docs)-1], right: d == 0})
			}
		}
		task := newTask(known, docs, true)
		var all []*judged
		good := r.IntN(6)
		for n := range 6 {
			s := scored{setting: setting{using: fmt.Sprint(n)}}
			for _, p := range task.pairs {
				switch {
				case n != good:
					s.scores = append(s.scores, r.Float64())
				case p.right:
					s.scores = append(s.scores, 0.6+0.4*r.Float64())
				default:
					s.scores = append(s.scores, 0.4*r.Float64())
				}
			}
			all = append(all, judge(task, s))
		}
		for _, goal := range Goals {
			made, err := choose(context.Background(), task, all, goal, task.once())
			if err != nil {
				t.Fatal(err)
			}
			if made[0].using != fmt.Sprint(good) || len(made) != len(all) {
				t.Errorf("seed %d, %s: %s is recommended, want %d", seed, goal, made[0].using, good)
			}
			if at := made[0].rule.least; at < 0.4 || at > 0.6 && goal == "f1" {
				t.Errorf("seed %d, %s: from %v on, want 0.4 to 0.6", seed, goal, at)
			}
		}
	}
}
