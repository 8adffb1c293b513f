// Package inside gives tests of the engine's internal packages access to an open store. Such a
// test opens a store with package engine, which sets the variables here. They expose state that
// tests damage, observe or wait for. No caller of engine may use this state; only package
// engine/internal/enginetest reads the variables. Begin with DB.
package inside

import (
	"context"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/segment"
	"github.com/simdb/simdb/engine/internal/view"
)

// Hooks are the options that only tests set. A nil field has no effect.
type Hooks struct {
	FS            *vfs.FS
	MemTableBytes *int64
	Clock         *func() time.Time
	Unicode       *string
	Analysed      *func(bytes int64)
}

// DB is the internal state of an open store.
type DB struct {
	Disk          *disk.Store
	Files         *segment.Dir
	Counted       func() (seq uint64, documents int64)
	Maintain      func(context.Context) error // runs all pending work of the builder
	RebuildAll    func(context.Context) error
	RemoveRetired func(context.Context) error
	Use           func() error // keeps a store from going idle until Unuse
	Unuse         func()
}

// Package engine sets these functions. options is an *engine.Options, db an *engine.DB and
// snapshot an *engine.Snapshot: naming the types would create an import cycle.
var (
	HooksOf func(options any) Hooks
	StoreOf func(db any) DB
	ViewOf  func(snapshot any) *view.Snapshot
)
