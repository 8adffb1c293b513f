package main

// RELATED TO by definition: of each document the first kind that holds, by the measure that
// says most.

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"

	"github.com/simdb/simdb/internal/measure"
)

// A relation is a rule of a kind: a document is of it from a score on.
type relation struct {
	kind, bound string // as rows and WITH name it
	method      *Method
	least       *big.Rat // 0: any score above
	setting     string   // of collections that are searched unless the bound is named; "": all are
}

func relations() []relation {
	containment := func(of string) *Method { return &Method{Name: "containment", Args: []Arg{{"of", of}}} }
	return []relation{
		{"copy", "copy", &Method{Name: "jaccard"}, integer(1), ""},
		{"version", "version", &Method{Name: "jaccard"}, number(3, 5), ""},
		{"version", "version", &Method{Name: "versions"}, number(4, 5), "versions"},
		{"same form", "same_form", &Method{Name: "jaccard"}, number(1, 8), ""},
		{"contains", "contains", containment("'query'"), number(9, 10), ""},
		{"part of", "part_of", containment("'doc'"), number(9, 10), ""},
		{"shares passages", "passages", &Method{Name: "patricia", Args: []Arg{{"min", "100"}}}, integer(0), "patricia"},
		{"shares passages", "quotes", &Method{Name: "quotes"}, integer(0), "quotes"},
		{"same topic", "topic", &Method{Name: "entities"}, number(1, 2), "entities"},
		{"same topic", "words", &Method{Name: "words"}, number(7, 10), "words"},
	}
}

// bounded are the relations with the bounds of a statement.
func (s *Statement) bounded() (out []relation) {
	for _, r := range relations() {
		for _, b := range s.Bounds {
			if b.Name != r.bound {
				continue
			}
			switch r.setting = ""; {
			case b.Value == "off":
				r.method = nil
			case b.Value == "on":
			case r.bound == "passages" || r.bound == "quotes":
				r.method = &Method{Name: r.method.Name, Args: []Arg{{"min", b.Value}}}
			default:
				r.least = number(fraction(b.Value).n, fraction(b.Value).d)
			}
		}
		if r.method != nil {
			out = append(out, r)
		}
	}
	return out
}

func (w *World) relatedTo(s *Statement) *Answer {
	views, t, err := w.targeted(s)
	if err != nil {
		return err
	}
	rules := s.bounded()
	if len(rules) == 0 {
		return refused("all off")
	}
	var rows []row
	for _, d := range all(views, 0) {
		if d.Document == t.Document {
			continue
		}
		if r, ok := related(rules, t, d); ok && s.Where.holds(r.field) {
			rows = append(rows, r)
		}
	}
	rank := func(r row) int {
		return slices.IndexFunc(relations(), func(x relation) bool { return x.kind == r.fields["kind"] })
	}
	slices.SortStableFunc(rows, func(x, y row) int {
		return cmp.Or(rank(x)-rank(y), y.score.compare(x.score), comparePlaced(x.docs[0], y.docs[0]))
	})
	columns := []string{"id", "kind", "score", "evidence"}
	if len(views) > 1 {
		columns = append(columns, "collection")
	}
	return s.chosen(rows, columns).may(!known(views, s.named()...))
}

// related is what a document is to a target.
func related(rules []relation, t, d placed) (r row, found bool) {
	kind := ""
	forms := d.c.unit() != "token" && slices.ContainsFunc(rules, func(r relation) bool { return r.kind == "same form" })
	is := forms && sameForm(t.Document, d.Document)
	for _, rule := range rules {
		if rule.kind == "version" && is || rule.kind == "same form" && !is {
			continue
		}
		if found && rule.kind != kind {
			break
		}
		if rule.setting != "" && !d.c.keeps(rule.setting) || rule.method.Name == "versions" && !d.c.readsTexts() {
			continue
		}
		sc, ok := d.c.measure(rule.method, t.Document, d.Document)
		if !ok || number(sc.N, sc.D).Cmp(rule.least) < 0 || found && sc.compare(r.score) <= 0 {
			continue
		}
		kind, found = rule.kind, true
		shared, of, unit, longest := evidence(d.c, rule.method, sc, t.Document, d.Document)
		says := fmt.Sprintf("%d of %d %s", shared, of, unit)
		r = row{docs: []placed{d}, score: sc, fields: map[string]value{"kind": kind, "score": number(sc.N, sc.D), "measure": rule.method.String(),
			"shared": number(shared, 1), "of": number(of, 1), "longest": nil}}
		if longest > 0 {
			says += fmt.Sprintf(", longest passage %d", longest)
			r.fields["longest"] = number(longest, 1)
		}
		r.fields["evidence"] = says
	}
	return r, found
}

// evidence is what a score goes by, in whole numbers.
func evidence(c *Collection, m *Method, sc score, query, doc *Document) (shared, of uint64, unit string, longest uint64) {
	chunks := func(m measure.ChunkMatch) (uint64, uint64) {
		return uint64(m.QueryMatched + m.DocMatched), uint64(m.Query + m.Doc)
	}
	if c.equalNothing(m, query, doc) {
		n := uint64(len(query.norm(c)))
		return n, n, "characters", n
	}
	switch m.Name {
	case "quotes":
		shared, longest = quoted(query.allWords(c), doc.allWords(c), atoi(m.arg("min", "20")))
		return shared, sc.union, "words", longest
	case "versions":
		rule, reading := versionsBy(m)
		shared, of = chunks(partners(rule, query.sentences(c, reading), doc.sentences(c, reading)))
		return shared, of, "sentences", 0
	case "entities":
		shared, of = chunks(measure.MatchChunks(query.entities(false), doc.entities(false), entitiesBy(m).Bits))
		return shared, of, "paragraphs", 0
	case "patricia":
		_, longest = matched(doc.norm(c), query.norm(c), atoi(m.arg("min", "")))
		return sc.N, sc.D, "characters", longest
	case "words":
		have := map[uint64]bool{}
		for _, t := range query.words(c) {
			have[t.Hash] = true
		}
		of = uint64(len(have))
		for _, t := range doc.words(c) {
			if have[t.Hash] {
				shared++
			} else {
				of++
			}
		}
		return shared, of, "words", 0
	}
	return sc.N, sc.D, "shingles", 0
}
