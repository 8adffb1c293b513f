package main

// COMPARE by definition.

import (
	"math/bits"
	"slices"
)

// allMeasures are those of COMPARE without USING, by their defaults.
func (c *Collection) allMeasures() (out []*Method) {
	for _, m := range []*Method{{Name: "jaccard"}, {Name: "containment", Args: []Arg{{"of", "'query'"}}}, {Name: "containment", Args: []Arg{{"of", "'doc'"}}},
		{Name: "multiset"}, {Name: "repetition"}, {Name: "simhash"}, {Name: "patricia"}, {Name: "coverage"}, {Name: "versions"}, {Name: "entities"}, {Name: "words"}, {Name: "si"}} {
		switch {
		case m.Name == "versions" && !c.readsTexts():
			continue
		case m.Name == "si" && c.setting("si") == "":
			m.Args = []Arg{{"", "'m43b k40'"}}
		}
		out = append(out, m)
	}
	return out
}

// shown is a method with the arguments that it stands for.
func (m *Method) shown() string {
	if m.Name == "versions" && m.arg("reading", "") == "paper" { // drawn alone here
		return "versions(case='keep', stop='drop', agree='fingerprint', resemblance='off', of='query')"
	}
	return m.String()
}

func (w *World) compares(s *Statement) *Answer {
	views, err := w.views(s.In)
	if err != nil {
		return err
	}
	a, ok := s.Target.find(views)
	b, also := s.With.find(views)
	if !ok || !also {
		return refused("no document")
	}
	switch s.Show {
	case "PASSAGES":
		return s.showPassages(views[0], a.Document, b.Document)
	case "SENTENCES":
		return s.showSentences(views[0], a.Document, b.Document)
	}
	methods, c := s.Methods, views[0]
	if len(methods) == 0 || methods[0].Name == "ALL" {
		methods = c.allMeasures()
	}
	var rows []row
	var seen []string
	for _, m := range methods {
		if slices.Contains(seen, m.shown()) {
			continue
		}
		seen = append(seen, m.shown())
		f := map[string]value{"measure": m.shown(), "sim": nil, "shared": nil, "union": nil, "dist": nil}
		if sc, ok := c.scored(m, a.Document, b.Document); ok {
			for name, v := range scoreFields(m, sc) {
				f[name] = v
			}
		}
		rows = append(rows, row{fields: f})
	}
	return s.chosen(rows, []string{"measure", "sim", "shared", "union", "dist"})
}

// scored is the score of two texts, be it 0; false where one has no value.
func (c *Collection) scored(m *Method, a, b *Document) (score, bool) {
	if !m.ofSets() {
		return c.scoreTexts(m, a, b)
	}
	k := atoi(m.arg("k", literal(integer(c.k()))))
	x, y := a.bag(c.reading(), k), b.bag(c.reading(), k)
	return ofBags(m, x, y), true
}

// by is the first method of COMPARE.
func (s *Statement) by(other string) *Method {
	if len(s.Methods) > 0 {
		return s.Methods[0]
	}
	return &Method{Name: other}
}

func (s *Statement) showPassages(c *Collection, a, b *Document) *Answer {
	var rows []row
	for _, p := range found(a.norm(c), b.norm(c), atoi(s.by("patricia").arg("min", "15"))) {
		aStart, aEnd := raw(a.norm(c), p.P, p.P+p.Chars)
		bStart, bEnd := raw(b.norm(c), p.C, p.C+p.Chars)
		r := row{fields: map[string]value{"chars": integer(p.Chars), "text": a.Text[aStart:aEnd]}}
		r.places(betweenColumns, aStart, aEnd, bStart, bEnd)
		rows = append(rows, r)
	}
	return s.chosen(rows, append(slices.Clone(betweenColumns), "chars", "text"))
}

// showSentences gives each sentence of a that has a partner in b the nearest of these, the first of
// equals.
func (s *Statement) showSentences(c *Collection, a, b *Document) *Answer {
	rule, reading := versionsBy(s.by("versions"))
	var rows []row
	for _, x := range a.sentences(c, reading) {
		best, at := rule.Bits+1, sentence{}
		for _, y := range b.sentences(c, reading) {
			if d := bits.OnesCount32(x.print ^ y.print); d < best && (rule.Print || x.agrees(y)) {
				best, at = d, y
			}
		}
		if best > rule.Bits {
			continue
		}
		r := row{fields: map[string]value{"dist": integer(best), "a": a.Text[x.start:x.end], "b": b.Text[at.start:at.end]}}
		r.places(betweenColumns, x.start, x.end, at.start, at.end)
		rows = append(rows, r)
	}
	return s.chosen(rows, append(slices.Clone(betweenColumns), "dist", "a", "b"))
}
