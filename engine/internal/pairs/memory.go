package pairs

// Memory of a join, and its error if there is too little.

import (
	"errors"
	"fmt"
	"unsafe"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/disk"

	"github.com/simdb/simdb/engine/internal/host"
	"github.com/simdb/simdb/engine/internal/segment"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/index/join"
)

// leastBudget allows small collections to be joined under any setting.
const leastBudget = 4 << 20

// budget returns the memory for the tables of a join, in bytes.
func budget(m *view.Snapshot) int64 { return max(m.MemoryBytes/2, leastBudget) }

// joinError adds the required memory setting to a join's error of too little memory.
func joinError(m *view.Snapshot, err error) error {
	var too *join.MemoryError
	if !errors.As(err, &too) {
		return segment.PageError(err)
	}
	const mib = 1 << 20
	return fmt.Errorf("%w: a join of %d sets does not fit in %d MiB of memory: raise the memory setting (--memory) to %d MiB or more",
		api.ErrTooLarge, too.Sets, m.MemoryBytes/mib, 2*too.Bytes/mib+1)
}

// fileScratch returns a temporary file for tables that exceed the memory. Close removes it;
// else it is removed with the snapshot's other files.
func fileScratch(files *disk.Scratch) *join.FileScratch {
	return &join.FileScratch{Create: func() (join.File, error) { return files.Create() }}
}

// joinMemory allocates the ranks and tables of a join, outside the Go heap where possible.
// It is not safe for concurrent use; Apart returns an allocator for another goroutine.
type joinMemory struct {
	frees []func()
	apart []*joinMemory
}

// Words allocates n zeroed words, valid until Free.
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

// Halves allocates n zeroed 32-bit words, valid until Free.
func (m *joinMemory) Halves(n int) []uint32 {
	if n == 0 {
		return nil
	}
	words := m.Words((n + 1) / 2)
	return unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(words))), n)
}

// Apart returns a separate allocator; Free of m releases it too.
func (m *joinMemory) Apart() join.Memory {
	a := &joinMemory{}
	m.apart = append(m.apart, a)
	return a
}

// Free releases all memory of m.
func (m *joinMemory) Free() {
	for _, free := range m.frees {
		free()
	}
	for _, a := range m.apart {
		a.Free()
	}
	m.frees, m.apart = nil, nil
}
