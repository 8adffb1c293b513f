package simdb

// Writes of documents one by one, and of collections.

import (
	"context"

	"github.com/simdb/simdb/api"
)

// Put stores documents, all or none, durably: when it returns without error they
// survive a crash. A document of an id that is there replaces it. A missing
// collection is created with default settings.
func (db *DB) Put(ctx context.Context, docs ...api.Document) error {
	c := db.begin(ctx, "Put")
	return c.Wrote(len(docs), db.store().Put(ctx, docs...))
}

// PutNew stores documents, all or none, durably, if all their ids are new; else
// ErrExists.
func (db *DB) PutNew(ctx context.Context, docs ...api.Document) error {
	c := db.begin(ctx, "PutNew")
	return c.Wrote(len(docs), db.store().PutNew(ctx, docs...))
}

// UpdateMeta changes fields of a document's metadata, durably, and leaves the others and
// the text as they are. A nil value removes its field. ErrNotFound if there is no document
// of that id; collection "" is docs.
func (db *DB) UpdateMeta(ctx context.Context, collection, id string, meta api.Meta) error {
	c := db.begin(ctx, "UpdateMeta")
	return c.Wrote(1, db.store().UpdateMeta(ctx, collection, id, meta))
}

// Delete removes documents by id, all or none, durably. One that is not there is no error, as in
// Batch.Delete: what is wanted is that it is gone. Commit tells how many there were.
// ErrNoCollection if the collection is not there; collection "" is docs.
func (db *DB) Delete(ctx context.Context, collection string, ids ...string) error {
	c := db.begin(ctx, "Delete")
	return c.Wrote(len(ids), db.store().Delete(ctx, collection, ids...))
}

// Erase removes documents by id, as Delete does, and has the next Compact remove every trace of
// them, also of those that were deleted before: text, metadata and id, of whatever version, in
// the kept history too. Backups follow when they are made anew, or extended.
func (db *DB) Erase(ctx context.Context, collection string, ids ...string) error {
	c := db.begin(ctx, "Erase")
	return c.Wrote(len(ids), db.store().Erase(ctx, collection, ids...))
}

// Note returns what a Batch left under the name; nil if there is none.
func (db *DB) Note(name string) ([]byte, error) { return db.store().Note(name) }

// CreateCollection makes an empty collection; its settings never change. ErrExists
// if there is one of that name. docs can be made as long as it has had no document.
func (db *DB) CreateCollection(ctx context.Context, name string, s api.Settings) error {
	c := db.begin(ctx, "CreateCollection")
	return c.End(db.store().CreateCollection(ctx, name, s))
}

// CreateGroups keeps the documents of a collection in groups from now on: each write brings
// them up to date. It joins what is stored, and writers wait meanwhile. ErrExists if there are
// groups of that name.
func (db *DB) CreateGroups(ctx context.Context, g api.Grouping) error {
	c := db.begin(ctx, "CreateGroups")
	return c.End(db.store().CreateGroups(ctx, g))
}

// DropGroups forgets groups; their documents stay. ErrNotFound if there are none of that name.
func (db *DB) DropGroups(ctx context.Context, name string) error {
	c := db.begin(ctx, "DropGroups")
	return c.End(db.store().DropGroups(ctx, name))
}

// EnsureCollection makes a collection unless it is there with the same settings. ErrExists
// if it has others.
func (db *DB) EnsureCollection(ctx context.Context, name string, s api.Settings) error {
	c := db.begin(ctx, "EnsureCollection")
	return c.End(db.store().EnsureCollection(ctx, name, s))
}

// DropCollection removes a collection with everything in it. ErrNoCollection if
// there is none of that name.
func (db *DB) DropCollection(ctx context.Context, name string) error {
	c := db.begin(ctx, "DropCollection")
	return c.End(db.store().DropCollection(ctx, name))
}
