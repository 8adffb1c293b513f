package main

// The search: hill climbing over the choices of each class.

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"slices"
	"time"
)

// champion is the dearest statement of a class by one score.
type champion struct {
	choices []uint32
	statement
	cost
}

// The scores: the search maximises each by itself.
var scores = []struct {
	name string
	of   func(c cost) int64
}{
	{"CPU", func(c cost) int64 { return int64(c.cpu) }},
	{"heap", func(c cost) int64 { return c.heap }},
	{"late", func(c cost) int64 { return int64(c.late) }},
}

// hunt is the state of the search.
type hunt struct {
	rng     *rand.Rand
	classes []class
	best    [][]*champion // by class and score
	tried   []int
	wrong   []map[string]int // errors of rejected statements, by class
}

func newHunt(seed uint64, classes []class) *hunt {
	h := &hunt{rng: rand.New(rand.NewPCG(seed, 1)), classes: classes, tried: make([]int, len(classes))}
	for range classes {
		h.best = append(h.best, make([]*champion, len(scores)))
		h.wrong = append(h.wrong, map[string]int{})
	}
	return h
}

// climb tries statements of each class in turn until the time is over.
func (h *hunt) climb(ctx context.Context, t *trials, until time.Time) error {
	for i := 0; time.Now().Before(until) && ctx.Err() == nil; i++ {
		which := i % len(h.classes)
		if err := h.try(t, which); err != nil {
			return err
		}
	}
	return nil
}

// try tries a statement: a new one, or a mutation of a champion. A rejected statement is cheap, so
// that try then goes on to another.
func (h *hunt) try(t *trials, which int) error {
	for range 20 {
		if accepted, err := h.one(t, which); accepted || err != nil {
			return err
		}
	}
	return nil
}

// one tries one statement, and reports whether the server accepted it.
func (h *hunt) one(t *trials, which int) (accepted bool, err error) {
	c := h.classes[which]
	limit := t.limit
	var choices []uint32
	if from := h.best[which][h.rng.IntN(len(scores))]; from != nil && h.rng.IntN(3) > 0 {
		choices = h.mutate(from.choices)
		// A limit at any moment of the statement meets each of its phases.
		if h.rng.IntN(2) == 0 {
			limit = min(limit, max(20*time.Millisecond, time.Duration(h.rng.Float64()*float64(from.cpu))))
		}
	}
	d := &draw{rng: h.rng, choices: choices, real: t.real}
	d.src = c.draw(d)
	d.choices = d.choices[:d.at]
	spent, err := t.run(&d.statement, c.fresh, limit)
	if err != nil {
		return false, err
	}
	h.tried[which]++
	if spent.wrong() {
		h.wrong[which][spent.ended]++
	}
	accepted = !spent.wrong() || spent.cpu > time.Second/2
	for i, s := range scores {
		if best := h.best[which][i]; accepted && (best == nil || s.of(spent) > s.of(best.cost)) {
			h.best[which][i] = &champion{d.choices, d.statement, spent}
		}
	}
	return accepted, nil
}

// mutate changes a few choices, and sometimes draws the end anew.
func (h *hunt) mutate(choices []uint32) []uint32 {
	out := slices.Clone(choices)
	for range 1 + h.rng.IntN(3) {
		if len(out) > 0 {
			out[h.rng.IntN(len(out))] = h.rng.Uint32()
		}
	}
	if len(out) > 0 && h.rng.IntN(4) == 0 {
		out = out[:h.rng.IntN(len(out))]
	}
	return out
}

// print prints the champions.
func (h *hunt) print(out io.Writer) {
	fmt.Fprintln(out, "| class | most | statement | CPU | heap | after the limit | rows | ended by |")
	fmt.Fprintln(out, "| --- | --- | --- | ---: | ---: | ---: | ---: | --- |")
	for i, c := range h.classes {
		for j, s := range scores {
			b := h.best[i][j]
			if b == nil || s.of(b.cost) == 0 {
				continue
			}
			fmt.Fprintf(out, "| %s | %s | %s | %.2f s | %d MB | %.2f s | %d | %s |\n", c.name, s.name, &b.statement, b.cpu.Seconds(), b.heap>>20, b.late.Seconds(), b.rows, b.ended)
		}
	}
	for i, c := range h.classes {
		fmt.Fprintf(out, "\n%s: %d tried", c.name, h.tried[i])
		for _, message := range slices.SortedFunc(maps.Keys(h.wrong[i]), func(a, b string) int { return cmp.Compare(h.wrong[i][b], h.wrong[i][a]) }) {
			fmt.Fprintf(out, "\n  %4d %s", h.wrong[i][message], message)
		}
	}
	fmt.Fprintln(out)
}
