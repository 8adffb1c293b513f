package simdb

// Writes of documents, collections and groupings.

import (
	"context"

	"github.com/simdb/simdb/api"
)

// Put stores documents, all or none, and returns once they are durable. A document replaces the
// stored document of the same id. A missing collection is created with default settings.
func (db *DB) Put(ctx context.Context, docs ...api.Document) error {
	c := db.begin(ctx, "Put")
	return c.Wrote(len(docs), db.store().Put(ctx, docs...))
}

// PutNew stores documents, all or none, durably, if all their ids are new, and returns ErrExists
// otherwise.
func (db *DB) PutNew(ctx context.Context, docs ...api.Document) error {
	c := db.begin(ctx, "PutNew")
	return c.Wrote(len(docs), db.store().PutNew(ctx, docs...))
}

// UpdateMeta changes fields of a document's metadata, durably, and leaves the other fields and the
// text unchanged. A nil value removes its field. It returns ErrNotFound for a missing document;
// collection "" is docs.
func (db *DB) UpdateMeta(ctx context.Context, collection, id string, meta api.Meta) error {
	c := db.begin(ctx, "UpdateMeta")
	return c.Wrote(1, db.store().UpdateMeta(ctx, collection, id, meta))
}

// Delete removes documents by id, all or none, durably. A missing document is a no-op, so that a
// repeated Delete succeeds. Commit of a Batch returns the number of documents removed. Delete
// returns ErrNoCollection for a missing collection; collection "" is docs.
func (db *DB) Delete(ctx context.Context, collection string, ids ...string) error {
	c := db.begin(ctx, "Delete")
	return c.Wrote(len(ids), db.store().Delete(ctx, collection, ids...))
}

// Erase deletes documents by id, and marks them for the next Compact, which removes every trace of
// them: text, metadata and id of all versions, in the kept history too. It also marks documents
// that were deleted before. A backup keeps the traces until it is extended or created again.
func (db *DB) Erase(ctx context.Context, collection string, ids ...string) error {
	c := db.begin(ctx, "Erase")
	return c.Wrote(len(ids), db.store().Erase(ctx, collection, ids...))
}

// Note returns the value that a Batch stored under the name, or nil.
func (db *DB) Note(name string) ([]byte, error) { return db.store().Note(name) }

// CreateCollection creates an empty collection with immutable settings. It returns ErrExists if the
// name exists. The collection docs can be created until it has its first document.
func (db *DB) CreateCollection(ctx context.Context, name string, s api.Settings) error {
	c := db.begin(ctx, "CreateCollection")
	return c.End(db.store().CreateCollection(ctx, name, s))
}

// CreateGroups creates a grouping of a collection, which every later write keeps up to date. It
// finds the similar pairs of the stored documents first, and writers wait until it returns. It
// returns ErrExists if the name exists.
func (db *DB) CreateGroups(ctx context.Context, g api.Grouping) error {
	c := db.begin(ctx, "CreateGroups")
	return c.End(db.store().CreateGroups(ctx, g))
}

// DropGroups removes a grouping; its documents stay. It returns ErrNotFound for an unknown name.
func (db *DB) DropGroups(ctx context.Context, name string) error {
	c := db.begin(ctx, "DropGroups")
	return c.End(db.store().DropGroups(ctx, name))
}

// EnsureCollection creates a collection unless it exists with the same settings. It returns
// ErrExists if the settings differ.
func (db *DB) EnsureCollection(ctx context.Context, name string, s api.Settings) error {
	c := db.begin(ctx, "EnsureCollection")
	return c.End(db.store().EnsureCollection(ctx, name, s))
}

// DropCollection removes a collection and its documents, or returns ErrNoCollection.
func (db *DB) DropCollection(ctx context.Context, name string) error {
	c := db.begin(ctx, "DropCollection")
	return c.End(db.store().DropCollection(ctx, name))
}
