package main

// Scripts that show a difference are made smaller, as long as they still show one of its kind.

import (
	"context"
	"slices"
	"unicode/utf8"
)

// mostTries bounds how often a script is run to make it smaller.
const mostTries = 600

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
	without := func(steps []*Step) *Script {
		x := *s
		x.Steps = steps
		return &x
	}
	if x := without(slices.Clone(s.Steps[:d.Step+1])); shows(x) {
		s = x
	}
	for size := len(s.Steps) / 2; size > 0; size /= 2 {
		for at := 0; at+size < len(s.Steps); {
			if x := without(slices.Concat(s.Steps[:at], s.Steps[at+size:])); shows(x) {
				s = x
			} else {
				at += size
			}
		}
	}
	for i := range s.Steps {
		s = shrinkRows(s, i, shows)
	}
	for i := range s.Steps {
		s = shrinkTexts(s, i, shows)
	}
	return s, d
}

// rows are the documents that a step writes.
func (s *Step) rows() *[]Document {
	if s.Op == "tokens" {
		return &s.Docs
	}
	return &s.Statement.Rows
}

// shrinkTexts leaves out pieces of the texts of a step.
func shrinkTexts(s *Script, i int, shows func(*Script) bool) *Script {
	if i >= len(s.Steps) || s.Steps[i].Op != "tokens" && s.Steps[i].Statement == nil {
		return s
	}
	for row := 0; i < len(s.Steps) && row < len(*s.Steps[i].rows()); row++ {
		for size := len((*s.Steps[i].rows())[row].Text); size > 0; size /= 2 {
			for at := 0; i < len(s.Steps) && at < len((*s.Steps[i].rows())[row].Text); {
				text := (*s.Steps[i].rows())[row].Text
				x := s.with(i, func(rows []Document) []Document {
					rows[row].Text = text[:at] + text[min(at+size, len(text)):]
					return rows
				})
				if valid := utf8.ValidString(text); valid == utf8.ValidString((*x.Steps[i].rows())[row].Text) && shows(x) {
					s = x
				} else {
					at += size
				}
			}
		}
	}
	return s
}

// with returns the script with other documents in a step.
func (s *Script) with(i int, change func([]Document) []Document) *Script {
	x, step := *s, *s.Steps[i]
	if step.Statement != nil {
		st := *step.Statement
		step.Statement = &st
	}
	*step.rows() = change(slices.Clone(*step.rows()))
	for r := range *step.rows() {
		(*step.rows())[r].cache = nil
	}
	if step.Statement != nil {
		step.Text = step.Statement.String()
	}
	x.Steps = slices.Clone(s.Steps)
	x.Steps[i] = &step
	return &x
}

// shrinkRows leaves out documents of a step.
func shrinkRows(s *Script, i int, shows func(*Script) bool) *Script {
	for at := 0; i < len(s.Steps) && (s.Steps[i].Op == "tokens" || s.Steps[i].Statement != nil); {
		if n := len(*s.Steps[i].rows()); n < 2 || at >= n {
			break
		}
		x := s.with(i, func(rows []Document) []Document { return slices.Delete(rows, at, at+1) })
		if shows(x) {
			s = x
		} else {
			at++
		}
	}
	return s
}
