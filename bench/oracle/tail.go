package main

// Groups by definition, and mirrors of a store: who applies what tail reports has the same documents
// and the same numbers of groups as the store.

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
)

// A mirror is what a reader of tail knows of a store.
type mirror struct {
	since   uint64
	docs    map[[2]string]api.Change     // by collection and id: the text, the tokens and the metadata
	numbers map[string]map[string]uint64 // by grouping and id: the number of the group
}

func (s *Statement) grouping() string {
	if s.Groups != "" {
		return s.Groups
	}
	return "of_" + s.Name
}

// keepers names the keeper of each document of a grouping.
func (w *World) keepers(grouping *Statement) map[string]string {
	c := w.Collections[grouping.Name]
	s := &Statement{Kind: "select duplicates", Method: grouping.Method, Keep: grouping.Keep, world: w}
	sim := fraction(grouping.Settings["sim"])
	least := number(sim.n, sim.d)
	out := map[string]string{}
	for id := range c.Docs {
		out[id] = id
	}
	for _, g := range s.groups([]*Collection{c}, least, nil) {
		slices.SortFunc(g, s.before())
		stay := g[:1]
		if grouping.Settings["kind"] == "STARS" {
			stay = s.stars(g, least)
		}
		for _, d := range g {
			out[d.ID] = stay[0].ID
			for _, like := range stay {
				if like == d || len(stay) > 1 && s.reaches(like, d, least) {
					out[d.ID] = like.ID
					break
				}
			}
		}
	}
	return out
}

// grouped reads the number and the keeper of each document of a grouping.
func (t *store) grouped(ctx context.Context, w *World, name, in string) (numbers map[string]uint64, keepers map[string]string, err error) {
	a := ask(ctx, t.db, w, fmt.Sprintf("SELECT id, group(%s), keeper(%[1]s) FROM %s", name, in))
	numbers, keepers = map[string]uint64{}, map[string]string{}
	for _, row := range a.rows {
		id := strings.Trim(row[0], `"`)
		numbers[id], keepers[id] = uint64(atoi(row[1])), strings.Trim(row[2], `"`)
	}
	return numbers, keepers, a.err
}

// look begins the mirror again with the present state.
func (t *store) look(ctx context.Context, w *World) (err error) {
	t.docs, t.numbers = map[[2]string]api.Change{}, map[string]map[string]uint64{}
	for name, c := range w.Collections {
		for id, d := range c.Docs {
			t.docs[[2]string{name, id}] = api.Change{Text: d.Text, Tokens: d.Tokens, Meta: metaOf(d.Meta)}
		}
	}
	for name, g := range w.groupings {
		if t.numbers[name], _, err = t.grouped(ctx, w, name, g.Name); err != nil {
			return err
		}
	}
	if t.o.KeepLog == nil {
		return nil
	}
	h, err := simdb.History(t.dir(t.n))
	t.since = h.Newest
	return err
}

// tail compares the groups with their definition, and the mirror with documents and groups.
func (t *store) tail(ctx context.Context, w *World, met coverage) error {
	if t.o.KeepLog != nil {
		if err := t.follow(ctx, met); err != nil {
			return err
		}
		if err := t.mirrors(w); err != nil {
			return err
		}
	}
	for name, g := range w.groupings {
		numbers, keepers, err := t.grouped(ctx, w, name, g.Name)
		if err != nil {
			return err
		}
		if want := w.keepers(g); !maps.Equal(keepers, want) {
			return fmt.Errorf("keepers of %s: %v\nwant %v", name, keepers, want)
		}
		if t.o.KeepLog != nil && !maps.Equal(numbers, t.numbers[name]) {
			return fmt.Errorf("groups of %s: %v\nby tail %v", name, numbers, t.numbers[name])
		}
		groups := map[string]uint64{} // documents of one keeper have one number, and no others have
		for id, keeper := range keepers {
			if n, ok := groups[keeper]; ok && n != numbers[id] {
				return fmt.Errorf("groups of %s: documents of keeper %s have the numbers %d and %d", name, keeper, n, numbers[id])
			}
			groups[keeper] = numbers[id]
		}
		if distinct := names(slices.Sorted(func(yield func(string) bool) {
			for _, n := range groups {
				if !yield(fmt.Sprint(n)) {
					return
				}
			}
		})); len(distinct) != len(groups) {
			return fmt.Errorf("groups of %s: %d keepers, %d numbers", name, len(groups), len(distinct))
		}
		met.met("tail groups %s", g.Settings["kind"])
	}
	return nil
}

// follow applies what changed since the last time.
func (t *store) follow(ctx context.Context, met coverage) error {
	if t.docs == nil {
		t.docs, t.numbers = map[[2]string]api.Change{}, map[string]map[string]uint64{}
	}
	for c, err := range t.db.Tail(ctx, t.since) {
		if err != nil {
			return err
		}
		t.since = c.Seq
		of := [2]string{c.Collection, c.ID}
		met.met("tail %s", c.Kind)
		switch c.Kind {
		case api.ChangePut:
			t.docs[of] = c
		case api.ChangeDelete:
			delete(t.docs, of)
		case api.ChangeMeta:
			d := t.docs[of]
			if d.Meta = maps.Clone(d.Meta); d.Meta == nil {
				d.Meta = api.Meta{}
			}
			for field, v := range c.Meta {
				if d.Meta[field] = v; v == nil {
					delete(d.Meta, field)
				}
			}
			t.docs[of] = d
		case api.ChangeDrop:
			maps.DeleteFunc(t.docs, func(of [2]string, _ api.Change) bool { return of[0] == c.Collection })
		case api.ChangeGroup:
			t.event(c.Group, met)
		}
	}
	return nil
}

// event applies an event of a grouping.
func (t *store) event(e *api.GroupEvent, met coverage) {
	met.met("tail event %s", e.Event)
	of := t.numbers[e.Grouping]
	if of == nil {
		of = map[string]uint64{}
		t.numbers[e.Grouping] = of
	}
	switch e.Event {
	case api.GroupJoin:
		of[e.ID] = e.Group
	case api.GroupLeave:
		delete(of, e.ID)
	case api.GroupMerge:
		for id, n := range of {
			if n == e.Group {
				of[id] = e.Other
			}
		}
	}
}

// mirrors compares the mirror with the documents that are due.
func (t *store) mirrors(w *World) error {
	due := map[[2]string]string{}
	for name, c := range w.Collections {
		for id, d := range c.Docs {
			due[[2]string{name, id}] = content(d.Text, d.Tokens, metaOf(d.Meta))
		}
	}
	for of, d := range t.docs {
		if want, ok := due[of]; !ok || want != content(d.Text, d.Tokens, d.Meta) {
			return fmt.Errorf("document of tail %v: %s\nwant %s", of, content(d.Text, d.Tokens, d.Meta), want)
		}
	}
	if len(t.docs) != len(due) {
		return fmt.Errorf("documents of tail: %d, want %d", len(t.docs), len(due))
	}
	return nil
}

// content is a document as one string. NULL is no value.
func content(text string, tokens []string, meta api.Meta) string {
	meta = maps.Clone(meta)
	maps.DeleteFunc(meta, func(_ string, v any) bool { return v == nil })
	if len(meta) == 0 {
		meta = api.Meta{}
	}
	b, err := json.Marshal([]any{[]byte(text), append([]string{}, tokens...), meta})
	if err != nil {
		panic(err) // it was drawn
	}
	return string(b)
}
