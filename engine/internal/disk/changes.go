package disk

// What a batch of documents changes, gathered key space by key space.

import (
	"github.com/cockroachdb/pebble/v2"

	"github.com/simdb/simdb/internal/keys"
)

// Changes gathers what a batch of documents changes, key space by key space: there
// the keys of new sets ascend, and Pebble puts ascending keys into its memtable
// without looking for the place of each.
type Changes struct {
	db     *pebble.DB
	Batch  *pebble.Batch                    // what is committed in the end
	spaces [keys.Grouping + 1]*pebble.Batch // nil: all goes to Batch at once
	apart  bool
}

// apartFrom is how many operations are worth being told apart.
const apartFrom = 8

// NewChanges expects so many operations and bytes. A batch of half a memtable does not
// go to one: Pebble sorts it by itself.
func (s *Store) NewChanges(operations, bytes int) *Changes {
	apart := operations >= apartFrom && int64(bytes) < s.opts.MemTableBytes/2
	return &Changes{db: s.pebble, Batch: s.pebble.NewBatchWithSize(bytes), apart: apart}
}

// Of returns the batch for a change of a key. What goes to c.Batch at once comes before
// it: keys of other spaces, or a drop, which is alone in its batch.
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

// Gathered brings the key spaces together in the batch, and returns it.
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

// Change applies what changes adds to a batch.
func (s *Store) Change(changes func(b *pebble.Batch) error) error {
	b := s.pebble.NewBatch()
	defer b.Close()
	if err := changes(b); err != nil {
		return err
	}
	return s.Apply(b)
}

// Close lets the memory of the batches go.
func (c *Changes) Close() {
	for _, b := range c.spaces {
		if b != nil {
			b.Close()
		}
	}
	c.Batch.Close()
}
