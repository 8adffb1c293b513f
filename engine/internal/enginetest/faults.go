// Injecting write failures.

package enginetest

import (
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"github.com/simdb/simdb/engine"
)

// FaultyOptions returns options with small memtables.
func FaultyOptions(fs vfs.FS) *engine.Options {
	o := Options(fs)
	*MemTableBytes(o) = 32 << 10 // for many flushes
	return o
}

// NthWrite fails the Nth write operation on a file system and, if Always, all later ones. Safe
// for concurrent use once N and Always are set.
type NthWrite struct {
	N      int64
	Always bool
	Seen   atomic.Int64
	Failed atomic.Pointer[errorfs.Op]
	Off    atomic.Bool
}

func (f *NthWrite) String() string { return "nthWrite" }

func (f *NthWrite) MaybeError(op errorfs.Op) error {
	if op.Kind.ReadOrWrite() != errorfs.OpIsWrite || f.Off.Load() {
		return nil
	}
	if seen := f.Seen.Add(1); seen < f.N || seen > f.N && !f.Always {
		return nil
	}
	f.Failed.CompareAndSwap(nil, &op)
	return errorfs.ErrInjected
}
