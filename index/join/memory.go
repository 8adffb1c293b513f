package join

// This file says where joins have their tables.

// Memory is where a join has its ranks and tables, which are most of the memory
// that it takes. They hold integers and live for one call. On the Go heap the
// collector would delay its work until there is as much garbage as they take.
type Memory interface {
	Words(n int) []uint64  // n zeros
	Halves(n int) []uint32 // n zeros; what is not touched should cost nothing
	Free()                 // gives back everything: nothing of it may be used after that
}

type heapMemory struct{}

func (heapMemory) Words(n int) []uint64  { return make([]uint64, n) }
func (heapMemory) Halves(n int) []uint32 { return make([]uint32, n) }
func (heapMemory) Free()                 {}
