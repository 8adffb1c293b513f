// Package inside is the one way for tests of the rooms into a store. Such a test stands in
// the folder of its room and opens a store by package engine, which sets the variables here.
// They show what a test damages, waits for or looks at, and no caller of engine may. Only
// package engine/internal/enginetest reads them.
package inside

import (
	"context"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/segment"
	"github.com/simdb/simdb/engine/internal/view"
)

// Hooks are the options that only tests set.
type Hooks struct {
	FS            *vfs.FS
	MemTableBytes *int64
	Unicode       *string
	Analysed      *func(bytes int64)
}

// DB is the inside of an open store.
type DB struct {
	Disk          *disk.Store
	Files         *segment.Dir
	Counted       func() (seq uint64, documents int64)
	Maintain      func(context.Context) error // all that the builder has to do
	RebuildAll    func(context.Context) error
	RemoveRetired func(context.Context) error
	Use           func() error // keeps a store awake until Unuse
	Unuse         func()
}

// Package engine sets these. options is an *engine.Options, db an *engine.DB, and snapshot an
// *engine.Snapshot, which this package cannot name without an import cycle.
var (
	HooksOf func(options any) Hooks
	StoreOf func(db any) DB
	ViewOf  func(snapshot any) *view.Snapshot
)
