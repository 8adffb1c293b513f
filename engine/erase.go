package engine

// Erasure: a deletion that leaves no trace. The commit notes the duty under keys.Erase, and
// Compact fulfils it: log, history, tables and, when the store is closed, Pebble's manifest
// (docs/decisions/0071).

import (
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

// Erase removes documents as Delete does, and has the next Compact remove every trace of
// them; Batch.Erase tells more.
func (db *DB) Erase(ctx context.Context, collection string, ids ...string) error {
	return commitFor(ctx, db, ids, func(b *Batch, id string) { b.Erase(collection, id) })
}

// erasure deletes a document and notes that its traces are to go. Observers remove in finish what
// they keep under its id: see erases.
type erasure struct{ removal }

func (o *erasure) record() record.Operation {
	return record.Operation{Kind: record.OpErase, Number: o.c.Number, Name: o.id}
}

func (o *erasure) apply(a *applier) error {
	if err := o.removal.apply(a); err != nil {
		return err
	}
	return a.StoreSealed(keys.OfErase(o.c.Number, o.id), binary.BigEndian.AppendUint64(nil, a.at.Record))
}

// erases lists the documents that the record erases; nil if it erases none.
func (a *applier) erases() (gone map[erased]bool) {
	for _, o := range a.ops {
		if o, ok := o.(*erasure); ok {
			if gone == nil {
				gone = map[erased]bool{}
			}
			gone[erased{o.c.Number, o.id}] = true
		}
	}
	return gone
}

// rowNames says whether a row of the ledger of a collection names a document that was erased: as
// what fell, or as what is kept.
func rowNames(encoded []byte, collection uint32, gone func(erased) bool) (bool, error) {
	row, keeperIn, err := record.DecodeLedgerRow(encoded)
	return err == nil && (gone(erased{collection, row.ID}) || gone(erased{keeperIn, row.Keeper.ID})), err
}

// erased is a document, of which the records up to a number are to go.
type erased struct {
	collection uint32
	id         string
}

// erasures are those that wait for Compact.
type erasures struct {
	of   map[erased]uint64 // the log record that erased it
	last uint64            // record up to which the history is to lack them; 0: none wait
}

// erasures reads which wait.
func (db *DB) erasures() (e erasures, err error) {
	e.of = map[erased]uint64{}
	err = disk.ScanSealed(db.disk.Pebble(), keys.Of(keys.Erase), func(key, value []byte) error {
		collection, id := keys.ErasedID(key)
		switch {
		case id != "" && len(value) == 8:
			seq := binary.BigEndian.Uint64(value)
			e.of[erased{collection, id}] = seq
			e.last = max(e.last, seq)
		case id == "" && len(value) == 9:
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

// without is a log record without what was erased.
func (e erasures) without(r history.Record) ([]byte, error) {
	var failed error
	out, err := record.Without(r.Payload, func(o *record.Operation) (gone, changed bool) {
		var err error
		switch o.Kind {
		case record.OpGrouped:
			changed, err = e.withoutEvents(r.Seq, o)
		case record.OpLedger:
			changed, err = e.withoutRows(r.Seq, o)
		}
		if failed = cmp.Or(failed, err); changed {
			return false, true
		}
		return e.erases(r.Seq, erased{o.Number, o.Name}) && (o.Kind == record.OpPut || o.Kind == record.OpMeta || o.Deletes()), false
	})
	return out, cmp.Or(err, failed)
}

// erases says whether what a record has of a document is to go.
func (e erasures) erases(seq uint64, x erased) bool {
	until, ok := e.of[x]
	return ok && seq <= until
}

// withoutEvents takes what happened to groups by documents that were erased out of an operation.
func (e erasures) withoutEvents(seq uint64, o *record.Operation) (changed bool, err error) {
	events, err := groups.DecodeEvents(o.Name, o.Value)
	left := slices.DeleteFunc(events, func(x api.GroupEvent) bool { return x.ID != "" && e.erases(seq, erased{o.Number, x.ID}) })
	if changed = err == nil && len(left) < len(events); changed {
		o.Value = groups.EncodeEvents(left)
	}
	return changed, err
}

// withoutRows takes the rows that name documents that were erased out of an operation.
func (e erasures) withoutRows(seq uint64, o *record.Operation) (changed bool, err error) {
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

// compactErasing does in Compact, once postings are made anew, what erasures ask for. Until it
// has done all of it the duty is durable: a crash, or an error, leaves it to the next Compact.
func (db *DB) compactErasing(ctx context.Context, e erasures) error {
	upTo, err := db.emptyLog(ctx)
	if err != nil {
		return err
	}
	e.last = max(e.last, upTo)
	if len(e.of) > 0 { // else a compaction that was given up has done so
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
		return cmp.Or(err, fault.Invalid("%d snapshots are open that see documents which were erased; close them, and compact again", n))
	}
	if err := db.disk.RewriteTables(ctx); err != nil {
		return err
	}
	if err := db.removeRetired(ctx); err != nil {
		return err
	}
	if n, err := db.atLength(ctx, db.disk.Unremoved); n > 0 || err != nil {
		return cmp.Or(err, fmt.Errorf("%d tables with documents that were erased are still read; compact again", n))
	}
	return db.noteErased(ctx, e)
}

// emptyLog retires the whole log, whoever writes. For as long as a flush of what was written
// since the last one takes, nobody commits. It returns the last record.
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

func (db *DB) eraseHistory(ctx context.Context, e erasures) error {
	db.builder.trimming.Lock()
	defer db.builder.trimming.Unlock()
	return db.disk.RewriteHistory(ctx, e.last, e.without)
}

// forgetIDs deletes the keys that name what was erased, as nothing else needs the names any
// more, and notes without a name that tables are to be written anew. It returns the snapshots
// that still see the names.
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
		if len(v) == 8 && binary.BigEndian.Uint64(v) == seq { // else it was erased once more
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

// atLength waits a moment until there are none of something, and returns how many are left:
// what the caller of Compact reads itself would be waited for in vain.
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

// noteErased says that all is done but for the manifest, which is written anew when the store
// is closed. Backups with what was erased are told by STATE.
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

// Erasing is how many erasures wait for Compact.
func (db *DB) Erasing(ctx context.Context) (int, error) {
	if err := db.enter(ctx); err != nil {
		return 0, err
	}
	defer db.lifecycle.leave()
	e, err := db.erasures()
	if err == nil && len(e.of) == 0 && e.last > 0 {
		return 1, nil // some, whose ids are forgotten
	}
	return len(e.of), err
}
