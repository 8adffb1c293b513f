package view

// Documents of a snapshot: by id, in sequence, or without their texts.

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/cockroachdb/pebble/v2"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/engine/internal/segment"
	"github.com/simdb/simdb/internal/keys"
	"github.com/simdb/simdb/internal/progress"
)

// Info returns the description of the collection.
func (v *View) Info() api.CollectionInfo {
	return api.CollectionInfo{Name: v.Name, Settings: v.Settings, Documents: v.Documents, Sets: v.Sets, TextBytes: v.TextBytes, Implied: v.Number == 0}
}

// Document returns the document of a record.
func (m *Snapshot) Document(v *View, id string, r record.DocumentRecord) (d api.Document, err error) {
	d.Collection, d.ID = v.Name, id
	if d.Meta, err = record.DecodeMeta(r.Meta); err != nil {
		return d, fmt.Errorf("document %q: %w", id, err)
	}
	content, err := m.Content(v, r.Set, id)
	if err != nil {
		return d, err
	}
	return d, v.Schema.Open(content, &d)
}

// Record returns the record of a document. ErrNotFound if there is none.
func (m *Snapshot) Record(v *View, id string) (record.DocumentRecord, error) {
	r, err := ReadRecord(m.Pebble, v.Schema, id)
	switch {
	case err != nil:
		return record.DocumentRecord{}, unreadable(id, err)
	case r == nil:
		return record.DocumentRecord{}, fmt.Errorf("document %q %w", id, api.ErrNotFound)
	}
	return *r, nil
}

// ReadRecord returns the record of a document; nil if there is none.
func ReadRecord(p pebble.Reader, c *record.Schema, id string) (*record.DocumentRecord, error) {
	b, err := disk.GetSealed(p, keys.WithID(c.Key(keys.Document), id))
	if b == nil || err != nil {
		return nil, err
	}
	r, err := record.DecodeDocumentRecord(b)
	if err != nil {
		return nil, err
	}
	return &r, nil
}

// Text returns the text of a document with the given set.
func (m *Snapshot) Text(v *View, set uint32, id string) (string, error) {
	content, err := m.Content(v, set, id)
	if err != nil {
		return "", err
	}
	return v.Text(content)
}

// Content returns the stored content of a document with the given set.
func (m *Snapshot) Content(v *View, set uint32, id string) (string, error) {
	key := keys.WithID(v.Key(keys.Text, set), id)
	sealed, closer, err := m.Pebble.Get(key)
	if errors.Is(err, pebble.ErrNotFound) {
		return "", fault.Corrupt("text of document %q is missing", id)
	}
	if err != nil {
		return "", disk.PebbleError(err)
	}
	text, err := m.decode(v, key, sealed)
	if err = errors.Join(err, closer.Close()); err != nil {
		return "", fmt.Errorf("document %q: %w", id, err)
	}
	return text, nil
}

// decode opens the seal of a value of space Text and decompresses it.
func (s *Shared) decode(v *View, key, sealed []byte) (string, error) {
	value, err := disk.Unseal(key, sealed)
	if err != nil {
		return "", err
	}
	return s.Codec.Decode(value, v.Dictionaries)
}

// InfoOf describes a document from its record, without reading its text.
func (m *Snapshot) InfoOf(v *View, id string, r record.DocumentRecord) (i api.DocInfo, err error) {
	defer segment.CatchUnreadable(&err)()
	meta, err := record.DecodeMeta(r.Meta)
	if err != nil {
		return api.DocInfo{}, fmt.Errorf("document %q: %w", id, err)
	}
	i = api.DocInfo{ID: id, Meta: meta, TextBytes: r.TextBytes}
	if r.Set < v.Table.Len() {
		i.Shingles, i.SimHash = int64(v.Table.Size(r.Set).Distinct), v.Table.SimHash(r.Set)
		if len(v.Kept.SI) > 0 {
			f, err := ReadFeatures(m.Pebble, v.Schema, r.Set)
			if err != nil {
				return api.DocInfo{}, fmt.Errorf("document %q: %w", id, err)
			}
			i.SI = f.SI
		}
	}
	return i, nil
}

// Get returns the document with an id. ErrNotFound if there is none.
func (m *Snapshot) Get(collection, id string) (api.Document, error) {
	return one(m, collection, id, m.Document)
}

// Info describes the document with an id. ErrNotFound if there is none.
func (m *Snapshot) Info(collection, id string) (api.DocInfo, error) {
	return one(m, collection, id, m.InfoOf)
}

// Meta returns the metadata of the document with an id. ErrNotFound if there is none.
func (m *Snapshot) Meta(collection, id string) (*api.Meta, error) {
	return one(m, collection, id, func(_ *View, id string, r record.DocumentRecord) (*api.Meta, error) {
		meta, err := record.DecodeMeta(r.Meta)
		if err != nil {
			err = fmt.Errorf("document %q: %w", id, err)
		}
		return &meta, err
	})
}

// InfosFrom yields a collection in bytewise order of ids, starting at the first id ≥ from. An
// *UnreadableError concerns one document; the iteration continues after it.
func (m *Snapshot) InfosFrom(ctx context.Context, collection, from string) iter.Seq2[api.DocInfo, error] {
	return each(m, ctx, collection, from, m.InfoOf)
}

// IDs yields the ids with a prefix in bytewise order. It decodes keys only, no values.
func (m *Snapshot) IDs(ctx context.Context, collection, prefix string) iter.Seq2[string, error] {
	return disk.Rows(func(yield func(string) error) error {
		v, err := m.View(collection)
		if err != nil {
			return err
		}
		documents := v.Key(keys.Document)
		return disk.Scan(m.Pebble, keys.WithID(documents, prefix), func(key, _ []byte) error {
			if err := m.Interrupted(ctx); err != nil {
				return err
			}
			return yield(string(key[len(documents):]))
		})
	})
}

// Documents yields all documents with their texts, in the order and with the errors of InfosFrom.
func (m *Snapshot) Documents(ctx context.Context, collection string) iter.Seq2[api.Document, error] {
	return each(m, ctx, collection, "", m.Document)
}

// one looks up a collection and a record, and passes both to read.
func one[T any](m *Snapshot, collection, id string, read func(*View, string, record.DocumentRecord) (T, error)) (T, error) {
	var zero T
	v, err := m.View(collection)
	if err != nil {
		return zero, err
	}
	r, err := m.Record(v, id)
	if err != nil {
		return zero, err
	}
	return read(v, id, r)
}

// each yields the results of read over a collection from an id on.
func each[T any](m *Snapshot, ctx context.Context, collection, from string, read func(*View, string, record.DocumentRecord) (T, error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var zero T
		v, err := m.View(collection)
		if err == nil {
			var stage *progress.Stage
			ctx, stage = progress.Begin(ctx, "documents read", v.Documents)
			err = m.eachRecordFrom(v, from, func(id string, r record.DocumentRecord, err error) error {
				if err := m.Interrupted(ctx); err != nil {
					return err
				}
				stage.Add(1)
				item := zero
				if err == nil {
					if item, err = read(v, id, r); err != nil {
						return err
					}
				}
				if !yield(item, err) {
					return disk.ErrEnough
				}
				return nil
			})
		}
		if err != nil {
			yield(zero, err)
		}
	}
}

// Records calls yield for every document in order of ids, and stops at the first damaged record.
func (m *Snapshot) Records(v *View, yield func(id string, r record.DocumentRecord) error) error {
	return m.EachRecord(v, func(id string, r record.DocumentRecord, err error) error {
		if err != nil {
			return err
		}
		return yield(id, r)
	})
}

// EachRecord is Records, but passes an *UnreadableError to yield for a damaged record and
// continues.
func (m *Snapshot) EachRecord(v *View, yield func(id string, r record.DocumentRecord, err error) error) error {
	return m.eachRecordFrom(v, "", yield)
}

// eachRecordFrom is EachRecord, starting at the first id ≥ from.
func (m *Snapshot) eachRecordFrom(v *View, from string, yield func(id string, r record.DocumentRecord, err error) error) error {
	prefix := v.Key(keys.Document)
	return disk.ScanFrom(m.Pebble, prefix, keys.WithID(v.Key(keys.Document), from), func(key, sealed []byte) error {
		var rec record.DocumentRecord
		id := string(key[len(prefix):])
		value, err := disk.Unseal(key, sealed)
		if err == nil {
			rec, err = record.DecodeDocumentRecord(value)
		}
		return yield(id, rec, unreadable(id, err))
	})
}

// unreadable wraps an error of one document; nil stays nil.
func unreadable(id string, err error) error {
	if err == nil {
		return nil
	}
	return &api.UnreadableError{ID: id, Err: err}
}

// Fields returns the sorted names of top-level metadata fields. If most > 0, it stops once the
// number of names exceeds most, since every document may have its own fields.
func (m *Snapshot) Fields(ctx context.Context, collection string, most int) ([]string, error) {
	seen := map[string]bool{}
	for info, err := range m.InfosFrom(ctx, collection, "") {
		if err != nil {
			return nil, err
		}
		for f := range info.Meta {
			seen[f] = true
		}
		if most > 0 && len(seen) > most {
			break
		}
	}
	return append([]string{}, slices.Sorted(maps.Keys(seen))...), nil
}
