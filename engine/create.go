package engine

// Making and dropping collections. Both are records of the log like any change.

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

// CreateCollection makes an empty collection; its settings never change.
// ErrExists if there is one of that name; docs can be made as long as it is implied.
func (db *DB) CreateCollection(ctx context.Context, name string, s api.Settings) error {
	if err := db.enterToWrite(ctx); err != nil {
		return err
	}
	defer db.lifecycle.leave()
	return db.createCollection(ctx, name, s)
}

// EnsureCollection makes a collection unless it is there with the same settings. ErrExists if
// it has others.
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
	if missing != nil { // dropped meanwhile
		return missing
	}
	if is.Settings != wanted.Settings {
		return fmt.Errorf("%w with other settings: %+v", err, is.Settings)
	}
	return nil
}

func (db *DB) createCollection(ctx context.Context, name string, s api.Settings) error {
	// one at a time, so that numbers are not given twice
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

// Lex reads a text of code as a collection of these settings does, and returns what
// Document.Lexed takes. The name is that of the document.
func Lex(s api.Settings, name, text string) ([]byte, error) {
	c, err := record.NewSchema("", 0, api.DefaultCollection, s)
	if err != nil {
		return nil, err
	}
	return c.Lex(name, text)
}

// DropCollection removes a collection with everything in it. ErrNoCollection if
// there is none of that name.
func (db *DB) DropCollection(ctx context.Context, name string) error {
	if err := db.enterToWrite(ctx); err != nil {
		return err
	}
	defer db.lifecycle.leave()
	if err := db.creating.Acquire(ctx, 1); err != nil { // groups may be made of it
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

// creation makes a collection.
type creation struct {
	of
	schema []byte
}

func (o *creation) record() record.Operation {
	return record.Operation{Kind: record.OpCreate, Number: o.c.Number, Name: o.c.Name, Value: o.schema}
}

func (o *creation) admit(db *DB) error {
	if db.collections[o.c.Name] != nil {
		return fmt.Errorf("collection %q %w", o.c.Name, api.ErrExists)
	}
	return nil
}

func (o *creation) apply(a *applier) error {
	c := o.c
	c.seen = &seen{} // it is empty
	c.Began = a.at.Record
	a.db.collections[c.Name] = c
	a.db.lastCollection = max(a.db.lastCollection, c.Number)
	a.touch(c)
	return disk.SetSealed(a.Batch, c.Key(keys.Collection), o.schema)
}

// createdAgain is the creation of a collection that the log has.
func (db *DB) createdAgain(seq uint64, o *record.Operation) (operation, error) {
	s, was, err := record.DecodeSchema(db.opts.unicode, o.Number, o.Value)
	if err != nil {
		return nil, fmt.Errorf("log record %d: %w", seq, err)
	}
	if err := errors.Join(db.mayReadAgain(s.Name, was), s.OpenedWith(db.opts.Entities)); err != nil {
		return nil, err
	}
	c := newCollection(s)
	if was != db.opts.unicode { // no other record is derived beside this one
		db.outdated = append(db.outdated, c)
	}
	return &creation{of{c}, o.Value}, nil
}

// drop removes a collection with everything in it.
type drop struct{ of }

func (o *drop) record() record.Operation {
	return record.Operation{Kind: record.OpDrop, Number: o.c.Number, Name: o.c.Name}
}

func (o *drop) apply(a *applier) error {
	o.c.dropped = true
	delete(a.db.collections, o.c.Name)
	if err := a.db.files.Retire(a.Batch, o.c.postings.Segments); err != nil {
		return err
	}
	return removeCollection(a.Batch, o.c.Number)
}

// A batch makes the collections that it puts into and that are missing, each by a commit of its
// own before the batch.

// createMissing makes the collections that a batch puts into. It makes none for
// a batch that would be refused, unless that is for its size, which only prepare
// tells.
func (db *DB) createMissing(ctx context.Context, b *Batch) error {
	missing := db.missing(b)
	if len(missing) == 0 {
		return nil
	}
	requests, err := b.joined()
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

// missing names the collections that a batch puts into and that are not there.
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
