package index

import (
	"math"
	"testing"
)

// Saturated counters reach every least count.
func TestEachSaturated(t *testing.T) {
	c := takeCounters(Stored{Segment: &Segment{Hi: 8}})
	defer c.giveBack()
	c.add(1, 7)
	c.add(3, math.MaxUint16)
	c.add(3, 1)
	var met []uint32
	c.each(math.MaxUint16+1, func(rel uint32, shared uint64) uint64 {
		met = append(met, rel)
		return math.MaxUint16 + 1
	})
	if len(met) != 1 || met[0] != 3 {
		t.Fatalf("met %v, want set 3", met)
	}
}
