package engine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
)

// Checkpoint writes a copy of the store as it is now to a directory that must
// not exist. The copy opens like any store; it needs no log, because what is
// not yet in Pebble's tables is flushed into them first.
func (db *DB) Checkpoint(ctx context.Context, dir string) error {
	if !db.gate.enter() {
		return ErrClosed
	}
	defer db.gate.leave()
	if err := db.poisoned(); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	f := db.opts.fs
	if _, err := f.Stat(dir); err == nil {
		return fmt.Errorf("backup to %s: %w", dir, fs.ErrExist)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := f.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	// No commit may come between the flush and the copy: what it wrote would
	// be in neither Pebble's tables nor a log of the copy's own.
	db.mu.Lock()
	seq, documents := db.seq, int64(0)
	for _, c := range db.collections {
		documents += c.documents
	}
	err := db.flush(ctx)
	if err == nil {
		err = db.pebble.Checkpoint(f.PathJoin(dir, pebbleName))
	}
	db.mu.Unlock()
	if err != nil {
		return storeError(err)
	}
	// The state file comes last: without it the directory is no store.
	st := state{Format: formatVersion, UUID: newUUID(), Applied: seq, Documents: documents}
	return writeState(f, dir, f.PathJoin(dir, stateName), st)
}
