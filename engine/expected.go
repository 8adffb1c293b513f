package engine

// Documents that must be as they were for a batch to be committed: a duplicate is only removed
// beside the document that it was compared with.

import (
	"fmt"

	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/engine/internal/view"
)

// expected is a document that must be as it was written for a batch to be committed.
type expected struct {
	collection, id string
	written        record.Written
}

func (b *Batch) expect(collection, id string, w record.Written) {
	b.expected = append(b.expected, expected{collection, id, w})
}

// changedError refuses a batch, and names all documents that are not as it expects them.
type changedError struct{ documents map[[2]string]bool }

func (e *changedError) Error() string {
	return fmt.Sprintf("%d documents have changed meanwhile", len(e.documents))
}

func (e *changedError) has(collection, id string) bool { return e.documents[[2]string{collection, id}] }

// expectations refuses a batch whose documents are not as it expects them.
type expectations struct{ passive }

func (expectations) plan(db *DB, p *plan) error {
	if len(p.expected) == 0 { // as a rule
		return nil
	}
	changed := map[[2]string]bool{}
	looked := map[expected]bool{}
	for _, x := range p.expected {
		if looked[x] { // many go for one
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
