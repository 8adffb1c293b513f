package disk

// The changes of a batch of documents, sorted by key space.

import (
	"github.com/cockroachdb/pebble/v2"

	"github.com/simdb/simdb/internal/keys"
)

// Changes collects the changes of a batch of documents by key space. Within a space the keys of
// new sets ascend, and Pebble inserts ascending keys into its memtable without searching for
// each position. Not safe for concurrent use. Close it.
type Changes struct {
	db     *pebble.DB
	Batch  *pebble.Batch                    // the batch to commit
	spaces [keys.Grouping + 1]*pebble.Batch // nil: all changes go to Batch directly
	apart  bool
}

// apartFrom is the least number of operations for which separate batches pay off.
const apartFrom = 8

// NewChanges returns Changes for about so many operations and bytes. Changes of half a memtable
// or more stay in one batch: Pebble sorts a batch of that size itself.
func (s *Store) NewChanges(operations, bytes int) *Changes {
	apart := operations >= apartFrom && int64(bytes) < s.opts.MemTableBytes/2
	return &Changes{db: s.pebble, Batch: s.pebble.NewBatchWithSize(bytes), apart: apart}
}

// Of returns the batch that takes changes of key. Changes added to c.Batch directly precede all
// others: keys of other spaces, or a drop, which is alone in its batch.
func (c *Changes) Of(key []byte) *pebble.Batch {
	if !c.apart || int(key[0]) >= len(c.spaces) {
		return c.Batch
	}
	b := &c.spaces[key[0]]
	if *b == nil {
		*b = c.db.NewBatch()
	}
	return *b
}

// Store sets a key.
func (c *Changes) Store(key, value []byte) error { return c.Of(key).Set(key, value, nil) }

// StoreSealed sets a key to a sealed value.
func (c *Changes) StoreSealed(key, value []byte) error { return SetSealed(c.Of(key), key, value) }

// Remove deletes a key.
func (c *Changes) Remove(key []byte) error { return c.Of(key).Delete(key, nil) }

// Gathered merges the batches of all key spaces into Batch and returns it.
func (c *Changes) Gathered() (*pebble.Batch, error) {
	for _, b := range c.spaces {
		if b == nil {
			continue
		}
		if err := c.Batch.Apply(b, nil); err != nil {
			return nil, err
		}
	}
	return c.Batch, nil
}

// Change applies the changes that its function adds to a batch. They become durable with the
// next Flush, or by the log.
func (s *Store) Change(changes func(b *pebble.Batch) error) error {
	b := s.pebble.NewBatch()
	defer b.Close()
	if err := changes(b); err != nil {
		return err
	}
	return s.Apply(b)
}

// Close releases the memory of the batches.
func (c *Changes) Close() {
	for _, b := range c.spaces {
		if b != nil {
			b.Close()
		}
	}
	c.Batch.Close()
}
