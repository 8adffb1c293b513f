package main

// Scripts that show a difference are made smaller, as long as they still show one of its kind.

import (
	"context"
	"slices"
)

// mostTries bounds how often a script is run to make it smaller.
const mostTries = 400

// shrink leaves out steps, rows of inserts and words of texts.
func (s *Script) shrink(ctx context.Context, d *Difference) (*Script, *Difference) {
	tries := 0
	shows := func(x *Script) bool {
		if tries++; tries > mostTries {
			return false
		}
		n, err := x.run(ctx, nil)
		if err != nil || n == nil || n.Kind != d.Kind {
			return false
		}
		x.Steps = x.Steps[:n.Step+1]
		d = n
		return true
	}
	with := func(steps []*Step) *Script {
		x := *s
		x.Steps = steps
		return &x
	}
	if x := with(slices.Clone(s.Steps[:d.Step+1])); shows(x) {
		s = x
	}
	for size := len(s.Steps) / 2; size > 0; size /= 2 {
		for at := 0; at+size < len(s.Steps); {
			if x := with(slices.Concat(s.Steps[:at], s.Steps[at+size:])); shows(x) {
				s = x
			} else {
				at += size
			}
		}
	}
	for i := range s.Steps {
		s = shrinkRows(s, i, shows)
	}
	return s, d
}

// shrinkRows leaves out documents of a step.
func shrinkRows(s *Script, i int, shows func(*Script) bool) *Script {
	rows := func(step *Step) *[]Document {
		if step.Op == "tokens" {
			return &step.Docs
		}
		return &step.Statement.Rows
	}
	for at := 0; i < len(s.Steps) && (s.Steps[i].Op == "tokens" || s.Steps[i].Statement != nil); {
		x, step := *s, *s.Steps[i]
		if step.Statement != nil {
			st := *step.Statement
			step.Statement = &st
		}
		list := rows(&step)
		if len(*list) < 2 || at >= len(*list) {
			break
		}
		*list = slices.Delete(slices.Clone(*list), at, at+1)
		if step.Statement != nil {
			step.Text = step.Statement.String()
		}
		x.Steps = slices.Clone(s.Steps)
		x.Steps[i] = &step
		if shows(&x) {
			s = &x
		} else {
			at++
		}
	}
	return s
}
