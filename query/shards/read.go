package shards

// The methods of plan.Reader over several stores. A store in which a collection is missing
// or empty does not affect the results for that collection.

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/query/plan"
	"github.com/simdb/simdb/query/syntax"
)

// holders returns the stores in which a collection has documents or, if it is empty in all
// stores, those in which it exists. The error is ErrNotFound if no store has it.
func (s *Snapshot) holders(name string) (filled []int, err error) {
	var empty []int
	var missing error
	for i, of := range s.of {
		info, err := of.snap.Collection(name)
		switch {
		case errors.Is(err, api.ErrNotFound):
			missing = err
		case err != nil:
			return nil, of.failed(err)
		case info.Documents > 0:
			filled = append(filled, i)
		default:
			empty = append(empty, i)
		}
	}
	if len(filled)+len(empty) == 0 {
		return nil, missing
	}
	if len(filled) == 0 {
		return empty, nil
	}
	return filled, nil
}

// Collection returns the collection's totals over all stores. ErrInvalid reports settings
// that read texts differently, because the scores would not be comparable.
func (s *Snapshot) Collection(name string) (all api.CollectionInfo, err error) {
	at, err := s.holders(name)
	if err != nil {
		return all, err
	}
	for n, i := range at {
		info, err := s.of[i].snap.Collection(name)
		if err != nil {
			return all, s.of[i].failed(err)
		}
		if n == 0 {
			// The settings of the first store stand for all, as they read texts alike.
			all = info
			continue
		}
		if a, b := all.Settings, info.Settings; !readAlike(&a, &b) {
			return all, fmt.Errorf("%w: the stores read the collection %s differently: store %s has %s, store %s has %s", api.ErrInvalid,
				syntax.QuoteCollection(name), s.of[at[0]].name, plan.FormatSettings(a), s.of[i].name, plan.FormatSettings(b))
		}
		all.Documents += info.Documents
		all.Sets += info.Sets
		all.TextBytes += info.TextBytes
	}
	return all, nil
}

// readAlike reports whether collections with these settings read texts alike.
func readAlike(a, b *api.Settings) bool {
	return a.K == b.K && !slices.ContainsFunc([]string{"unit", "normalize", "fold", "language", "si", "gazetteer", "synonyms"}, func(name string) bool {
		set := api.SettingNamed(name)
		return *set.Text(a) != *set.Text(b)
	})
}

// Collections returns the totals of each collection, sorted by name. The settings are those
// of the first store with documents.
func (s *Snapshot) Collections() []api.CollectionInfo {
	byName := map[string]api.CollectionInfo{}
	for _, of := range s.of {
		for _, c := range of.snap.Collections() {
			if all := byName[c.Name]; all.Documents > 0 {
				all.Documents += c.Documents
				all.Sets += c.Sets
				all.TextBytes += c.TextBytes
				c = all
			}
			byName[c.Name] = c
		}
	}
	return slices.SortedFunc(maps.Values(byName), func(a, b api.CollectionInfo) int { return strings.Compare(a.Name, b.Name) })
}

// home returns the index of the store that has a document. The error is ErrNotFound if no
// store has it, ErrInvalid if several have this id.
func (s *Snapshot) home(collection, id string) (int, api.DocInfo, error) {
	var at []int
	var found api.DocInfo
	var missing error
	for i, of := range s.of {
		info, err := of.snap.Info(collection, id)
		switch {
		case errors.Is(err, api.ErrNotFound):
			missing = err
		case err != nil:
			return 0, found, of.failed(err)
		default:
			at, found = append(at, i), info
		}
	}
	switch len(at) {
	case 0:
		return 0, found, missing
	case 1:
		return at[0], found, nil
	}
	// An id alone must not choose between two documents.
	return 0, found, fmt.Errorf("%w: the stores %s and %s both have a document %s; look for its text instead: TEXT '…'",
		api.ErrInvalid, s.of[at[0]].name, s.of[at[1]].name, syntax.Quote(id))
}

// homeIn is home in a named store; "" searches all.
func (s *Snapshot) homeIn(store, collection, id string) (int, api.DocInfo, error) {
	if store == "" {
		return s.home(collection, id)
	}
	at, err := s.at(store)
	if err != nil {
		return 0, api.DocInfo{}, err
	}
	info, err := s.of[at].snap.Info(collection, id)
	return at, info, s.of[at].failed(err)
}

// Home returns the name of the store that has a document. The error is ErrNotFound if no
// store has it, ErrInvalid if several have this id.
func (s *Snapshot) Home(collection, id string) (string, error) {
	at, _, err := s.home(collection, id)
	return s.of[at].name, err
}

// Info describes a document, with the errors of Home.
func (s *Snapshot) Info(collection, id string) (api.DocInfo, error) {
	_, info, err := s.home(collection, id)
	return info, err
}

// Get returns a document, with the errors of Home.
func (s *Snapshot) Get(collection, id string) (api.Document, error) {
	at, _, err := s.home(collection, id)
	if err != nil {
		return api.Document{}, err
	}
	d, err := s.of[at].snap.Get(collection, id)
	return d, s.of[at].failed(err)
}

// IDs yields the ids of one store after another.
func (s *Snapshot) IDs(ctx context.Context, collection, prefix string) iter.Seq2[string, error] {
	return eachShard(s, collection, func(snap *engine.Snapshot) iter.Seq2[string, error] { return snap.IDs(ctx, collection, prefix) })
}

// Infos yields the documents of one store after another.
func (s *Snapshot) Infos(ctx context.Context, collection string) iter.Seq2[api.DocInfo, error] {
	return eachShard(s, collection, func(snap *engine.Snapshot) iter.Seq2[api.DocInfo, error] { return snap.Infos(ctx, collection) })
}

// eachShard concatenates a stream of every store that has the collection.
func eachShard[T any](s *Snapshot, collection string, all func(*engine.Snapshot) iter.Seq2[T, error]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		at, err := s.holders(collection)
		if err != nil {
			var none T
			yield(none, err)
			return
		}
		for _, i := range at {
			for x, err := range all(s.of[i].snap) {
				if !yield(x, s.of[i].failed(err)) || err != nil {
					return
				}
			}
		}
	}
}

// Fields returns the metadata fields that a collection has in any store.
func (s *Snapshot) Fields(ctx context.Context, collection string, most int) ([]string, error) {
	at, err := s.holders(collection)
	if err != nil {
		return nil, err
	}
	names := map[string]bool{}
	for _, i := range at {
		fields, err := s.of[i].snap.Fields(ctx, collection, most)
		if err != nil {
			return nil, s.of[i].failed(err)
		}
		for _, f := range fields {
			names[f] = true
		}
		if most > 0 && len(names) > most {
			break
		}
	}
	return slices.Sorted(maps.Keys(names)), nil
}

// CompareBy scores two texts with the settings of any one store, because all stores read
// texts alike.
func (s *Snapshot) CompareBy(ctx context.Context, a, b api.Target, in []string, methods []api.Method, without api.Ignoring) ([]api.Comparison, error) {
	if without != (api.Ignoring{}) || slices.ContainsFunc(methods, func(m api.Method) bool { return m.Measure.Weighs() }) {
		return nil, errReadsBags
	}
	at, err := s.holders(in[0])
	if err != nil {
		return nil, err
	}
	of := s.of[at[0]]
	found, err := of.snap.CompareBy(ctx, a, b, in, methods, without)
	return found, of.failed(err)
}

// Sources is engine.Snapshot.Sources over all stores. The Store of each source is the
// index of the store in the Snapshot.
func (s *Snapshot) Sources(ctx context.Context, t api.Target, q api.Sources) (api.Cover, error) {
	requests, err := s.requests(t, engine.Search{In: q.In, Ignoring: q.Ignoring})
	if err != nil {
		return api.Cover{}, err
	}
	home := 0
	places := make([]engine.Place, len(requests))
	for i, a := range requests {
		of := s.of[a.store]
		places[i] = engine.Place{Snapshot: of.snap, In: a.search.In, Store: a.store, Name: of.name}
		if a.target.Stored() {
			home = i // only the store of the document searches by its id
		}
	}
	return engine.SourcesAmong(ctx, places, home, t, q)
}
