package engine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/wal"
)

// Checkpoint writes a copy of the store as it is now, or a little later if it
// is being written, to a directory that must not exist. When it returns without
// error the copy survives a crash; else there is none. The copy opens like any
// store; its log is empty, because what is not yet in Pebble's tables is
// flushed into them first.
func (db *DB) Checkpoint(ctx context.Context, dir string) (err error) {
	if !db.gate.enter() {
		return ErrClosed
	}
	defer db.gate.leave()
	if err := db.poisoned(); err != nil {
		return err
	}
	if err := db.copying.lock(ctx); err != nil { // so that no two make one directory
		return err
	}
	defer db.copying.unlock()
	f := db.opts.fs
	if _, err := f.Stat(dir); err == nil {
		return fmt.Errorf("backup to %s: %w", dir, fs.ErrExist)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.RemoveAll(dir))
		}
	}()
	if err := makeDir(f, dir); err != nil {
		return err
	}
	return db.copyTo(ctx, dir)
}

func (db *DB) copyTo(ctx context.Context, dir string) error {
	// Until the copy is made no segment comes, and none goes.
	if err := db.building.lock(ctx); err != nil {
		return err
	}
	defer db.building.unlock()
	// What is committed from here on may be in the copy or not, in order: the
	// state file says only what is in it at least.
	st := state{Format: formatVersion, UUID: newUUID(), Made: true}
	db.mu.Lock()
	st.Applied = db.seq
	var segments []*segment
	for _, c := range db.collections {
		st.Documents += c.documents
		segments = append(segments, c.index.segments...)
	}
	db.mu.Unlock()
	if err := db.flush(ctx); err != nil {
		return err
	}
	f := db.opts.fs
	if err := db.pebble.Checkpoint(f.PathJoin(dir, pebbleName)); err != nil {
		return storeError(err)
	}
	if err := db.linkSegments(f.PathJoin(dir, postingsName), segments); err != nil {
		return err
	}
	if err := emptyLog(f, f.PathJoin(dir, logName), st.Applied); err != nil {
		return err
	}
	// The state file comes last: without it the directory is no store.
	return writeState(f, dir, f.PathJoin(dir, stateName), st)
}

// linkSegments links files of segments, which never change, into a new directory,
// or copies them to another file system.
func (db *DB) linkSegments(dir string, segments []*segment) error {
	f := db.opts.fs
	if err := makeDir(f, dir); err != nil {
		return err
	}
	for _, s := range segments {
		path := db.segmentPath(s.number)
		if err := vfs.LinkOrCopy(f, path, f.PathJoin(dir, f.PathBase(path))); err != nil {
			return err
		}
	}
	return syncDir(f, dir)
}

// emptyLog makes a log whose records up to seq are no longer needed.
func emptyLog(f vfs.FS, dir string, seq uint64) error {
	l, err := wal.Open(f, dir, wal.Options{})
	if err != nil {
		return err
	}
	if _, err = l.Replay(seq, nil); err == nil {
		err = l.Start(seq + 1)
	}
	return errors.Join(err, l.Close())
}
