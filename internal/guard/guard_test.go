package guard

// Reading past the memory must fault.

import (
	"runtime"
	"runtime/debug"
	"testing"
	"unsafe"
)

func TestMemory(t *testing.T) {
	m := Memory[uint32](t, 1500)
	for i := range m {
		m[i]++
	}
	if runtime.GOOS != "linux" {
		t.Skip("plain memory")
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if recover() == nil {
			t.Error("reading past the memory did not fault")
		}
	}()
	past := unsafe.Add(unsafe.Pointer(unsafe.SliceData(m)), 4*len(m))
	t.Error("read", *(*uint32)(past))
}
