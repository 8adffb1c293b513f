package engine

// What Open can be told, and the defaults.

import (
	"cmp"
	"log/slog"
	"math"
	"time"
	"unicode"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/engine/internal/view"
)

// Options of Open; nil and the zero value are the defaults.
type Options struct {
	MustExist   bool          // fail with fs.ErrNotExist rather than create the store
	ReadOnly    bool          // show it as it is now, beside others that read it and one that writes, and write nothing in its directory. Changes are ErrReadOnly
	InMemory    bool          // keep all in memory, until Close; the path names nothing
	LockTimeout time.Duration // how long Open waits for a store that is open elsewhere, before it is ErrLocked; 0 means not at all
	CacheBytes  int64         // memory for decoded sets; 0 means 36 MiB, and less with little MemoryBytes
	MemoryBytes int64         // memory for imports, builds, joins and recovery, roughly; 0 means 256 MiB. One text always goes, however long
	Shared      *Shared       // what this store has together with others of the process; then it says CacheBytes and MemoryBytes. nil means nothing
	MaxDocBytes int64         // largest text that Put takes; 0 means 16 MiB, and none is above 4 GiB − 1
	Logger      *slog.Logger  // nil means silent
	Convert     api.Convert   // what Open does with texts that were read with other Unicode tables; "" means ConvertNewer

	// KeepLog, unless nil, sets which log segments the store keeps from now on as history,
	// for Tail, ExtendBackup and RestoreTo; the zero value is none, as at first. The store
	// remembers it, for every program that opens it to write.
	KeepLog *api.KeepLog

	OpenProgress func(api.OpenProgress) // told how far Open has come where it takes long; nil means nobody

	// Entities finds what paragraphs name, for the measure entities; nil means the
	// built-in extractor. A collection that keeps what one has found opens only with one of
	// the same Name.
	Entities *api.EntityExtractor

	// SegmentSets is how many sets a fresh posting segment has; 0 means 4,096, and at most
	// 1,048,576 will do. A test of a
	// program makes it small, so that few documents have segments, merges and a tail.
	SegmentSets uint32

	hooks
}

// hooks are of tests that read texts otherwise, or look at how they are read, and of Salvage.
type hooks struct {
	fs            vfs.FS // tests put one in memory here
	memTableBytes int64  // tests make it small

	unicode  string            // version of the tables that texts are read with
	analysed func(bytes int64) // told of room that analyses take and, negative, give back

	regroup bool // Open makes all groups anew
}

// mostSegmentSets bounds SegmentSets: sixteen segments are counted in 32 bits.
const mostSegmentSets = 1 << 20

// check refuses options that go together no way.
func (o *Options) check() error {
	switch {
	case o.ReadOnly && o.InMemory:
		return fault.Invalid("a store in memory is empty: ReadOnly and InMemory do not go together")
	case o.MustExist && o.InMemory:
		return fault.Invalid("a store in memory is always new: MustExist and InMemory do not go together")
	}
	if o.SegmentSets > mostSegmentSets {
		return fault.Invalid("SegmentSets is %d: want at most %d", o.SegmentSets, mostSegmentSets)
	}
	if k := o.KeepLog; k != nil && (k.Bytes < 0 || k.Age < 0) {
		return fault.Invalid("KeepLog: neither size nor age can be below 0")
	}
	switch o.Convert {
	case api.ConvertNewer, api.ConvertNever, api.ConvertAlways:
		return nil
	}
	return fault.Invalid("unknown Convert %q: want newer, never or always", o.Convert)
}

// memory is what the store is read with, its own or that of several.
func (o *Options) memory() (*view.Memory, *disk.Tables) {
	if s := o.Shared; s != nil {
		s.begin(o)
		return s.memory, &s.tables
	}
	return view.NewMemory(o.CacheBytes, o.MemoryBytes), nil
}

func (o *Options) withDefaults() Options {
	var r Options
	if o != nil {
		r = *o
	}
	if s := r.Shared; s != nil {
		r.CacheBytes, r.MemoryBytes = s.CacheBytes, s.MemoryBytes
	}
	setDefault(&r.MemoryBytes, 256<<20)
	setDefault(&r.CacheBytes, min(36<<20, r.MemoryBytes/7))
	setDefault(&r.MaxDocBytes, 16<<20)
	r.MaxDocBytes = min(r.MaxDocBytes, math.MaxUint32) // set records count shingles in 32 bits
	setDefault(&r.SegmentSets, record.SegmentSets)
	setDefault(&r.memTableBytes, min(disk.MemTableBytes, max(r.MemoryBytes/16, 1<<20)))
	r.unicode = cmp.Or(r.unicode, unicode.Version)
	if r.fs == nil {
		r.fs = vfs.Default
		if r.InMemory {
			r.fs = vfs.NewMem()
		}
	}
	r.Convert = cmp.Or(r.Convert, api.ConvertNewer)
	if r.OpenProgress == nil {
		r.OpenProgress = func(api.OpenProgress) {}
	}
	r.Logger = cmp.Or(r.Logger, slog.New(slog.DiscardHandler))
	return r
}

func setDefault[T int64 | uint32](field *T, value T) {
	if *field <= 0 {
		*field = value
	}
}
