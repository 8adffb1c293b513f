package main

// SIMILAR TO, SIMILAR PAIRS and CLUSTERS by definition: every two documents are compared.

import (
	"cmp"
	"math/big"
	"slices"
	"strings"
)

// target finds a stored document in the first of the collections that has it, or makes one
// of a text.
func (t *Target) find(views []*Collection) (placed, bool) {
	if t.ID == "" {
		return placed{Document: &Document{Text: t.Text}, side: -1}, true
	}
	for i, c := range views {
		if d := c.Docs[t.ID]; d != nil && (t.Of == "" || t.Of == c.Name) {
			return placed{d, c, i}, true
		}
	}
	return placed{}, false
}

// all lists the documents of some collections.
func all(views []*Collection, first int) (out []placed) {
	for i, c := range views {
		for _, d := range c.sorted() {
			out = append(out, placed{d, c, first + i})
		}
	}
	return out
}

// similar finds the rows of a target: sim descending, then id, then collection.
func (s *Statement) similar(views []*Collection, t placed, where *Pred) (out []row) {
	m := s.method()
	for _, d := range all(views, 0) {
		if d.Document == t.Document {
			continue
		}
		sc, ok := s.score(m, t.Document, d.Document, d.c)
		if !ok {
			continue
		}
		r := row{fields: s.scoreFields(sc), docs: []placed{d}, score: sc}
		if m.Name == "si" {
			r.fields["si"] = d.siOf(d.c, m)
		}
		if where.holds(r.field) {
			out = append(out, r)
		}
	}
	slices.SortStableFunc(out, func(x, y row) int {
		return cmp.Or(y.score.compare(x.score), comparePlaced(x.docs[0], y.docs[0]))
	})
	return out
}

// targeted are the collections and the target of a statement that has one.
func (w *World) targeted(s *Statement) (views []*Collection, t placed, err *Answer) {
	if views, err = w.views(s.In); err != nil {
		return nil, t, err
	}
	in := views
	if s.Target.Of != "" {
		if in, err = w.views([]string{s.Target.Of}); err != nil {
			return nil, t, err
		}
	}
	t, ok := s.Target.find(in)
	if !ok {
		return nil, t, refused("no document")
	}
	return views, t, nil
}

func (w *World) similarTo(s *Statement) *Answer {
	views, t, err := w.targeted(s)
	if err != nil {
		return err
	}
	unknown := !known(views, s.named()...)
	rows := s.similar(views, t, s.wanted())
	rows = s.ended(rows)
	columns := append([]string{"id"}, s.scoreColumns()...)
	if s.method().Name == "si" {
		columns = append(columns, "si")
	}
	if len(views) > 1 {
		columns = append(columns, "collection")
	}
	a := s.chosen(rows, columns).may(unknown)
	a.Subset = s.method().arg("access", "") == "interval"
	return a
}

// ended are the rows, best first, up to where NEAREST and OF BEST end them.
func (s *Statement) ended(rows []row) []row {
	for i, r := range rows {
		far := s.OfBest != "" && new(big.Rat).Mul(share(s.OfBest), rows[0].score.rat()).Cmp(r.score.rat()) > 0
		if far || s.Nearest > 0 && i >= s.Nearest && (!s.Ties || r.score.compare(rows[i-1].score) < 0) {
			return rows[:i]
		}
	}
	return rows
}

func (s score) rat() *big.Rat {
	return new(big.Rat).SetFrac(new(big.Int).SetUint64(s.N), new(big.Int).SetUint64(s.D))
}

// share reads one: a decimal, a fraction or a percentage.
func share(s string) *big.Rat {
	r, ok := new(big.Rat).SetString(strings.TrimSuffix(s, "%"))
	if !ok {
		panic(s)
	}
	if strings.HasSuffix(s, "%") {
		r.Quo(r, big.NewRat(100, 1))
	}
	return r
}

// named lists the fields that a statement names, without the side.
func (s *Statement) named() (out []string) {
	out = slices.Concat(s.Where.fields(), s.Having.fields(), s.Returning, s.Group)
	for _, k := range s.Order {
		out = append(out, k.Field)
	}
	for i, f := range out {
		out[i] = strings.TrimPrefix(strings.TrimPrefix(f, "a."), "b.")
	}
	return out
}

// pair is a row of two documents.
func (s *Statement) pair(a, b placed) (row, bool) {
	sc, ok := s.score(s.method(), a.Document, b.Document, later(a, b))
	return row{fields: s.scoreFields(sc), docs: []placed{a, b}, score: sc}, ok
}

func comparePairs(x, y row) int {
	return cmp.Or(y.score.compare(x.score), strings.Compare(x.docs[0].ID, y.docs[0].ID), strings.Compare(x.docs[1].ID, y.docs[1].ID),
		x.docs[0].side-y.docs[0].side, x.docs[1].side-y.docs[1].side)
}

// since says whether a row has a document written since the mark of the statement.
func (w *World) since(s *Statement, docs ...placed) bool {
	return s.Since == 0 || slices.ContainsFunc(docs, func(d placed) bool { return d.written > w.marks[s.Since] })
}

func (w *World) similarPairs(s *Statement) *Answer {
	of, err := w.views(s.In)
	if err != nil {
		return err
	}
	against, err := w.views(s.Against)
	if err != nil {
		return err
	}
	if len(s.Against) == 0 {
		against = nil
	}
	unknown := !known(slices.Concat(of, against), s.named()...)
	var rows []row
	switch {
	case s.Nearest > 0 || s.OfBest != "":
		rows = w.nearestPairs(s, of, against)
	case against != nil:
		for _, a := range all(of, 0) {
			for _, b := range all(against, len(of)) {
				rows = w.addPair(rows, s, a, b)
			}
		}
	default:
		docs := all(of, 0)
		slices.SortFunc(docs, comparePlaced)
		for i, a := range docs {
			for _, b := range docs[i+1:] {
				if rows = w.addPair(rows, s, a, b); s.Directed {
					rows = w.addPair(rows, s, b, a)
				}
			}
		}
	}
	slices.SortStableFunc(rows, comparePairs)
	columns := append([]string{"a", "b"}, s.scoreColumns()...)
	if len(of)+len(against) > 1 {
		columns = append(columns, "a_collection", "b_collection")
	}
	for i := range rows {
		rows[i].fields["a_collection"], rows[i].fields["b_collection"] = rows[i].docs[0].c.Name, rows[i].docs[1].c.Name
	}
	return s.chosen(rows, columns).may(unknown)
}

func (w *World) addPair(rows []row, s *Statement, a, b placed) []row {
	if r, ok := s.pair(a, b); ok && s.wanted().holds(r.field) && w.since(s, a, b) {
		rows = append(rows, r)
	}
	return rows
}

// nearestPairs gives each a the rows of its n most similar b.
func (w *World) nearestPairs(s *Statement, of, against []*Collection) (rows []row) {
	as, bs := all(of, 0), all(against, len(of))
	if against == nil {
		bs = as
	}
	best := func(rows []row, docOf func(row) placed) []row {
		slices.SortStableFunc(rows, func(x, y row) int {
			return cmp.Or(y.score.compare(x.score), comparePlaced(docOf(x), docOf(y)))
		})
		return s.ended(rows)
	}
	same := func(x, y placed) bool { return x.Document == y.Document }
	for _, a := range as {
		var of []row
		for _, b := range bs {
			if r, ok := s.pair(a, b); !same(a, b) && ok && s.Where.holds(r.field) {
				of = append(of, r)
			}
		}
		for _, r := range best(of, func(r row) placed { return r.docs[1] }) {
			if w.since(s, r.docs...) && (!s.Mutual || s.mutual(r, as, best)) {
				rows = append(rows, r)
			}
		}
	}
	if s.Mutual && against == nil && s.method().symmetric() {
		// A pair that is there in both directions comes once.
		there := map[[2]placed]bool{}
		for _, r := range rows {
			there[[2]placed{r.docs[0], r.docs[1]}] = true
		}
		rows = slices.DeleteFunc(rows, func(r row) bool {
			return comparePlaced(r.docs[0], r.docs[1]) > 0 && there[[2]placed{r.docs[1], r.docs[0]}]
		})
	}
	return rows
}

// mutual says whether a of a row is among the n nearest of its b. They are found with b as
// the query, among the rows that the WHERE keeps.
func (s *Statement) mutual(r row, as []placed, best func([]row, func(row) placed) []row) bool {
	b := r.docs[1]
	var of []row
	for _, a := range as {
		if a.Document == b.Document {
			continue
		}
		sc, ok := s.score(s.method(), b.Document, a.Document, later(a, b))
		x := row{fields: s.scoreFields(sc), docs: []placed{a, b}, score: sc}
		if ok && s.Where.holds(x.field) {
			of = append(of, x)
		}
	}
	return slices.ContainsFunc(best(of, func(x row) placed { return x.docs[0] }), func(x row) bool { return x.docs[0].Document == r.docs[0].Document })
}

// A forest joins documents to groups.
type forest map[*Document]*Document

func (f forest) find(d *Document) *Document {
	for f[d] != nil {
		d = f[d]
	}
	return d
}

func (f forest) union(a, b *Document) {
	if a, b = f.find(a), f.find(b); a != b {
		f[b] = a
	}
}

// groups are the documents that similar pairs join, directly or through others: the
// largest first, then by smallest id; members by id.
func (s *Statement) groups(views []*Collection, least *big.Rat, keep *Pred) (out [][]placed) {
	var docs []placed
	for _, d := range all(views, 0) {
		if r := (row{docs: []placed{d}}); keep.holds(r.field) {
			docs = append(docs, d)
		}
	}
	slices.SortFunc(docs, comparePlaced)
	f := forest{}
	for i, a := range docs {
		for _, b := range docs[i+1:] {
			if s.reaches(a, b, least) || !s.method().symmetric() && s.reaches(b, a, least) {
				f.union(a.Document, b.Document)
			}
		}
	}
	place := map[*Document]int{}
	for _, d := range docs {
		root := f.find(d.Document)
		i, ok := place[root]
		if !ok {
			i = len(out)
			place[root] = i
			out = append(out, nil)
		}
		out[i] = append(out[i], d)
	}
	out = slices.DeleteFunc(out, func(g []placed) bool { return len(g) < 2 })
	slices.SortFunc(out, func(x, y []placed) int {
		return cmp.Or(len(y)-len(x), comparePlaced(x[0], y[0]))
	})
	return out
}

func (s *Statement) reaches(a, b placed, least *big.Rat) bool {
	sc, ok := s.score(s.method(), a.Document, b.Document, later(a, b))
	return ok && number(sc.N, sc.D).Cmp(least) >= 0
}

// threshold splits the WHERE of CLUSTERS and DUPLICATES.
func (s *Statement) threshold() (least *big.Rat, rest *Pred) {
	rest = &Pred{Op: "AND"}
	for _, p := range s.wanted().conjuncts() {
		switch {
		case p.Op == ">=" && p.Field == "sim":
			least = p.Values[0].(*big.Rat)
		case p.Op == "<=" && p.Field == "dist":
			d, _ := p.Values[0].(*big.Rat).Float64()
			least = number(uint64(64-d), 64)
		case p.Op == "WITHIN": // by less than any score is above it
			least = new(big.Rat).Sub(integer(1), p.Values[0].(*big.Rat))
			least.Add(least, new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), 90)))
		default:
			rest.Args = append(rest.Args, p)
		}
	}
	return least, rest
}

func (w *World) clusters(s *Statement) *Answer {
	views, err := w.views(s.In)
	if err != nil {
		return err
	}
	unknown := !known(views, s.named()...)
	least, keep := s.threshold()
	var rows []row
	for _, g := range s.groups(views, least, keep) {
		if !w.since(s, g...) {
			continue
		}
		for _, d := range g {
			r := row{fields: map[string]value{"cluster": g[0].ID, "size": integer(len(g))}, docs: []placed{d}}
			if len(s.Group) > 0 || s.Having.holds(r.field) {
				rows = append(rows, r)
			}
		}
	}
	columns := []string{"cluster", "id", "size"}
	if len(views) > 1 {
		columns = append(columns, "collection")
	}
	of := *s
	if len(s.Group) == 0 {
		of.Having = nil // it was of rows
	} else if slices.Contains(s.Group, "cluster") {
		of.Group = append(slices.Clone(s.Group), "size") // which is the same for all rows of a cluster
	}
	return of.chosen(rows, columns).may(unknown)
}
