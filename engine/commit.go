package engine

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/cockroachdb/pebble/v2"

	"github.com/simdb/simdb/keys"
	"github.com/simdb/simdb/wal"
)

// commit is the one way into the store: under one mutex a sequence number is
// assigned, the record appended to the log and the batch applied, so that the
// applied number in every batch tells the truth. The caller waits for the
// log's sync outside, together with others.
func (db *DB) commit(p prepared) (wal.Ticket, BatchStats, error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	if err := db.poisoned(); err != nil {
		return wal.Ticket{}, BatchStats{}, err
	}
	if err := db.admissible(p.ops); err != nil {
		return wal.Ticket{}, BatchStats{}, err
	}
	seq := db.seq + 1
	ticket, err := db.log.Append(seq, p.record)
	if err != nil {
		return wal.Ticket{}, BatchStats{}, db.poison(err)
	}
	stats, err := db.apply(seq, p.ops)
	if err != nil {
		return wal.Ticket{}, BatchStats{}, db.poison(err)
	}
	stats.Superseded = p.superseded
	return ticket, stats, nil
}

// admissible checks what only the mutex can tell: nothing may fail for the
// caller's fault once the record is in the log.
func (db *DB) admissible(ops []operation) error {
	for _, o := range ops {
		switch {
		case o.kind == opCreate && db.collections[o.name] != nil:
			return fmt.Errorf("collection %q %w", o.name, ErrExists)
		case o.c != nil && o.kind != opCreate && o.c.dropped:
			return fmt.Errorf("collection %q %w: dropped meanwhile", o.c.name, ErrNotFound)
		case o.mustExist:
			if v, err := get(db.pebble, keys.WithID(o.c.key(keys.Document), o.name)); err != nil {
				return err
			} else if v == nil {
				return fmt.Errorf("document %q %w", o.name, ErrNotFound)
			}
		}
	}
	return nil
}

// Commit applies a batch, durably: when it returns without error the batch
// survives a crash. After an error that wraps ErrPoisoned or ctx's the batch
// may have been applied or not, whole in either case.
func (db *DB) Commit(ctx context.Context, b *Batch) (BatchStats, error) {
	if !db.gate.enter() {
		return BatchStats{}, ErrClosed
	}
	defer db.gate.leave()
	return db.commitBatch(ctx, b)
}

func (db *DB) commitBatch(ctx context.Context, b *Batch) (BatchStats, error) {
	if err := ctx.Err(); err != nil {
		return BatchStats{}, err
	}
	if len(b.ops) == 0 {
		return BatchStats{}, nil
	}
	if err := db.createMissing(ctx, b); err != nil {
		return BatchStats{}, err
	}
	p, err := db.prepare(b, db.opts.MaxDocBytes)
	if err != nil {
		return BatchStats{}, err
	}
	return db.commitAndWait(ctx, p)
}

func (db *DB) commitAndWait(ctx context.Context, p prepared) (BatchStats, error) {
	if err := db.awaitRoom(ctx); err != nil {
		return BatchStats{}, err
	}
	ticket, stats, err := db.commit(p)
	if err != nil {
		return stats, err
	}
	return stats, db.waitDurable(ctx, ticket)
}

func (db *DB) waitDurable(ctx context.Context, t wal.Ticket) error {
	err := t.Wait(ctx)
	if err != nil && ctx.Err() == nil {
		return db.poison(err)
	}
	return err
}

// applier turns operations into one Pebble batch.
type applier struct {
	db *DB
	*changes
	sets    map[digestKey]uint32 // made or ended in this batch; Pebble does not show them yet
	touched map[*collection]bool
}

type digestKey struct {
	collection uint32
	digest     [16]byte
}

// apply changes the store and the state in memory; db.mu is held. An error
// leaves both in doubt, so the caller poisons the store.
func (db *DB) apply(seq uint64, ops []operation) (stats BatchStats, err error) {
	a := applier{db: db, changes: newChanges(db.pebble, len(ops), storedBytes(ops), db.opts.memTableBytes), sets: map[digestKey]uint32{}, touched: map[*collection]bool{}}
	defer a.close()
	for i := range ops {
		o := &ops[i]
		switch o.kind {
		case opPut:
			err = a.put(o, &stats)
		case opDelete:
			err = a.delete(o, &stats)
		case opMark:
			if o.value == nil {
				err = a.batch.Delete(keys.OfMark(o.name), nil)
			} else {
				err = a.batch.Set(keys.OfMark(o.name), o.value, nil)
			}
		case opCreate:
			err = a.create(o)
		case opDrop:
			err = a.drop(o)
		case opBook:
			err = a.addBook(o)
		}
		if err != nil {
			return stats, err
		}
	}
	for c := range a.touched {
		if c.dropped {
			continue
		}
		if err := a.batch.Set(c.key(keys.Counters), c.encodeCounters(), nil); err != nil {
			return stats, err
		}
	}
	if err := a.batch.Set(keys.Of(keys.Applied), binary.BigEndian.AppendUint64(nil, seq), nil); err != nil {
		return stats, err
	}
	batch, err := a.gathered()
	if err != nil {
		return stats, err
	}
	db.unflushed.Add(int64(batch.Len()))
	if err := batch.Commit(pebble.NoSync); err != nil {
		return stats, err
	}
	db.seq = seq
	for c := range a.touched {
		if db.tailIsLong(c) || c.wantsDictionary(c.sets, db.opts.segmentSets) {
			db.wakeBuilder()
		}
	}
	return stats, nil
}

// storedBytes is about what operations add to the store.
func storedBytes(ops []operation) int {
	const keyBytes = 200 // of all records of a document, with their lengths
	n := keyBytes
	for i := range ops {
		o := &ops[i]
		n += keyBytes + len(o.name)*2 + len(o.value) + len(o.meta) + len(o.text)
		if o.derived != nil {
			n += len(o.folded) + 8*len(o.set.Signature)
		}
	}
	return n
}

func (a *applier) put(o *operation, stats *BatchStats) error {
	c := o.c
	a.touched[c] = true
	old, err := a.document(c, o.name)
	if err != nil {
		return err
	}
	set := noSet
	if len(o.bag.Set) > 0 {
		if set, err = a.join(c, o); err != nil {
			return err
		}
	}
	if old == nil {
		c.remember(seenID(o.name), a.db.opts.MemoryBytes)
		stats.Inserted++
		c.documents++
	} else {
		stats.Replaced++
		c.textBytes -= old.textBytes
		if old.set != set {
			if err := a.remove(keys.WithID(c.key(keys.Text, old.set), o.name)); err != nil {
				return err
			}
		}
		if err := a.leave(c, old.set, set); err != nil {
			return err
		}
	}
	c.textBytes += o.textBytes
	r := documentRecord{set: set, textBytes: o.textBytes, meta: o.meta}
	if err := a.store(keys.WithID(c.key(keys.Document), o.name), r.encode()); err != nil {
		return err
	}
	return a.store(keys.WithID(c.key(keys.Text, set), o.name), o.text)
}

func (a *applier) delete(o *operation, stats *BatchStats) error {
	c := o.c
	old, err := a.document(c, o.name)
	if err != nil || old == nil {
		return err
	}
	a.touched[c] = true
	stats.Deleted++
	c.documents--
	c.textBytes -= old.textBytes
	if err := a.remove(keys.WithID(c.key(keys.Text, old.set), o.name)); err != nil {
		return err
	}
	if err := a.leave(c, old.set, noSet); err != nil {
		return err
	}
	return a.remove(keys.WithID(c.key(keys.Document), o.name))
}

// document reads what is stored of an id; nil when nothing is. A batch holds
// each id once, so Pebble's answer is not out of date.
func (a *applier) document(c *collection, id string) (*documentRecord, error) {
	if !c.seen.has(seenID(id)) {
		return nil, nil
	}
	v, err := get(a.db.pebble, keys.WithID(c.key(keys.Document), id))
	if err != nil || v == nil {
		return nil, err
	}
	r, err := decodeDocumentRecord(v)
	return &r, err
}

// join finds the set of the operation's bag, or makes it, and counts one more
// document there.
func (a *applier) join(c *collection, o *operation) (uint32, error) {
	dk := digestKey{c.number, o.set.Digest}
	set, known := a.sets[dk]
	if !known && c.seen.has(seenDigest(o.set.Digest)) {
		v, err := get(a.db.pebble, keys.OfDigest(c.number, o.set.Digest))
		if err != nil {
			return 0, err
		}
		if len(v) == 4 {
			set, known = binary.BigEndian.Uint32(v), true
		}
	}
	if known && int(set) < len(c.shares) && c.shares[set] > 0 {
		c.shares[set]++
		return set, a.writeShares(c, set)
	}
	set = c.next
	if set == noSet {
		return 0, fmt.Errorf("%w: collection %q has used up its set numbers; export and import it anew", ErrTooLarge, c.name)
	}
	c.next++
	c.sets++
	c.tail++
	c.shares = append(c.shares, 1)
	c.table.Put(set, o.set.Facts)
	c.fresh.add(o.bag, c.freshBudget(a.db.opts.MemoryBytes))
	a.sets[dk] = set
	c.remember(seenDigest(o.set.Digest), a.db.opts.MemoryBytes)
	if err := a.store(c.key(keys.Set, set), o.set.encode()); err != nil {
		return 0, err
	}
	if c.folds {
		if err := a.store(c.key(keys.Folded, set), o.folded); err != nil {
			return 0, err
		}
	}
	if err := c.writeFeatures(a.batch, set, o.features); err != nil {
		return 0, err
	}
	return set, a.store(keys.OfDigest(c.number, o.set.Digest), binary.BigEndian.AppendUint32(nil, set))
}

// leave takes a document out of its old set, unless the new one is the same.
// joined says where it went, so that a replacement by equal text is no change.
func (a *applier) leave(c *collection, set, joined uint32) error {
	if set == noSet {
		return nil
	}
	if int(set) >= len(c.shares) || c.shares[set] == 0 {
		return corrupt("a document has set %d, which is not there", set)
	}
	c.shares[set]--
	if set == joined {
		return a.writeShares(c, set) // join counted it once more
	}
	if c.shares[set] > 0 {
		return a.writeShares(c, set)
	}
	return a.end(c, set)
}

// end removes a set that no document has. Its postings stay until a merge; what
// they lead to is no longer there, so no answer holds it.
func (a *applier) end(c *collection, set uint32) error {
	digest, err := a.digestOf(c, set)
	if err != nil {
		return err
	}
	c.sets--
	c.table.End(set)
	if set >= c.index.built {
		c.tail--
	} else {
		c.index.segmentOf(set).dead.Add(1) // the builder rewrites it some day
		if err := a.store(c.key(keys.Ended, set), nil); err != nil {
			return err
		}
	}
	a.sets[digestKey{c.number, digest}] = set
	if err := c.removeFeatures(a.batch, a.db.pebble, set); err != nil {
		return err
	}
	for _, k := range [][]byte{c.key(keys.Set, set), c.key(keys.Folded, set), c.key(keys.Shares, set), keys.OfDigest(c.number, digest)} {
		if err := a.remove(k); err != nil {
			return err
		}
	}
	return nil
}

func (a *applier) digestOf(c *collection, set uint32) ([16]byte, error) {
	v, err := get(a.db.pebble, c.key(keys.Set, set))
	if err != nil {
		return [16]byte{}, err
	}
	if v != nil {
		r, err := decodeSetRecord(v)
		return r.Digest, err
	}
	for dk, s := range a.sets { // made in this batch
		if s == set && dk.collection == c.number {
			return dk.digest, nil
		}
	}
	return [16]byte{}, corrupt("set %d is not there", set)
}

func (a *applier) writeShares(c *collection, set uint32) error {
	k := c.key(keys.Shares, set)
	if c.shares[set] < 2 {
		return a.remove(k)
	}
	return a.store(k, binary.BigEndian.AppendUint32(nil, c.shares[set]))
}

func (a *applier) create(o *operation) error {
	c := o.c
	c.seen = &seen{} // it is empty
	a.db.collections[c.name] = c
	a.db.lastCollection = max(a.db.lastCollection, c.number)
	a.touched[c] = true
	return a.batch.Set(c.key(keys.Collection), o.value, nil)
}

func (a *applier) drop(o *operation) error {
	o.c.dropped = true
	delete(a.db.collections, o.c.name)
	if err := a.db.retire(a.batch, o.c.index.segments); err != nil {
		return err
	}
	return removeCollection(a.batch, o.c.number)
}

// collection returns the live collection of that name.
func (db *DB) collection(name string) (*collection, error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	if c := db.collections[name]; c != nil {
		return c, nil
	}
	return nil, fmt.Errorf("collection %q %w", name, ErrNotFound)
}

// Put stores documents, all or none, durably; equal ids replace. A missing
// collection is created with default settings.
func (db *DB) Put(ctx context.Context, docs ...Document) error {
	var b Batch
	for _, d := range docs {
		b.Put(d)
	}
	_, err := db.Commit(ctx, &b)
	return err
}

// Delete removes documents by id, all or none. ErrNotFound if one is not there.
func (db *DB) Delete(ctx context.Context, collection string, ids ...string) error {
	var b Batch
	for _, id := range ids {
		b.Delete(collection, id)
		b.ops[len(b.ops)-1].mustExist = true
	}
	_, err := db.Commit(ctx, &b)
	return err
}

// createMissing makes the collections that a batch puts into. It makes none for
// a batch that would be refused, unless that is for its size, which only prepare
// tells.
func (db *DB) createMissing(ctx context.Context, b *Batch) error {
	missing := db.missing(b)
	if len(missing) == 0 {
		return nil
	}
	if _, err := db.screen(b, db.opts.MaxDocBytes, new(prepared)); err != nil {
		return err
	}
	for _, name := range missing {
		if _, err := db.opts.newCollection(0, name, Settings{}); err != nil {
			return err
		}
	}
	for _, o := range b.ops {
		if o.kind == opDelete && !slices.Contains(missing, o.collection) {
			if _, err := db.collection(o.collection); err != nil {
				return err
			}
		}
	}
	for _, name := range missing {
		if err := db.createCollection(ctx, name, Settings{}); err != nil && !errors.Is(err, ErrExists) {
			return err
		}
	}
	return nil
}

// missing names the collections that a batch puts into and that are not there.
func (db *DB) missing(b *Batch) (names []string) {
	db.mu.Lock()
	defer db.mu.Unlock()
	for _, o := range b.ops {
		if o.kind == opPut && db.collections[o.collection] == nil && !slices.Contains(names, o.collection) {
			names = append(names, o.collection)
		}
	}
	return names
}

// CreateCollection makes an empty collection; its settings never change.
// ErrExists if there is one of that name.
func (db *DB) CreateCollection(ctx context.Context, name string, s Settings) error {
	if !db.gate.enter() {
		return ErrClosed
	}
	defer db.gate.leave()
	return db.createCollection(ctx, name, s)
}

func (db *DB) createCollection(ctx context.Context, name string, s Settings) error {
	// one at a time, so that numbers are not given twice
	if err := db.creating.lock(ctx); err != nil {
		return err
	}
	defer db.creating.unlock()
	db.mu.Lock()
	number := db.lastCollection + 1
	db.mu.Unlock()
	c, err := db.opts.newCollection(number, name, s)
	if err != nil {
		return err
	}
	o := operation{kind: opCreate, name: name, c: c}
	if o.value, err = db.settingsJSON(c); err != nil {
		return err
	}
	_, err = db.commitAndWait(ctx, prepared{ops: []operation{o}, record: o.encode(nil)})
	return err
}

// DropCollection removes a collection with everything in it. ErrNotFound if
// there is none of that name.
func (db *DB) DropCollection(ctx context.Context, name string) error {
	if !db.gate.enter() {
		return ErrClosed
	}
	defer db.gate.leave()
	c, err := db.collection(name)
	if err != nil {
		return err
	}
	o := operation{kind: opDrop, name: name, c: c}
	_, err = db.commitAndWait(ctx, prepared{ops: []operation{o}, record: o.encode(nil)})
	return err
}
