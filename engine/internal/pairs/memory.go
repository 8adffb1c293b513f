package pairs

// The memory of a join, and what is said where it is too little.

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

// leastBudget lets small collections be joined by any setting.
const leastBudget = 4 << 20

// budget is the memory for the tables of a join.
func budget(m *view.Snapshot) int64 { return max(m.MemoryBytes/2, leastBudget) }

// joinError says what a join of sets wants that has too little memory.
func joinError(m *view.Snapshot, err error) error {
	var too *join.MemoryError
	if !errors.As(err, &too) {
		return segment.PageError(err)
	}
	const mib = 1 << 20
	return fmt.Errorf("%w: a join of %d sets with %d MiB of memory: it takes MemoryBytes (--memory) of %d MiB or more",
		api.ErrTooLarge, too.Sets, m.MemoryBytes/mib, 2*too.Bytes/mib+1)
}

// fileScratch is for what has no room in memory: one file, which is removed with the
// others of the snapshot, or by Close.
func fileScratch(files *disk.Scratch) *join.FileScratch {
	return &join.FileScratch{Create: func() (join.File, error) { return files.Create() }}
}

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
