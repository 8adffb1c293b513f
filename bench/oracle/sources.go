package main

// SOURCES OF by definition: of all pieces of passages that are free the longest is taken,
// until there is none.

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/simdb/simdb/bench/definition"
	"github.com/simdb/simdb/internal/measure"
)

// The columns of places in texts, in bytes.
var (
	betweenColumns = []string{"a_start_byte", "a_end_byte", "b_start_byte", "b_end_byte"}
	textColumns    = []string{"start_byte", "end_byte"}
	docColumns     = []string{"doc_start_byte", "doc_end_byte"}
)

// A piece of the target stands in a document, too: from, to and at are code points of normal forms.
type piece struct {
	placed
	from, to, at int
	all          int // characters of all passages of the document
}

func comparePieces(a, b piece) int {
	return cmp.Or((b.to-b.from)-(a.to-a.from), b.all-a.all, a.from-b.from, strings.Compare(a.ID, b.ID), strings.Compare(a.c.Name, b.c.Name), a.at-b.at)
}

// passages are those of a document that compete: none unless one is long enough.
func passages(target []definition.Char, d placed, least int) (out []piece) {
	long := max(least, min(2*least, len(target)/10))
	all, is := 0, false
	for _, p := range found(d.norm(d.c), target, least) {
		out = append(out, piece{d, p.C, p.C + p.Chars, p.P, 0})
		all, is = all+p.Chars, is || p.Chars > long
	}
	if !is {
		return nil
	}
	for i := range out {
		out[i].all = all
	}
	return out
}

// found are passages by definition. Where several places of p have one, any is right: it is the
// place that the measure names, which the indexes must not change.
func found(p, c []definition.Char, least int) []definition.Passage {
	in, from := definition.String(p), definition.String(c)
	bytesAt := func(s string, chars int) int { return len(string([]rune(s)[:chars])) }
	var terms []uint32
	for _, at := range definition.Terms(p) {
		terms = append(terms, uint32(bytesAt(in, at)))
	}
	all := definition.Passages(p, c, least)
	places := measure.NewSiStringsAt([]byte(in), terms).Passages([]byte(from), least)
	if len(places) != len(all) {
		panic(fmt.Sprintf("passages of %q in %q longer than %d: %v, want %v", from, in, least, places, all))
	}
	for i, x := range places {
		at := utf8.RuneCountInString(in[:x.P])
		if x.C != bytesAt(from, all[i].C) || x.Chars != all[i].Chars || in[x.P:x.P+x.Bytes] != from[x.C:x.C+x.Bytes] || !slices.Contains(terms, uint32(x.P)) {
			panic(fmt.Sprintf("passage of %q in %q longer than %d: %v, want %v", from, in, least, x, all[i]))
		}
		all[i].P = at
	}
	return all
}

// cover gives each character of the target to one document.
func cover(target []definition.Char, all []piece, least int) (won []piece) {
	taken := make([]bool, len(target))
	for {
		var best *piece
		for _, p := range all {
			for from := p.from; from < p.to; from++ {
				to := from
				for to < p.to && !taken[to] {
					to++
				}
				x := piece{p.placed, from, to, p.at + from - p.from, p.all}
				if to-from > least && (best == nil || comparePieces(x, *best) < 0) {
					best = &x
				}
				from = max(from, to-1)
			}
		}
		if best == nil {
			return won
		}
		for i := best.from; i < best.to; i++ {
			taken[i] = true
		}
		won = append(won, *best)
	}
}

func (w *World) sourcesOf(s *Statement) *Answer {
	views, t, err := w.targeted(s)
	if err != nil {
		return err
	}
	for _, v := range views {
		if v.normalize() != views[0].normalize() {
			return refused("several normal forms")
		}
	}
	least, target := atoi(s.method().arg("min", "30")), t.norm(views[0])
	var pieces []piece
	for _, d := range all(views, 0) {
		if d.Document != t.Document {
			pieces = append(pieces, passages(target, d, least)...)
		}
	}
	won := cover(target, pieces, least)
	rows, columns := sourceRows(won, len(target)), []string{"id", "share", "chars", "of", "passages", "longest"}
	if s.Show != "" {
		rows, columns = passageRows(won, t.Text, target), slices.Concat(textColumns, []string{"id"}, docColumns, []string{"chars", "text"})
	}
	if len(views) > 1 {
		columns = append(columns, "collection")
	}
	return s.chosen(rows, columns)
}

// sourceRows has a row for each document, the one with the most characters first.
func sourceRows(won []piece, of int) (rows []row) {
	type source struct {
		placed
		chars, passages, longest int
	}
	by := map[*Document]*source{}
	for _, p := range won {
		if by[p.Document] == nil {
			by[p.Document] = &source{placed: p.placed}
		}
		x := by[p.Document]
		x.chars, x.passages, x.longest = x.chars+p.to-p.from, x.passages+1, max(x.longest, p.to-p.from)
	}
	var sources []*source
	for _, x := range by {
		sources = append(sources, x)
	}
	slices.SortFunc(sources, func(a, b *source) int {
		return cmp.Or(b.chars-a.chars, strings.Compare(a.ID, b.ID), strings.Compare(a.c.Name, b.c.Name))
	})
	for _, x := range sources {
		rows = append(rows, row{docs: []placed{x.placed}, fields: map[string]value{"share": number(uint64(x.chars), uint64(of)), "chars": integer(x.chars),
			"of": integer(of), "passages": integer(x.passages), "longest": integer(x.longest)}})
	}
	return rows
}

// passageRows has a row for each passage, in the order of the text.
func passageRows(won []piece, text string, target []definition.Char) (rows []row) {
	slices.SortFunc(won, func(a, b piece) int { return a.from - b.from })
	for _, p := range won {
		start, end := raw(target, p.from, p.to)
		docStart, docEnd := raw(p.norm(p.c), p.at, p.at+p.to-p.from)
		r := row{docs: []placed{p.placed}, fields: map[string]value{"chars": integer(p.to - p.from), "text": text[start:end]}}
		r.places(textColumns, start, end)
		r.places(docColumns, docStart, docEnd)
		rows = append(rows, r)
	}
	return rows
}

// raw is where code points of a normal form stand in the text.
func raw(chars []definition.Char, from, to int) (start, end int) {
	return chars[from].Start, chars[to-1].End
}

func (r row) places(columns []string, of ...int) {
	for i, c := range columns {
		r.fields[c] = integer(of[i])
	}
}
