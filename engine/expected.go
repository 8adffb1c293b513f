package engine

// Preconditions of a batch: documents that must be unchanged. A duplicate may be deleted
// only while the document that it was compared with is unchanged.

import (
	"fmt"

	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/engine/internal/view"
)

// expected is a document and the write that must still be its last.
type expected struct {
	collection, id string
	written        record.Written
}

// expect adds a precondition to the batch.
func (b *Batch) expect(collection, id string, w record.Written) {
	b.expected = append(b.expected, expected{collection, id, w})
}

// changedError refuses a batch, and lists the documents that have changed.
type changedError struct{ documents map[[2]string]bool }

func (e *changedError) Error() string {
	return fmt.Sprintf("%d documents have changed since the search", len(e.documents))
}

func (e *changedError) has(collection, id string) bool { return e.documents[[2]string{collection, id}] }

// expectations refuses batches that depend on changed documents.
type expectations struct{ passive }

// plan returns a changedError unless every expected document is unchanged.
func (expectations) plan(db *DB, p *plan) error {
	if len(p.expected) == 0 { // the usual case
		return nil
	}
	changed := map[[2]string]bool{}
	looked := map[expected]bool{}
	for _, x := range p.expected {
		if looked[x] { // many duplicates may share a keeper
			continue
		}
		looked[x] = true
		was := false
		if c := db.collections[x.collection]; c != nil {
			r, err := view.ReadRecord(db.disk.Pebble(), c.Schema, x.id)
			if err != nil {
				return err
			}
			was = r != nil && r.Written == x.written
		}
		if !was {
			changed[[2]string{x.collection, x.id}] = true
		}
	}
	if len(changed) > 0 {
		return &changedError{changed}
	}
	return nil
}
