package engine

// The options of Open, and their defaults.

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
	"github.com/simdb/simdb/internal/budget"
)

// Options are the settings of Open; nil and the zero value are the defaults.
type Options struct {
	MustExist bool // fail with fs.ErrNotExist instead of creating the store

	// ReadOnly opens the present state without the write lock. Other processes may read the
	// store, and one may write it. Changes return ErrReadOnly, and nothing in the directory
	// changes.
	ReadOnly bool

	InMemory    bool          // keep everything in memory until Close; the path is ignored
	LockTimeout time.Duration // how long Open waits for the lock before ErrLocked; 0 means not at all

	CacheBytes int64 // memory for decoded sets; 0 means 36 MiB, or less if MemoryBytes is small

	// MemoryBytes is the approximate memory for imports, builds, joins and recovery; 0 means
	// 256 MiB, or less in a process with little memory: budget.Default. A single text may
	// exceed it.
	MemoryBytes int64

	// Shared has the resources that this store shares with others of the process; nil means
	// none. It replaces CacheBytes and MemoryBytes.
	Shared *Shared

	MaxDocBytes int64        // maximum length of a text; 0 means 16 MiB; at most 4 GiB − 1
	Logger      *slog.Logger // nil means silent

	// Convert is the treatment of texts that were analysed with other Unicode tables; ""
	// means ConvertNewer.
	Convert api.Convert

	// KeepLog, unless nil, changes which log segments the store keeps as history, for Tail,
	// ExtendBackup and RestoreTo. The zero value keeps none, the initial setting. The store
	// remembers the setting for all later writers.
	KeepLog *api.KeepLog

	OpenProgress func(api.OpenProgress) // receives the progress of long steps of Open; may be nil

	// Entities finds the entities of paragraphs, for the measure entities; nil means the
	// built-in extractor. A collection that stores its entities opens only with an
	// extractor of the same Name.
	Entities *api.EntityExtractor

	// SegmentSets is the number of sets in a new posting segment; 0 means 4,096, the
	// maximum is 1,048,576. Tests of a program reduce it, so that few documents make
	// segments, merges and a tail.
	SegmentSets uint32

	hooks
}

// hooks are settings for tests and for Salvage.
type hooks struct {
	fs            vfs.FS           // a file system in memory, for tests
	memTableBytes int64            // size of Pebble's memtable; small in tests
	clock         func() time.Time // of commits

	unicode  string            // version of the Unicode tables for the analysis of texts
	analysed func(bytes int64) // receives the memory that analyses reserve and, negative, release

	regroup bool // Open rebuilds all groups
}

// maxSegmentSets bounds SegmentSets, because maxTail segments are counted in 32 bits.
const maxSegmentSets = 1 << 20

// check refuses contradictory or invalid options with ErrInvalid.
func (o *Options) check() error {
	switch {
	case o.ReadOnly && o.InMemory:
		return fault.Invalid("a store in memory is empty, so it cannot be read-only")
	case o.MustExist && o.InMemory:
		return fault.Invalid("a store in memory is always new, so it cannot be required to exist")
	}
	if o.SegmentSets > maxSegmentSets {
		return fault.Invalid("SegmentSets is %d: want at most %d", o.SegmentSets, maxSegmentSets)
	}
	if k := o.KeepLog; k != nil && (k.Bytes < 0 || k.Age < 0) {
		return fault.Invalid("history to keep: size and age must not be negative")
	}
	switch o.Convert {
	case api.ConvertNewer, api.ConvertNever, api.ConvertAlways:
		return nil
	}
	return fault.Invalid("unknown Convert %q: want newer, never or always", o.Convert)
}

// memory returns the caches of Shared, or new ones for this store.
func (o *Options) memory() (*view.Memory, *disk.Tables) {
	if s := o.Shared; s != nil {
		s.begin(o)
		return s.memory, &s.tables
	}
	return view.NewMemory(o.CacheBytes, o.MemoryBytes), nil
}

// withDefaults returns a copy with defaults in place of zero values; o may be nil.
func (o *Options) withDefaults() Options {
	var r Options
	if o != nil {
		r = *o
	}
	if s := r.Shared; s != nil {
		r.CacheBytes, r.MemoryBytes = s.CacheBytes, s.MemoryBytes
	}
	setDefault(&r.MemoryBytes, budget.Default())
	setDefault(&r.CacheBytes, min(36<<20, r.MemoryBytes/7))
	setDefault(&r.MaxDocBytes, 16<<20)
	r.MaxDocBytes = min(r.MaxDocBytes, math.MaxUint32) // set records count shingles in 32 bits
	setDefault(&r.SegmentSets, record.SegmentSets)
	setDefault(&r.memTableBytes, min(disk.MemTableBytes, max(r.MemoryBytes/16, 1<<20)))
	r.unicode = cmp.Or(r.unicode, unicode.Version)
	if r.clock == nil {
		r.clock = time.Now
	}
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

// setDefault replaces a value that is not positive.
func setDefault[T int64 | uint32](field *T, value T) {
	if *field <= 0 {
		*field = value
	}
}
