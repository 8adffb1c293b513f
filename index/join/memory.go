package join

// This file says where joins have their tables.

// Memory is where a join has its ranks and tables, the greatest part of what it
// takes. They are of integers and live for one call: on the Go heap the collector would wait
// with its work until as much garbage lies beside them.
type Memory interface {
	Words(n int) []uint64  // n zeros
	Halves(n int) []uint32 // n zeros; what is not touched should cost nothing
	Free()                 // gives back all that it gave: nothing of it is used any more
}

type heapMemory struct{}

func (heapMemory) Words(n int) []uint64  { return make([]uint64, n) }
func (heapMemory) Halves(n int) []uint32 { return make([]uint32, n) }
func (heapMemory) Free()                 {}
