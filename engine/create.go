package engine

// Creating and dropping collections. Both are log records, like any change.

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/internal/keys"
)

// CreateCollection creates an empty collection, durably. Its settings never change. It
// returns ErrExists if the name is taken; docs can be created while it is only implied.
func (db *DB) CreateCollection(ctx context.Context, name string, s api.Settings) error {
	if err := db.enterToWrite(ctx); err != nil {
		return err
	}
	defer db.lifecycle.leave()
	return db.createCollection(ctx, name, s)
}

// EnsureCollection creates a collection if none has the name. It returns ErrExists if the
// existing collection has other settings.
func (db *DB) EnsureCollection(ctx context.Context, name string, s api.Settings) error {
	err := db.CreateCollection(ctx, name, s)
	if !errors.Is(err, api.ErrExists) {
		return err
	}
	wanted, invalid := record.NewSchema(db.opts.unicode, 0, name, s)
	if invalid != nil {
		return invalid
	}
	is, missing := db.collection(name)
	if missing != nil { // dropped in between
		return missing
	}
	if is.Settings != wanted.Settings {
		return fmt.Errorf("%w with other settings: %+v", err, is.Settings)
	}
	return nil
}

// createCollection is CreateCollection for a caller that has entered the store.
func (db *DB) createCollection(ctx context.Context, name string, s api.Settings) error {
	// One call at a time, so that no two collections get the same number.
	if err := db.creating.Acquire(ctx, 1); err != nil {
		return err
	}
	defer db.creating.Release(1)
	db.mu.Lock()
	number := db.lastCollection + 1
	db.mu.Unlock()
	schema, err := record.NewSchema(db.opts.unicode, number, name, s)
	if err != nil {
		return err
	}
	schema.MadeWith(db.opts.Entities)
	value, err := schema.Encode()
	if err != nil {
		return err
	}
	_, err = db.commitAndWait(ctx, nil, single(&creation{of{newCollection(schema)}, value}))
	return err
}

// Lex parses source code as a collection with these settings does, and returns the value of
// Document.Lexed. name is the id of the document.
func Lex(s api.Settings, name, text string) ([]byte, error) {
	c, err := record.NewSchema("", 0, api.DefaultCollection, s)
	if err != nil {
		return nil, err
	}
	return c.Lex(name, text)
}

// DropCollection removes a collection with all its documents, durably. It returns
// ErrNoCollection if there is none of that name.
func (db *DB) DropCollection(ctx context.Context, name string) error {
	if err := db.enterToWrite(ctx); err != nil {
		return err
	}
	defer db.lifecycle.leave()
	if err := db.creating.Acquire(ctx, 1); err != nil { // CreateGroups may be reading it
		return err
	}
	defer db.creating.Release(1)
	c, err := db.collection(name)
	if err != nil {
		return err
	}
	_, err = db.commitAndWait(ctx, nil, single(&drop{of{c}}))
	return err
}

// creation creates a collection.
type creation struct {
	of
	schema []byte
}

func (o *creation) record() record.Operation {
	return record.Operation{Kind: record.OpCreate, Number: o.c.Number, Name: o.c.Name, Value: o.schema}
}

// admit refuses a name that another commit has taken since.
func (o *creation) admit(db *DB) error {
	if db.collections[o.c.Name] != nil {
		return fmt.Errorf("collection %q %w", o.c.Name, api.ErrExists)
	}
	return nil
}

// apply stores the schema and makes the collection visible.
func (o *creation) apply(a *applier) error {
	c := o.c
	c.seen = &seen{} // an empty collection can rule out ids and digests
	c.Began = a.at.Record
	a.db.collections[c.Name] = c
	a.db.lastCollection = max(a.db.lastCollection, c.Number)
	a.touch(c)
	return disk.SetSealed(a.Batch, c.Key(keys.Collection), o.schema)
}

// decodeCreation decodes the creation of a collection from the log.
func (db *DB) decodeCreation(seq uint64, o *record.Operation) (operation, error) {
	s, was, err := record.DecodeSchema(db.opts.unicode, o.Number, o.Value)
	if err != nil {
		return nil, fmt.Errorf("log record %d: %w", seq, err)
	}
	if err := errors.Join(db.mayReadAgain(s.Name, was), s.OpenedWith(db.opts.Entities)); err != nil {
		return nil, err
	}
	c := newCollection(s)
	if was != db.opts.unicode { // safe: recovery derives no other record at the same time
		db.outdated = append(db.outdated, c)
	}
	return &creation{of{c}, o.Value}, nil
}

// drop removes a collection with all its documents.
type drop struct{ of }

func (o *drop) record() record.Operation {
	return record.Operation{Kind: record.OpDrop, Number: o.c.Number, Name: o.c.Name}
}

// apply deletes all keys of the collection. Snapshots keep reading their own view.
func (o *drop) apply(a *applier) error {
	o.c.dropped = true
	delete(a.db.collections, o.c.Name)
	if err := a.db.files.Retire(a.Batch, o.c.postings.Segments); err != nil {
		return err
	}
	return removeCollection(a.Batch, o.c.Number)
}

// A batch creates missing collections that it puts into, each by a commit of its own before
// the batch.

// createMissing creates the missing collections that a batch puts into. It creates none for
// a batch that will be refused, except for its size, which only prepare can determine.
func (db *DB) createMissing(ctx context.Context, b *Batch) error {
	missing := db.missing(b)
	if len(missing) == 0 {
		return nil
	}
	requests, err := b.mergeMeta()
	if err != nil {
		return err
	}
	if _, _, _, err := screen(requests, db.opts.MaxDocBytes, false); err != nil {
		return err
	}
	for _, name := range missing {
		if _, err := record.NewSchema(db.opts.unicode, 0, name, api.Settings{}); err != nil {
			return err
		}
	}
	for _, o := range b.ops {
		if o.ofDocument() && o.kind != record.OpPut && o.collection != api.DefaultCollection && !slices.Contains(missing, o.collection) {
			if _, err := db.collection(o.collection); err != nil {
				return err
			}
		}
	}
	for _, name := range missing {
		if err := db.createCollection(ctx, name, api.Settings{}); err != nil && !errors.Is(err, api.ErrExists) {
			return err
		}
	}
	return nil
}

// missing lists the missing collections that a batch puts into.
func (db *DB) missing(b *Batch) (names []string) {
	db.mu.Lock()
	defer db.mu.Unlock()
	for _, o := range b.ops {
		if o.kind == record.OpPut && db.collections[o.collection] == nil && !slices.Contains(names, o.collection) {
			names = append(names, o.collection)
		}
	}
	return names
}
