// Functions of package engine that only some programs link. A variable set by engine would link
// them into every program.

package enginetest

import (
	"context"
	"iter"
	_ "unsafe" // for linkname

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
)

// Check checks a store, with a sample of answers or without.
//
//go:linkname Check github.com/simdb/simdb/engine.(*DB).check
func Check(db *engine.DB, ctx context.Context, progress func(done, total int64), answers bool) (*api.CheckReport, error)

//go:linkname tail github.com/simdb/simdb/engine.tail
func tail(ctx context.Context, fs vfs.FS, path string, o api.TailOptions) iter.Seq2[api.Change, error]

//go:linkname extendBackup github.com/simdb/simdb/engine.extendBackup
func extendBackup(ctx context.Context, fs vfs.FS, store, backup string) (api.Extension, error)
