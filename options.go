package simdb

// Options of a database, and the memory that several databases share.

import (
	"log/slog"
	"sync"
	"time"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/internal/budget"
)

// Options configure Open. The zero value and nil are the defaults.
type Options struct {
	MustExist   bool          // return fs.ErrNotExist instead of creating the database
	ReadOnly    bool          // open the present state, concurrently with other readers and one writer, and write nothing in its directory; changes return ErrReadOnly
	InMemory    bool          // keep all data in memory until Close; the path is ignored
	LockTimeout time.Duration // maximum time that Open waits for the lock of a database that is open elsewhere, before it returns ErrLocked; 0 means no wait
	CacheBytes  int64         // memory for decoded sets; 0 means 36 MiB, or less if MemoryBytes is small
	MemoryBytes int64         // approximate memory for imports, index builds, joins and recovery; 0 means DefaultMemoryBytes. A single text may exceed it
	Shared      *Shared       // memory and builders in common with other databases of the process, instead of CacheBytes and MemoryBytes; nil means none
	MaxDocBytes int64         // largest text that Put accepts; 0 means 16 MiB, and the maximum is 4 GiB − 1
	Logger      *slog.Logger  // nil means silent
	Observer    api.Observer  // receives every finished call; nil means none
	Convert     api.Convert   // how Open treats texts that were read with other Unicode tables; "" means ConvertNewer

	// KeepLog, unless nil, sets which log segments the database keeps from now on as history, for
	// Tail, ExtendBackup and RestoreTo. The zero value keeps none, which is the initial setting.
	// The setting is stored in the database, so it applies to every program that writes to it.
	KeepLog *api.KeepLog

	// OpenProgress, unless nil, receives the progress of an Open that takes long.
	OpenProgress func(api.OpenProgress)

	// Entities extracts the names in paragraphs, for the measure entities; nil means the built-in
	// extractor. A database with a collection that keeps entities opens only with an extractor of
	// the same Name.
	Entities *api.EntityExtractor

	// SegmentSets is the number of sets in a new posting segment; 0 means 4,096, and the maximum is
	// 1,048,576. Tests lower it to get segments, merges and a tail from few documents.
	SegmentSets uint32
}

// DefaultMemoryBytes returns the default of Options.MemoryBytes: 256 MiB, or less in a process that
// may use less than 576 MiB: (limit − 64 MiB) / 2, at least 8 MiB. The limit is the smallest of the
// memory of the machine, the limits of the control groups of the process (Linux), and the soft
// limit of the Go runtime, which GOMEMLIMIT and debug.SetMemoryLimit set.
func DefaultMemoryBytes() int64 { return budget.Default() }

// of converts the options to the engine's.
func (o *Options) of() *engine.Options {
	if o == nil {
		return nil
	}
	return &engine.Options{
		MustExist: o.MustExist, ReadOnly: o.ReadOnly, InMemory: o.InMemory, LockTimeout: o.LockTimeout,
		CacheBytes: o.CacheBytes, MemoryBytes: o.MemoryBytes, Shared: o.Shared.of(), MaxDocBytes: o.MaxDocBytes,
		Logger: o.Logger, Convert: o.Convert, KeepLog: o.KeepLog, OpenProgress: o.OpenProgress,
		Entities: o.Entities, SegmentSets: o.SegmentSets,
	}
}

// Shared lets many small databases of one process share resources. Open them with the same
// Options.Shared. They share:
//
//   - the caches of decoded sets, of blocks and of open files,
//   - the memory for the analysis of texts,
//   - one index builder per core.
//
// A database without a running call sleeps, unless it is among the Awake most recently used. A
// sleeping database is closed, and holds no file, no lock and little memory. The next call opens it
// again. Another process may open it meanwhile; the call then waits for LockTimeout, or sees the
// changes afterwards.
//
// The zero value is ready for use. Shared needs no closing: its memory is released with the last
// database. After the first Open with a Shared, do not copy it and do not change its fields.
type Shared struct {
	CacheBytes  int64 // memory for decoded sets of all databases; 0 means 36 MiB
	MemoryBytes int64 // approximate memory for one import, index build, join or recovery, and for all texts under analysis; 0 means DefaultMemoryBytes
	Awake       int   // number of databases that may be idle without sleeping; 0 means 64, or a sixteenth of ulimit -n if that is less; negative means none

	once   sync.Once
	engine engine.Shared
}

// of returns the engine's shared resources. The first Open fixes the fields, so later changes have
// no effect.
func (s *Shared) of() *engine.Shared {
	if s == nil {
		return nil
	}
	s.once.Do(func() {
		s.engine.CacheBytes, s.engine.MemoryBytes, s.engine.Awake = s.CacheBytes, s.MemoryBytes, s.Awake
	})
	return &s.engine
}
