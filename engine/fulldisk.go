package engine

// A full disk: the store refuses puts, and deletions, drops, erasures and Compact use the reserve
// (docs/decisions/0086).

import (
	"context"
	"errors"
	"runtime"
	"time"

	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/segment"
)

// reserve refuses operations with n bytes of log records for which the disk has too little room beside
// the reserve. Deletions may take part of the reserve. The error is disk.NoRoom.
func (db *DB) reserve(ops []operation, n int) error {
	if onlyDeletes(ops) {
		return db.disk.ReserveDeletion(int64(n))
	}
	return db.disk.Reserve(int64(n))
}

// makeRoom makes room for operations that reserve refuses: for puts by the log and by what the builder
// and Pebble remove, for deletions by compacting the tables.
func (db *DB) makeRoom(ctx context.Context, ops []operation, n int) error {
	if err := db.reserve(ops, n); !disk.NoRoom(err) {
		return err
	}
	if err := db.filling.Acquire(ctx, 1); err != nil {
		return err
	}
	defer db.filling.Release(1)
	if err := db.reserve(ops, n); !disk.NoRoom(err) { // another writer may have made it
		return err
	}
	free := db.freeLog
	if onlyDeletes(ops) {
		free = db.freeTables
	}
	if err := free(ctx); err != nil && !disk.NoRoom(err) {
		return err
	}
	return db.reserve(ops, n)
}

// onlyDeletes reports whether operations only remove data.
func onlyDeletes(ops []operation) bool {
	for _, o := range ops {
		switch o.(type) {
		case *removal, *erasure, *drop, *ungrouping:
		default:
			return false
		}
	}
	return true
}

// patience is the number of collections for which a compaction waits until posting files are closed, 2
// seconds at least: a busy machine needs longer, and without their space the compaction fails.
const patience = 20

// compactFull is Compact on a full disk, in the space of the reserve. It frees the space of deleted
// texts first. If new postings do not fit beside the old ones even then, they replace them.
func (db *DB) compactFull(ctx context.Context) (err error) {
	defer db.disk.Spend()()
	if err := db.freeTables(ctx); err != nil && !disk.NoRoom(err) {
		return err
	}
	db.closeUnused(patience)
	if err = db.compact(ctx, db.rebuildBuilt); disk.NoRoom(err) {
		err = db.compact(ctx, db.rebuildInPlace)
	}
	return errors.Join(err, db.closeRetired(ctx))
}

// freeLog empties the log, and waits for the ends of a build and of Pebble's compactions, which need room for
// a while.
func (db *DB) freeLog(ctx context.Context) error {
	if _, err := db.emptyLog(ctx); err != nil {
		return err
	}
	err := db.closeRetired(ctx)
	_, late := db.atLength(ctx, db.disk.Compacting)
	return errors.Join(err, late)
}

// closeRetired removes retired posting files, and closes them, because an open file keeps its space.
func (db *DB) closeRetired(ctx context.Context) error {
	err := db.removeRetired(ctx)
	db.closeUnused(1)
	return err
}

// closeUnused collects garbage up to a number of times, until all posting files without a reader are
// closed. Snapshots may use some for longer.
func (db *DB) closeUnused(times int) {
	unused := func() (n int64) {
		db.mu.Lock()
		defer db.mu.Unlock()
		for _, c := range db.collections {
			n -= int64(len(c.postings.Segments))
		}
		return n + db.files.Opened()
	}
	for n := 0; n < 10*times && unused() > 0; n++ {
		if n%10 == 0 {
			runtime.GC()
		}
		time.Sleep(10 * time.Millisecond) // the runtime closes the files in the background
	}
}

// freeTables also compacts the tables, as far as there is room.
func (db *DB) freeTables(ctx context.Context) error {
	defer db.disk.Spend()()
	if err := db.disk.Narrow(); err != nil {
		return err
	}
	if err := db.freeLog(ctx); err != nil {
		return err
	}
	return db.disk.Compact(ctx)
}

// rebuildBuilt is rebuildAll without the tails, whose postings would take more room. The builder
// builds them when there is room.
func (db *DB) rebuildBuilt(ctx context.Context) error {
	return db.eachBuild(ctx, func(b *build) error { return b.renewAll(ctx, b.old.Built) })
}

// rebuildInPlace is rebuildBuilt that removes the old postings first. Until the new ones are built,
// searches scan, and the facts of all sets are in memory.
func (db *DB) rebuildInPlace(ctx context.Context) error {
	if err := db.builder.building.Acquire(ctx, 1); err != nil { // the builder would build them beside
		return err
	}
	defer db.builder.building.Release(1)
	built := map[*collection]uint32{}
	err := db.buildEach(func(b *build) error {
		built[b.c] = b.old.Built
		b.new = segment.Postings{}
		return b.end(nil)
	})
	if err == nil {
		err = db.disk.Flush(ctx)
	}
	if err == nil {
		err = db.removeUnused(ctx)
	}
	if err != nil {
		return err
	}
	db.closeUnused(patience)
	return db.buildEach(func(b *build) error { return b.renewAll(ctx, built[b.c]) })
}
