package engine

import (
	"github.com/cockroachdb/pebble/v2"

	"github.com/simdb/simdb/keys"
)

// changes gathers what a batch of documents changes, key space by key space: there
// the keys of new sets ascend, and Pebble puts ascending keys into its memtable
// without looking for the place of each.
type changes struct {
	db     *pebble.DB
	batch  *pebble.Batch                 // what is committed in the end
	spaces [keys.Ended + 1]*pebble.Batch // nil: all goes to batch at once
	apart  bool
}

// apartFrom is how many operations are worth being told apart.
const apartFrom = 8

// newChanges expects so many operations and bytes. A batch of half a memtable does not
// go to one: Pebble sorts it by itself.
func newChanges(db *pebble.DB, operations, bytes int, memTable int64) *changes {
	apart := operations >= apartFrom && int64(bytes) < memTable/2
	return &changes{db: db, batch: db.NewBatchWithSize(bytes), apart: apart}
}

// of returns the batch for a change of a key. What goes to c.batch at once comes before
// it: keys of other spaces, or a drop, which is alone in its batch.
func (c *changes) of(key []byte) *pebble.Batch {
	if !c.apart || int(key[0]) >= len(c.spaces) {
		return c.batch
	}
	b := &c.spaces[key[0]]
	if *b == nil {
		*b = c.db.NewBatch()
	}
	return *b
}

func (c *changes) store(key, value []byte) error { return c.of(key).Set(key, value, nil) }

func (c *changes) remove(key []byte) error { return c.of(key).Delete(key, nil) }

// gathered brings the key spaces together in the batch, and returns it.
func (c *changes) gathered() (*pebble.Batch, error) {
	for _, b := range c.spaces {
		if b == nil {
			continue
		}
		if err := c.batch.Apply(b, nil); err != nil {
			return nil, err
		}
	}
	return c.batch, nil
}

func (c *changes) close() {
	for _, b := range c.spaces {
		if b != nil {
			b.Close()
		}
	}
	c.batch.Close()
}
