package engine

// Collections that a batch puts into and that are not there: they are made before it, each by
// a commit of its own.

import (
	"context"
	"errors"
	"slices"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/record"
)

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
