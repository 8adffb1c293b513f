package index

import "github.com/simdb/simdb/shingle"

// Order is the global order on shingles by which prefixes are taken: by class
// of document frequency, rarest first, then by hash. Frequencies come from a
// hashed count over a sample of the collection, frozen when the order is made:
// a wrong count costs time, never a match, because probe and postings use the
// same Order.
type Order struct {
	bits    uint8   // log2 of the number of counters
	classes []uint8 // class of the counter h>>(64−bits)
	sampled uint32  // sets counted
}

// OrderBuilder counts the sets of a sample.
type OrderBuilder struct { /* stub */
}

// NewOrderBuilder expects about members shingles in all; the counters follow
// from that, 2^12 to 2^24 of them.
func NewOrderBuilder(members uint64) *OrderBuilder { panic("stub") }

// Add counts one set.
func (b *OrderBuilder) Add(s shingle.Set) { panic("stub") }

// Order freezes the counts.
func (b *OrderBuilder) Order() *Order { panic("stub") }

// Rank appends the members of s to dst, rarest first: a stable counting sort by
// class of an ascending set, so equal classes stay in hash order.
func (o *Order) Rank(dst []uint64, s shingle.Set) []uint64 { panic("stub") }

// Frequency estimates in how many of n sets the shingle occurs, for the planner.
func (o *Order) Frequency(h uint64, n int) float64 { panic("stub") }

// Encode returns the order as bytes, DecodeOrder reads it back and returns an
// error, never panics, on bytes that Encode did not write.
func (o *Order) Encode() []byte            { panic("stub") }
func DecodeOrder(b []byte) (*Order, error) { panic("stub") }
