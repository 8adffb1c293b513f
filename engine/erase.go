package engine

// Erasure: a deletion that leaves no trace. The commit records a pending erasure under
// keys.Erase. Compact carries it out in log, history and tables, and Close in Pebble's
// manifest (docs/decisions/0071).

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/engine/internal/groups"
	"github.com/simdb/simdb/engine/internal/history"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/internal/keys"
)

// Erase deletes documents, durably, and makes the next Compact remove every trace of them;
// see Batch.Erase.
func (db *DB) Erase(ctx context.Context, collection string, ids ...string) error {
	return commitFor(ctx, db, ids, func(b *Batch, id string) { b.Erase(collection, id) })
}

// erasure deletes a document and records that its traces must go. In finish, observers
// remove their own data about the document; see applier.erases.
type erasure struct{ removal }

func (o *erasure) record() record.Operation {
	return record.Operation{Kind: record.OpErase, Number: o.c.Number, Name: o.id}
}

// ofDropped stands for a dropped collection, of which only traces remain.
func ofDropped(number uint32) of {
	c := newCollection(&record.Schema{Number: number})
	c.dropped = true
	return of{c}
}

// admit accepts a dropped collection too: its traces remain.
func (o *erasure) admit(*DB) error { return nil }

// apply deletes the document and records the pending erasure, with the number of this log
// record. Without an id it concerns a dropped collection as a whole.
func (o *erasure) apply(a *applier) error {
	if !o.c.dropped {
		if err := o.removal.apply(a); err != nil {
			return err
		}
	}
	return a.StoreSealed(keys.OfErase(o.c.Number, o.id), binary.BigEndian.AppendUint64(nil, a.at.Record))
}

// erases returns the documents that the record erases; nil if it erases none.
func (a *applier) erases() (gone documents) {
	for _, o := range a.ops {
		if o, ok := o.(*erasure); ok {
			if gone == nil {
				gone = documents{}
			}
			gone[erased{o.c.Number, o.id}] = true
		}
	}
	return gone
}

// rowNames reports whether a ledger row of a collection names an erased document, as the
// rejected one or as the keeper.
func rowNames(encoded []byte, collection uint32, gone func(erased) bool) (bool, error) {
	row, keeperIn, err := record.DecodeLedgerRow(encoded)
	return err == nil && (gone(erased{collection, row.ID}) || gone(erased{keeperIn, row.Keeper.ID})), err
}

// erased identifies an erased document; without an id, all documents of a collection.
type erased struct {
	collection uint32
	id         string
}

// documents is a set of erased documents.
type documents map[erased]bool

func (d documents) has(x erased) bool { return d[x] || d[erased{x.collection, ""}] }

// erasures are the pending erasures, which Compact carries out.
type erasures struct {
	of   map[erased]uint64 // number of the record of the erasure
	last uint64            // the history must be rewritten up to this record; 0 if no erasure is pending
}

// erasures reads the pending erasures.
func (db *DB) erasures() (e erasures, err error) {
	e.of = map[erased]uint64{}
	err = disk.ScanSealed(db.disk.Pebble(), keys.Of(keys.Erase), func(key, value []byte) error {
		collection, id, ok := keys.ErasedID(key)
		switch {
		case ok && len(value) == 8:
			seq := binary.BigEndian.Uint64(value)
			e.of[erased{collection, id}] = seq
			e.last = max(e.last, seq)
		case !ok && len(value) == 9:
			if value[0] == disk.ErasingTables {
				e.last = max(e.last, binary.BigEndian.Uint64(value[1:]))
			}
		default:
			return fault.Corrupt("the erasure of a document has %d bytes", len(value))
		}
		return nil
	})
	return e, err
}

// rewrite returns a log record without erased data; nil if that changes nothing.
func (e erasures) rewrite(r history.Record) ([]byte, error) {
	var failed error
	out, err := record.Without(r.Payload, func(o *record.Operation) (gone, changed bool) {
		var err error
		switch {
		case e.erases(r.Seq, erased{o.Number, ""}):
			return true, false
		case o.Kind == record.OpGrouped:
			changed, err = e.dropEvents(r.Seq, o)
		case o.Kind == record.OpLedger:
			changed, err = e.dropRows(r.Seq, o)
		}
		if failed = cmp.Or(failed, err); changed {
			return false, true
		}
		return e.erases(r.Seq, erased{o.Number, o.Name}) && (o.Kind == record.OpPut || o.Kind == record.OpMeta || o.Deletes()), false
	})
	return out, cmp.Or(err, failed)
}

// rewriteSettings is rewrite for the settings of a record in the history.
func (e erasures) rewriteSettings(r history.Record) ([]byte, error) {
	out, err := e.rewrite(history.Record{Seq: r.Seq, Payload: record.Stamp(bytes.Clone(r.Payload), time.Now())})
	if out == nil || err != nil {
		return nil, err
	}
	left, err := record.SettingsOf(out)
	return append([]byte{}, left...), err
}

// erases reports whether the data of document x in record seq must go. Later records may
// belong to a new document with the same id.
func (e erasures) erases(seq uint64, x erased) bool {
	return seq <= max(e.of[x], e.of[erased{x.collection, ""}])
}

// dropEvents removes group events of erased documents from an operation.
func (e erasures) dropEvents(seq uint64, o *record.Operation) (changed bool, err error) {
	events, err := groups.DecodeEvents(o.Name, o.Value)
	left := slices.DeleteFunc(events, func(x api.GroupEvent) bool { return x.ID != "" && e.erases(seq, erased{o.Number, x.ID}) })
	if changed = err == nil && len(left) < len(events); changed {
		o.Value = groups.EncodeEvents(left)
	}
	return changed, err
}

// dropRows removes ledger rows that name erased documents from an operation.
func (e erasures) dropRows(seq uint64, o *record.Operation) (changed bool, err error) {
	rows, err := record.LedgerRows(o.Value)
	left := []byte{}
	for _, row := range rows {
		gone, wrong := rowNames(row, o.Number, func(x erased) bool { return e.erases(seq, x) })
		if err = cmp.Or(err, wrong); gone {
			changed = true
			continue
		}
		left = record.AppendLedgerRow(left, row)
	}
	o.Value = left
	return changed, err
}

// compactErasing removes the traces of erased documents, after Compact has rebuilt the
// postings. The erasure stays recorded until everything is done, so the next Compact
// resumes after a crash or an error.
func (db *DB) compactErasing(ctx context.Context, e erasures) error {
	upTo, err := db.emptyLog(ctx)
	if err != nil {
		return err
	}
	e.last = max(e.last, upTo)
	if len(e.of) > 0 { // otherwise an interrupted Compact has already rewritten the history
		if err := db.eraseHistory(ctx, e); err != nil {
			return err
		}
	}
	before, err := db.forgetIDs(e)
	if err != nil {
		return err
	}
	seen := func() (n int64) {
		for s := range db.openSnapshots() {
			if before[s] {
				n++
			}
		}
		return n
	}
	if n, err := db.atLength(ctx, seen); n > 0 || err != nil {
		return cmp.Or(err, fault.Invalid("%d open snapshots still see erased documents; close them and compact again", n))
	}
	if err := db.disk.RewriteTables(ctx); err != nil {
		return err
	}
	if err := db.removeRetired(ctx); err != nil {
		return err
	}
	if n, err := db.atLength(ctx, db.disk.Unremoved); n > 0 || err != nil {
		return cmp.Or(err, fmt.Errorf("%d tables with erased documents are still in use; compact again", n))
	}
	return db.noteErased(ctx, e)
}

// emptyLog retires the whole log, even with active writers, and returns the number of its
// last record. Commits wait while it flushes.
func (db *DB) emptyLog(ctx context.Context) (upTo uint64, err error) {
	db.builder.trimming.Lock()
	defer db.builder.trimming.Unlock()
	db.mu.Lock()
	defer db.mu.Unlock()
	if err := db.disk.Flush(ctx); err != nil {
		return 0, err
	}
	err = db.disk.Trim(func() (documents int64) {
		for _, c := range db.collections {
			documents += c.Documents
		}
		return documents
	})
	return db.seq, errors.Join(err, db.disk.ResetLog(db.seq))
}

// eraseHistory rewrites the retired log segments without the erased data.
func (db *DB) eraseHistory(ctx context.Context, e erasures) error {
	db.builder.trimming.Lock()
	defer db.builder.trimming.Unlock()
	return db.disk.RewriteHistory(ctx, e.last, e.rewrite, e.rewriteSettings)
}

// forgetIDs deletes the keys that name erased documents, since no later step needs the
// names. Instead it records, under a key without a name, that the tables must be rewritten.
// It returns the snapshots that still see the names.
func (db *DB) forgetIDs(e erasures) (before map[*Snapshot]bool, err error) {
	batch := db.disk.Pebble().NewBatch()
	defer batch.Close()
	db.mu.Lock()
	defer db.mu.Unlock()
	for x, seq := range e.of {
		key := keys.OfErase(x.collection, x.id)
		v, err := disk.GetSealed(db.disk.Pebble(), key)
		if err != nil {
			return nil, err
		}
		if len(v) == 8 && binary.BigEndian.Uint64(v) == seq { // otherwise it was erased again
			if err := batch.Delete(key, nil); err != nil {
				return nil, err
			}
		}
	}
	value := binary.BigEndian.AppendUint64([]byte{disk.ErasingTables}, e.last)
	if err := disk.SetSealed(batch, keys.Of(keys.Erase), value); err != nil {
		return nil, err
	}
	if err := db.disk.Apply(batch); err != nil {
		return nil, db.disk.Poison(err)
	}
	return maps.Clone(db.snapshots), nil
}

// atLength waits up to two seconds until left returns 0, and returns the last result of
// left. A longer wait would be futile: the remaining reader may be the caller of Compact.
func (db *DB) atLength(ctx context.Context, left func() int64) (n int64, err error) {
	for range 200 {
		if n = left(); n == 0 {
			break
		}
		select {
		case <-time.After(10 * time.Millisecond):
		case <-ctx.Done():
			return n, ctx.Err()
		}
	}
	return n, nil
}

// noteErased records that only the manifest, which Close rewrites, may still name erased
// documents. It also records e.last in STATE, by which ExtendBackup refuses backups that
// may contain erased documents.
func (db *DB) noteErased(ctx context.Context, e erasures) error {
	if err := db.copying.Acquire(ctx, 1); err != nil {
		return err
	}
	defer db.copying.Release(1)
	db.builder.trimming.Lock()
	defer db.builder.trimming.Unlock()
	if err := db.disk.SetErased(e.last); err != nil {
		return err
	}
	value := binary.BigEndian.AppendUint64([]byte{disk.ErasingManifest}, e.last)
	return db.disk.Change(func(b *pebble.Batch) error { return disk.SetSealed(b, keys.Of(keys.Erase), value) })
}

// Erasing returns the number of pending erasures. It returns 1 if Compact was interrupted
// after it had forgotten the ids.
func (db *DB) Erasing(ctx context.Context) (int, error) {
	if err := db.enter(ctx); err != nil {
		return 0, err
	}
	defer db.lifecycle.leave()
	e, err := db.erasures()
	if err == nil && len(e.of) == 0 && e.last > 0 {
		return 1, nil // their ids are already deleted
	}
	return len(e.of), err
}
