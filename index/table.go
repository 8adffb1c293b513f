package index

import (
	"github.com/simdb/simdb/measure"
	"github.com/simdb/simdb/sketch"
)

// Facts is what the index keeps in memory of each set.
type Facts struct {
	measure.Size
	Collisions uint64 // Distinct − cardinality of the folded set
	SimHash    uint64
	Signature  sketch.Signature
}

// Table holds the Facts of a collection's sets by set number, in chunks that
// never move. One writer; readers work on a View, which later writes do not
// change. A number without a set (Distinct 0) is a hole.
type Table struct { /* stub */
}

// Put stores the facts of set i, usually the next; numbers in between are holes.
func (t *Table) Put(i uint32, f Facts) { panic("stub") }

// View is what readers see: the sets below Len at the time of the call.
func (t *Table) View() View { panic("stub") }

// View is an immutable state of a Table.
type View struct { /* stub */
}

func (v View) Len() uint32                         { panic("stub") }
func (v View) Size(i uint32) measure.Size          { panic("stub") }
func (v View) Collisions(i uint32) uint64          { panic("stub") }
func (v View) SimHash(i uint32) uint64             { panic("stub") }
func (v View) Signature(i uint32) sketch.Signature { panic("stub") }
