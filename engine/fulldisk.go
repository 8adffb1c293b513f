package engine

// A full disk: the store refuses puts, and deletions, drops, erasures and Compact use the reserve
// (docs/decisions/0086).

import (
	"context"
	"errors"
	"runtime"
	"syscall"
	"time"

	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/segment"
)

// admit refuses a batch for which the disk has too little room beside the reserve. Deletions may take
// part of the reserve. First admit makes room: for puts by the log and by what the builder and Pebble
// remove, for deletions by compacting the tables.
func (db *DB) admit(ctx context.Context, p prepared) error {
	allows, makeRoom := db.disk.Reserve, db.freeLog
	if onlyDeletes(p.ops) {
		allows, makeRoom = db.disk.Spare, db.freeTables
	}
	n := int64(len(p.record))
	if err := allows(n); !errors.Is(err, syscall.ENOSPC) {
		return err
	}
	if err := db.filling.Acquire(ctx, 1); err != nil {
		return err
	}
	defer db.filling.Release(1)
	if err := allows(n); !errors.Is(err, syscall.ENOSPC) {
		return err
	}
	if err := makeRoom(ctx); err != nil && !disk.NoRoom(err) {
		return err
	}
	return allows(n)
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

// compactFull is Compact on a full disk. It makes room until compact has enough: first by the tables,
// in parts and in the space of the reserve, then by the postings, which can be built again.
func (db *DB) compactFull(ctx context.Context) (err error) {
	defer db.disk.Spend()()
	for _, makeRoom := range []func(context.Context) error{db.freeTables, db.dropPostings} {
		if err := makeRoom(ctx); err != nil && !disk.NoRoom(err) {
			return err
		}
		if err = db.compact(ctx); !disk.NoRoom(err) {
			return errors.Join(err, db.closeRetired(ctx))
		}
	}
	return err
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

// closeRetired removes unused posting files, and collects garbage to close them, because an open file
// keeps its space.
func (db *DB) closeRetired(ctx context.Context) error {
	if err := db.removeRetired(ctx); err != nil {
		return err
	}
	unused := func() (n int64) {
		db.mu.Lock()
		defer db.mu.Unlock()
		for _, c := range db.collections {
			n -= int64(len(c.postings.Segments))
		}
		return n + db.files.Opened()
	}
	if unused() == 0 {
		return nil
	}
	runtime.GC()
	for range 10 { // snapshots may use some for longer
		if unused() == 0 {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	return nil
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

// dropPostings removes all postings. Until they are built again, searches scan.
func (db *DB) dropPostings(ctx context.Context) error {
	err := db.eachBuild(ctx, func(b *build) error {
		b.new = segment.Postings{}
		return b.end(nil)
	})
	if err == nil {
		err = db.disk.Flush(ctx)
	}
	return errors.Join(err, db.closeRetired(ctx))
}
