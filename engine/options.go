package engine

// What Open can be told, and the defaults.

import (
	"log/slog"
	"math"
	"unicode"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/record"
)

// Options of Open; nil and the zero value are the defaults.
type Options struct {
	MustExist   bool         // fail with fs.ErrNotExist rather than create the store
	CacheBytes  int64        // memory for decoded sets; 0 means 36 MiB
	MemoryBytes int64        // memory for imports, builds, joins and recovery, roughly; 0 means 256 MiB. One text always goes, however long
	MaxDocBytes int64        // largest text that Put takes; 0 means 16 MiB, and none is above 4 GiB − 1
	Logger      *slog.Logger // nil means silent

	// Tests put a file system in memory here and make the others small.
	fs            vfs.FS
	segmentSets   uint32 // sets in a fresh posting segment
	memTableBytes int64
	unicode       string            // version of the tables that texts are read with
	analysed      func(bytes int64) // told of room that analyses take and, negative, give back
}

func (o *Options) withDefaults() Options {
	var r Options
	if o != nil {
		r = *o
	}
	setDefault(&r.CacheBytes, 36<<20)
	setDefault(&r.MemoryBytes, 256<<20)
	setDefault(&r.MaxDocBytes, 16<<20)
	r.MaxDocBytes = min(r.MaxDocBytes, math.MaxUint32) // set records count shingles in 32 bits
	setDefault(&r.segmentSets, record.SegmentSets)
	setDefault(&r.memTableBytes, disk.MemTableBytes)
	if r.unicode == "" {
		r.unicode = unicode.Version
	}
	if r.fs == nil {
		r.fs = vfs.Default
	}
	if r.Logger == nil {
		r.Logger = slog.New(slog.DiscardHandler)
	}
	return r
}

func setDefault[T int64 | uint32](field *T, value T) {
	if *field <= 0 {
		*field = value
	}
}
