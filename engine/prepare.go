package engine

// Preparation: everything for a batch that needs no commit mutex. It checks the requests,
// analyses the texts and encodes the log record.

import (
	"context"
	"fmt"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/condition"
	"github.com/simdb/simdb/engine/internal/record"
)

// maxBatchBytes bounds the stored bytes of one batch, all of which one log record holds.
const maxBatchBytes = 64 << 20

// prepared is a batch ready to commit.
type prepared struct {
	ops        []operation
	record     []byte
	ends       []int // of the operations in record; nil without conditions
	superseded int
	conditions *condition.Batch // nil: no conditions, and all ids are distinct
	watches    map[*collection][]condition.Watch
	expected   []expected
	falls      []fall // ledger rows
}

// single prepares a batch of one operation.
func single(o operation) prepared {
	p := prepared{}
	p.add(o)
	return p
}

// add appends an operation, and its part of the record.
func (p *prepared) add(o operation) {
	r := o.record()
	p.ops, p.record = append(p.ops, o), r.Encode(p.record)
}

// prepare screens the requests of a batch, and converts the rest into operations and a log
// record. It refuses a batch that no store could accept. Later steps may refuse it because
// of its conditions, or of concurrent commits.
func (db *DB) prepare(ctx context.Context, b *Batch, maxText int64) (p prepared, err error) {
	p.expected, p.falls = b.expected, b.falls
	requests, err := b.mergeMeta()
	if err != nil {
		return p, err
	}
	db.resolve(requests, b.again, &p)
	requests, superseded, size, err := screen(requests, maxText, p.conditions != nil)
	if err != nil {
		return p, err
	}
	p.superseded = superseded
	if requests, err = db.dropNoOps(requests); err != nil {
		return p, err
	}
	p.ops = make([]operation, len(requests))
	puts := make([]put, countPuts(requests))
	for i := range requests {
		r := &requests[i]
		if r.ofDocument() && r.c == nil {
			return p, fmt.Errorf("collection %q %w", r.collection, api.ErrNoCollection)
		}
		o := r.operation(&puts)
		if o, ok := o.(*put); ok {
			if err := db.derive(ctx, o, &r.doc, maxText); err != nil {
				return p, fmt.Errorf("document %q: %w", o.id, err)
			}
			size += len(o.text)
		}
		p.ops[i] = o
		if p.conditions != nil {
			if err := p.conditions.Add(p.conditionOp(o, r.wants)); err != nil {
				return p, fmt.Errorf("document %q: %w", r.name, err)
			}
		}
	}
	if size > maxBatchBytes {
		return p, fmt.Errorf("%w: batch of %d bytes, the limit is %d", api.ErrTooLarge, size, maxBatchBytes)
	}
	p.encode(size)
	return p, nil
}

// encode encodes the record of the operations. size is its approximate length.
func (p *prepared) encode(size int) {
	p.record = make([]byte, 0, size)
	if p.conditions != nil {
		p.ends = make([]int, len(p.ops))
	}
	for i, o := range p.ops {
		r := o.record()
		p.record = r.Encode(p.record)
		if p.ends != nil {
			p.ends[i] = len(p.record)
		}
	}
}

// countPuts counts the puts, for a single allocation.
func countPuts(requests []counted) (n int) {
	for _, r := range requests {
		if r.kind == record.OpPut {
			n++
		}
	}
	return n
}

// resolve finds the collections of requests by name. If a put has conditions or a watch,
// resolve creates p.conditions, because the effect of an operation then depends on the
// operations before it. If stored is set, the store has already accepted the documents, and
// their conditions do not apply again.
func (db *DB) resolve(requests []counted, stored bool, p *prepared) {
	db.mu.Lock()
	defer db.mu.Unlock()
	for i := range requests {
		r := &requests[i]
		if !r.ofDocument() {
			continue
		}
		r.c = db.collections[r.collection]
		p.watch(r.c, db.observers)
		var s *record.Schema
		if r.c != nil {
			s = r.c.Schema
		}
		if r.kind == record.OpPut && !stored && (r.wants.Asked(s) || p.watches[r.c] != nil) {
			p.conditions = &condition.Batch{}
		}
	}
}

// watch collects the comparisons that observers need for the puts into a collection.
func (p *prepared) watch(c *collection, all observers) {
	if c == nil || p.watches[c] != nil {
		return
	}
	if w := all.watch(c); w != nil {
		if p.watches == nil {
			p.watches = map[*collection][]condition.Watch{}
		}
		p.watches[c] = w
	}
}

// dropNoOps drops deletions and metadata changes in docs while docs is only implied, and
// thus has no documents.
func (db *DB) dropNoOps(requests []counted) ([]counted, error) {
	_, err := db.collection(api.DefaultCollection)
	if err == nil {
		return requests, nil
	}
	kept := requests[:0]
	for _, r := range requests {
		switch {
		case !r.deletes() && r.kind != record.OpMeta || r.collection != api.DefaultCollection:
			kept = append(kept, r)
		case r.mustExist:
			return nil, fmt.Errorf("document %q %w", r.name, api.ErrNotFound)
		}
	}
	return kept, nil
}
