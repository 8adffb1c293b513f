package engine

// Backups: a copy of the store while it is in use.

import (
	"context"
	"sync"

	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/fault"
)

// Checkpoint writes a copy of the store as it is now, or a little later if it
// is being written, to a directory that must not exist and lies outside of the
// store. When it returns without error the copy survives a crash; else there is
// none, but a crash may leave an unfinished one, with ".partial" behind its name,
// which the next to the same place replaces. The copy opens like any store. It shares
// no file with the store, so damage to the files of one does not reach the other.
//
// Of a store that is open for reading only it is ErrReadOnly, of one in memory
// ErrInvalid.
func (db *DB) Checkpoint(ctx context.Context, dir string) error {
	return db.checkpoint(ctx, dir, false)
}

// LinkedCheckpoint is Checkpoint with hard links to the files that never change, if dir
// is on the same file system. It takes no time and no room. But copy and store share
// these files: if one is damaged on disk, both are.
func (db *DB) LinkedCheckpoint(ctx context.Context, dir string) error {
	return db.checkpoint(ctx, dir, true)
}

func (db *DB) checkpoint(ctx context.Context, dir string, links bool) error {
	if db.opts.InMemory {
		return fault.Invalid("backup: a store in memory has no directory")
	}
	if err := db.enterToWrite(ctx); err != nil {
		return err
	}
	defer db.gate.leave()
	if err := db.disk.Poisoned(); err != nil {
		return err
	}
	if err := db.copying.Acquire(ctx, 1); err != nil { // so that no two make one directory
		return err
	}
	defer db.copying.Release(1)
	// Until all files are linked no segment comes, and none goes.
	if err := db.builder.building.Acquire(ctx, 1); err != nil {
		return err
	}
	goOn := sync.OnceFunc(func() { db.builder.building.Release(1) })
	defer goOn()
	// What is committed from here on may be in the copy or not, in order.
	db.mu.Lock()
	seq := db.seq
	var documents int64
	var segments []string
	for _, c := range db.collections {
		documents += c.Documents
		for _, s := range c.postings.Segments {
			segments = append(segments, db.files.Path(s.Number))
		}
	}
	db.mu.Unlock()
	return db.disk.Copy(ctx, dir, seq, documents, links, func(dir string) error {
		defer goOn()
		return db.disk.LinkFiles(db.disk.FS().PathJoin(dir, disk.PostingsName), segments)
	})
}
