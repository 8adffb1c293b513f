package segment

// Storing the order of shingles that all segments of a collection share (docs/decisions/0003).

import (
	"math"
	"runtime"
	"slices"

	"github.com/cockroachdb/pebble/v2"

	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/engine/internal/host"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/internal/keys"
)

// orderChunkBytes is the length of the values that store an order.
const orderChunkBytes = 1 << 20

// WriteOrder adds an order to a batch, in chunks.
func WriteOrder(b *pebble.Batch, c *record.Schema, number uint32, o *index.Order) error {
	for i, chunk := range slices.Collect(slices.Chunk(o.Encode(), orderChunkBytes)) {
		if err := b.Set(c.Key(keys.Order, number, uint32(i)), chunk, nil); err != nil {
			return err
		}
	}
	return nil
}

// ReadOrder reads an order into memory outside the Go heap. Only the tables derived from it, a
// quarter of its length, are on the heap. ErrCorrupt if it does not decode.
func ReadOrder(r pebble.Reader, c *record.Schema, number uint32) (*index.Order, error) {
	var b []byte
	var free func()
	n := 0
	err := disk.Scan(r, c.Key(keys.Order, number), func(_, v []byte) error {
		if b == nil {
			size, err := index.EncodedOrder(v)
			if err != nil {
				return fault.Corrupt("order %d: %w", number, err)
			}
			b, free = host.Bytes(size)
		}
		if len(v) > len(b)-n {
			return fault.Corrupt("order %d is longer than %d bytes", number, len(b))
		}
		n += copy(b[n:], v)
		return nil
	})
	var o *index.Order
	if err == nil {
		if o, err = index.DecodeOrder(b[:n]); err != nil {
			err = fault.Corrupt("order %d: %w", number, err)
		}
	}
	if free != nil {
		if err != nil {
			free()
		} else {
			runtime.AddCleanup(o, func(free func()) { free() }, free)
		}
	}
	return o, err
}

// RemoveOrder deletes an order, in a batch.
func RemoveOrder(b *pebble.Batch, c *record.Schema, number uint32) error {
	return disk.DeleteUnder(b, c.Key(keys.Order, number))
}

// RemoveOrders deletes, in a batch, the orders of a collection that interrupted builds left. It
// keeps the order whose number is but, and returns the greatest number seen.
func RemoveOrders(b *pebble.Batch, r pebble.Reader, c *record.Schema, but uint32) (last uint32, err error) {
	err = disk.EachNumber(r, c.Key(keys.Order), func(number uint32) error {
		if number == math.MaxUint32 {
			return fault.Corrupt("order number %d", number)
		}
		if last = number; number == but {
			return nil
		}
		return RemoveOrder(b, c, number)
	})
	return last, err
}
