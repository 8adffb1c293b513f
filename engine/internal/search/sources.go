package search

// SOURCES OF: the stored documents of which a text is composed. Passages of all documents
// compete for its characters, the longest first (docs/decisions/0057).

import (
	"bytes"
	"cmp"
	"container/heap"
	"context"
	"fmt"
	"iter"
	"math/bits"
	"slices"
	"unicode/utf8"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/text"
)

// sourceMatch is the default length, in characters, up to which a match is no source.
// Shorter matches are mostly common phrases.
const sourceMatch = 30

// maxPassages bounds the memory for the passages of all documents, 40 bytes each.
const maxPassages = 8 << 20

// FindSources covers the target by passages of documents. A document competes with the
// passages that Coverage counts, if one of them is longer than 2 Min characters or than a
// tenth of the target.
//
// The longest passage wins its characters first. Of equals the winner is
//
//   - the passage of the document with the most characters of the target in total,
//   - then the passage that begins first in the target,
//   - then the passage of the first id, collection and store number.
//
// A passage that loses some of its characters goes on competing with each remaining piece of
// more than Min characters. So no character counts twice, and the order of storing does not
// matter. The target is not a source of itself.
//
// The documents may be in several stores; home is the index in places of the store that has
// the target. It returns api.ErrInvalid if there are more than 8 Mi passages.
func FindSources(ctx context.Context, places []Place, home int, t api.Target, q api.Sources) (api.Cover, error) {
	m := places[home].Snapshot
	if q.Min < 0 {
		return api.Cover{}, fault.Invalid("sources: min is %d: want a number of characters", q.Min)
	}
	if q.Ignoring.MoreThan > 0 && len(places[home].In) > 1 {
		return api.Cover{}, fault.Invalid("sources in several collections take no MORE THAN, which counts the documents of one collection")
	}
	least := cmp.Or(q.Min, sourceMatch)
	_, targets, err := resolve(m, places[home].In, t)
	if err != nil {
		return api.Cover{}, err
	}
	tg := &targets[0]
	if !tg.hasText {
		return api.Cover{}, fault.Invalid("sources are found of a document or a text")
	}
	doc, err := tg.readText(m)
	if err != nil {
		return api.Cover{}, err
	}
	views, err := m.ViewsOf(places[home].In)
	if err != nil {
		return api.Cover{}, err
	}
	form := views[0].Analysis.Form
	own, err := view.Apart(ctx, m.Shared, int64(len(doc)), func() (text.Alignment, error) { return form.Align(doc), nil })
	if err != nil {
		return api.Cover{}, err
	}
	r, err := reading(ctx, m, views[0], sourcesSearch(q))
	if err != nil {
		return api.Cover{}, err
	}
	chars := utf8.RuneCount(own.Norm)
	chars -= mask(views[0], r, bytes.Clone(own.Norm), ofQuery)
	c := cover{q: sourcesSearch(q), form: form, target: own.Norm, min: least, longest: max(least, min(2*least, chars/10)), taken: make(bitmap, len(own.Norm)/64+1)}
	for i, p := range places {
		if err := c.gatherAt(ctx, p, i == home, tg); err != nil {
			return api.Cover{}, p.failed(err)
		}
	}
	heap.Init(&c)
	var won []claim
	for len(c.claims) > 0 {
		if len(won)%1024 == 0 {
			if err := m.Interrupted(ctx); err != nil {
				return api.Cover{}, err
			}
		}
		if x, whole := c.next(); whole {
			won = append(won, x)
		}
	}
	out := api.Cover{Chars: chars}
	out.Sources, err = c.sources(ctx, doc, own, won)
	return out, err
}

// sourcesSearch returns the Search that determines how a query for sources reads texts.
func sourcesSearch(q api.Sources) Search {
	return Search{Measure: api.Coverage, Ignoring: q.Ignoring}
}

// claim is a piece of the target that a document contains: target[from:to] occurs in the
// document at the byte offset at, both in normal form.
type claim struct {
	chars    int32
	from, to int32
	at       int32
	by       int32 // index of its claimant
}

// claimant is a document with passages.
type claimant struct {
	at  *Place
	v   *view.View
	set uint32
	id  string
	all int // characters of all its passages
}

// cover is a heap of claims, the next winner first.
type cover struct {
	q         Search
	target    []byte
	masked    []byte // target without the shingles ignored in the current collection
	min       int    // passages are longer than this, in characters
	longest   int    // the longest passage of a source is longer than this
	form      text.Form
	at        *Place // the current place
	taken     bitmap // bytes of target
	claims    []claim
	claimants []claimant
}

func (c *cover) Len() int      { return len(c.claims) }
func (c *cover) Swap(i, j int) { c.claims[i], c.claims[j] = c.claims[j], c.claims[i] }
func (c *cover) Push(x any)    { c.claims = append(c.claims, x.(claim)) }
func (c *cover) Pop() any {
	x := c.claims[len(c.claims)-1]
	c.claims = c.claims[:len(c.claims)-1]
	return x
}

// Less orders claims by the rule of FindSources.
func (c *cover) Less(i, j int) bool {
	a, b := c.claims[i], c.claims[j]
	if a.chars != b.chars {
		return a.chars > b.chars
	}
	x, y := &c.claimants[a.by], &c.claimants[b.by]
	return cmp.Or(cmp.Compare(y.all, x.all), cmp.Compare(a.from, b.from), cmp.Compare(x.id, y.id), cmp.Compare(x.v.Name, y.v.Name), cmp.Compare(x.at.Store, y.at.Store), cmp.Compare(a.at, b.at)) < 0
}

// next pops the first claim. If all its bytes are free, next takes them and returns whole =
// true. Otherwise next pushes the free pieces back that are long enough.
func (c *cover) next() (x claim, whole bool) {
	x = heap.Pop(c).(claim)
	for from, to := range c.taken.free(int(x.from), int(x.to)) {
		if from == int(x.from) && to == int(x.to) {
			c.taken.add(from, to)
			return x, true
		}
		if to-from <= c.min {
			continue // a code point has at least one byte
		}
		if chars := utf8.RuneCount(c.target[from:to]); chars > c.min {
			heap.Push(c, claim{int32(chars), int32(from), int32(to), x.at + int32(from) - x.from, x.by})
		}
	}
	return x, false
}

// gather adds the claims of the documents of a collection.
func (c *cover) gather(ctx context.Context, m *view.Snapshot, v *view.View, t *target) error {
	if v.Analysis.Form != c.form {
		return fault.Invalid("sources in several collections: normalize = '%s' of %q differs from the others", v.Analysis.Form, v.Name)
	}
	r, err := reading(ctx, m, v, c.q)
	if err != nil {
		return err
	}
	c.masked = bytes.Clone(c.target)
	mask(v, r, c.masked, ofQuery)
	sets, pieces, err := c.candidates(ctx, m, v)
	if err != nil {
		return err
	}
	type found struct {
		id       string
		passages []measure.Passage
	}
	passages := func(set uint32, doc string) ([]measure.Passage, error) {
		return view.Apart(ctx, m.Shared, int64(len(c.target)+len(doc)), func() (all []measure.Passage, err error) {
			norm := c.form.Chars(doc)
			mask(v, r, norm, ofDoc)
			index := sistrings(norm)
			if pieces == nil {
				all = index.Passages(c.masked, c.min)
			} else {
				all = slices.Collect(index.PassagesIn(c.masked, pieces[set].all, c.min))
			}
			if !slices.ContainsFunc(all, func(p measure.Passage) bool { return p.Chars > c.longest }) {
				all = nil
			}
			return all, nil
		})
	}
	return view.EachSet(ctx, m, v, sets, func(r *view.Reader, set uint32) (all []found, err error) {
		if !v.Kept.Texts() { // its documents may have different texts
			ids, err := r.IDs(set, nil)
			if err != nil {
				return nil, err
			}
			for _, id := range ids {
				doc, err := m.Text(v, set, id)
				if err != nil {
					return nil, err
				}
				p, err := passages(set, doc)
				if err != nil {
					return nil, err
				}
				all = append(all, found{id, p})
			}
			return all, nil
		}
		doc, err := r.Text(set)
		if err != nil {
			return nil, err
		}
		p, err := passages(set, doc)
		if err != nil || len(p) == 0 {
			return nil, err
		}
		ids, err := r.IDs(set, nil)
		if ids = slices.DeleteFunc(ids, func(id string) bool { return t.v == v && id == t.id }); err != nil || len(ids) == 0 {
			return nil, err
		}
		return []found{{ids[0], p}}, nil // the first of equal texts
	}, func(set uint32, all []found) error {
		for _, f := range all {
			if len(f.passages) == 0 || t.v == v && f.id == t.id {
				continue
			}
			if len(c.claims)+len(f.passages) > maxPassages {
				return fault.Invalid("sources: the documents have more than %d passages of the text: ask for longer ones", maxPassages)
			}
			by := int32(len(c.claimants))
			of := claimant{at: c.at, v: v, set: set, id: f.id}
			for _, p := range f.passages {
				of.all += p.Chars
				c.claims = append(c.claims, claim{int32(p.Chars), int32(p.C), int32(p.C + p.Bytes), int32(p.P), by})
			}
			c.claimants = append(c.claimants, of)
		}
		return nil
	})
}

// sources lists the documents that won claims.
func (c *cover) sources(ctx context.Context, doc string, own text.Alignment, won []claim) (out []api.Source, err error) {
	slices.SortFunc(won, func(a, b claim) int { return cmp.Or(cmp.Compare(a.by, b.by), cmp.Compare(a.from, b.from)) })
	for len(won) > 0 {
		n := 1
		for n < len(won) && won[n].by == won[0].by {
			n++
		}
		from := c.claimants[won[0].by]
		m := from.at.Snapshot
		other, err := m.Text(from.v, from.set, from.id)
		if err != nil {
			return nil, from.at.failed(err)
		}
		theirs, err := view.Apart(ctx, m.Shared, int64(len(other)), func() (text.Alignment, error) { return c.form.Align(other), nil })
		if err != nil {
			return nil, err
		}
		s := api.Source{Collection: from.v.Name, ID: from.id, Store: from.at.Store}
		for _, x := range won[:n] {
			p := api.Passage{Chars: int(x.chars)}
			p.AStartByte, p.AEndByte = own.Raw(int(x.from), int(x.to))
			p.BStartByte, p.BEndByte = theirs.Raw(int(x.at), int(x.at+x.to-x.from))
			p.A, p.B = doc[p.AStartByte:p.AEndByte], other[p.BStartByte:p.BEndByte]
			s.Chars += p.Chars
			s.Passages = append(s.Passages, p)
		}
		out, won = append(out, s), won[n:]
	}
	slices.SortFunc(out, func(a, b api.Source) int {
		return cmp.Or(cmp.Compare(b.Chars, a.Chars), cmp.Compare(a.ID, b.ID), cmp.Compare(a.Collection, b.Collection), cmp.Compare(a.Store, b.Store))
	})
	return out, nil
}

// SOURCES OF among several stores: each store contributes the passages of its documents, and
// all of them compete.

// Place is a search space for sources: a snapshot of a store and its collections.
type Place struct {
	Snapshot *view.Snapshot
	In       []string // empty means docs
	Store    int      // its number: appears in rows and breaks ties
	Name     string   // appears in errors, unless empty
}

// failed adds the store's name to an error.
func (p Place) failed(err error) error {
	if err == nil || p.Name == "" {
		return err
	}
	return fmt.Errorf("store %s: %w", p.Name, err)
}

// gatherAt adds the claims of the documents of a store. home means that the target is stored
// there.
func (c *cover) gatherAt(ctx context.Context, p Place, home bool, t *target) error {
	views, err := p.Snapshot.ViewsOf(p.In)
	if err != nil {
		return err
	}
	if !home {
		t = &target{} // the target is not in this store
	}
	c.at = &p
	for _, v := range views {
		if err := c.gather(ctx, p.Snapshot, v, t); err != nil {
			return err
		}
	}
	return nil
}

// bitmap holds one bit per byte of a text, set for taken bytes.
type bitmap []uint64

// add marks the bytes from ≤ i < to.
func (b bitmap) add(from, to int) {
	for ; from < to && from%64 != 0; from++ {
		b[from/64] |= 1 << (from % 64)
	}
	for ; from+64 <= to; from += 64 {
		b[from/64] = ^uint64(0)
	}
	for ; from < to; from++ {
		b[from/64] |= 1 << (from % 64)
	}
}

// free yields the maximal unmarked ranges in [from, to).
func (b bitmap) free(from, to int) iter.Seq2[int, int] {
	return func(yield func(from, to int) bool) {
		for from = b.find(from, to, false); from < to; {
			end := b.find(from, to, true)
			if !yield(from, end) {
				return
			}
			from = b.find(end, to, false)
		}
	}
}

// find returns the first byte from i on that is marked, or unmarked if taken is false; to if
// there is none.
func (b bitmap) find(i, to int, taken bool) int {
	for i < to {
		word := b[i/64]
		if !taken {
			word = ^word
		}
		if word >>= i % 64; word != 0 {
			return min(i+bits.TrailingZeros64(word), to)
		}
		i += 64 - i%64
	}
	return to
}
