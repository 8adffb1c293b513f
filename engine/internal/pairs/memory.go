package pairs

// Memory for the tables of a join, outside the Go heap.

import (
	"unsafe"

	"github.com/simdb/simdb/engine/internal/host"
	"github.com/simdb/simdb/index/join"
)

// joinMemory is what a join has its ranks and tables in: outside the Go heap where that can
// be had. Not safe for concurrent use.
type joinMemory struct {
	frees []func()
	apart []*joinMemory
}

func (m *joinMemory) Words(n int) []uint64 {
	if n == 0 {
		return nil
	}
	words, free := host.Words(n)
	if free != nil {
		m.frees = append(m.frees, free)
	}
	return words
}

func (m *joinMemory) Halves(n int) []uint32 {
	if n == 0 {
		return nil
	}
	words := m.Words((n + 1) / 2)
	return unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(words))), n)
}

func (m *joinMemory) Apart() join.Memory {
	a := &joinMemory{}
	m.apart = append(m.apart, a)
	return a
}

func (m *joinMemory) Free() {
	for _, free := range m.frees {
		free()
	}
	for _, a := range m.apart {
		a.Free()
	}
	m.frees, m.apart = nil, nil
}
