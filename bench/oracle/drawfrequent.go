package main

// How stores are drawn whose texts have the same words again and again. A segment of them has
// columns (index/column.go), which searches for one target ask or read.

import (
	"fmt"
	"strconv"
	"strings"
)

// frequent draws a store of one segment, or two, and about so many searches.
func (d *drawer) frequent(statements int) *Script {
	d.unit, d.prose, d.vocab = "word", false, 26
	d.script.SegmentSets = pick(d, []uint32{70, 100, 130})
	d.names = []string{"docs"}
	d.state(&Statement{Kind: "create", Name: "docs", Settings: map[string]string{"k": strconv.Itoa(1 + d.IntN(2))}, Limit: -1})
	s := &Statement{Kind: "insert", Name: "docs", Limit: -1}
	words, odds := 8+d.IntN(12), make([]int, 20)
	for i := range odds {
		odds[i] = 40 + d.IntN(60)
	}
	for i := range 130 + d.IntN(70) {
		text := []string{fmt.Sprint("r", d.IntN(40)), fmt.Sprint("s", d.IntN(40))}
		for w := range words {
			if d.IntN(100) < odds[w] {
				text = append(text, fmt.Sprint("w", w))
			}
		}
		d.texts = append(d.texts, strings.Join(text, " "))
		s.Rows = append(s.Rows, Document{ID: fmt.Sprintf("d%03d", i), Text: d.texts[i]})
	}
	if d.one(2) { // a set that repeats too much for postings
		s.Rows[0].Text += strings.Repeat(" w0", 10*words)
	}
	d.state(s)
	d.state(&Statement{Kind: "compact", Limit: -1})
	for range statements {
		d.churn()
		if d.one(16) {
			d.ask()
			continue
		}
		s := d.similarTo()
		op := "statement"
		if d.one(8) {
			op = "explain"
		}
		d.step(&Step{Op: op, Statement: s})
	}
	return d.script
}
