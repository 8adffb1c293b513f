package engine

// Making and dropping collections. Both are records of the log like any change.

import (
	"context"
	"errors"
	"fmt"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/record"
)

// CreateCollection makes an empty collection; its settings never change.
// ErrExists if there is one of that name; docs can be made as long as it is implied.
func (db *DB) CreateCollection(ctx context.Context, name string, s api.Settings) error {
	if err := db.enterToWrite(ctx); err != nil {
		return err
	}
	defer db.gate.leave()
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
	o := operation{Operation: record.Operation{Kind: record.OpCreate, Name: name}}
	o.of(newCollection(schema))
	if o.Value, err = schema.Encode(); err != nil {
		return err
	}
	_, err = db.commitAndWait(ctx, nil, single(o))
	return err
}

// DropCollection removes a collection with everything in it. ErrNoCollection if
// there is none of that name.
func (db *DB) DropCollection(ctx context.Context, name string) error {
	if err := db.enterToWrite(ctx); err != nil {
		return err
	}
	defer db.gate.leave()
	c, err := db.collection(name)
	if err != nil {
		return err
	}
	o := operation{Operation: record.Operation{Kind: record.OpDrop, Name: name}}
	o.of(c)
	_, err = db.commitAndWait(ctx, nil, single(o))
	return err
}
