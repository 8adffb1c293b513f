package engine

// Bulk loading: batches are analysed on all cores, committed in order, and their syncs
// overlap.

import (
	"context"
	"fmt"
	"iter"
	"sync"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/engine/internal/host"
	"github.com/simdb/simdb/wal"
)

const (
	// loadAhead bounds the conditional batches that look for conflicts together, and the batches
	// that wait for their sync. Twice as many may wait for their commit.
	loadAhead = 8
	// bytesPerTextByte estimates the memory of a batch in the pipeline. Most of it is
	// shingle hashes, and a text has fewer shingles than characters.
	bytesPerTextByte = 8
)

// Load commits a stream of batches in order. It analyses them on all cores and overlaps
// their syncs, within MemoryBytes. It creates missing collections with default settings.
// acked, unless nil, is called for each batch, in order, once it is durable. Load returns
// when all documents are indexed, except a tail too short for a segment. It stops at the
// first error; acknowledged batches stay. Close does not wait for batches to yield: Load
// returns ErrClosed at the next batch.
func (db *DB) Load(ctx context.Context, batches iter.Seq2[*Batch, error], acked func(*Batch, api.BatchStats)) error {
	if batches == nil {
		return fault.Invalid("load: the source of the batches is nil")
	}
	if acked == nil {
		acked = func(*Batch, api.BatchStats) {}
	}
	if err := db.enterToWrite(ctx); err != nil {
		return err
	}
	from := db.beginLoad()
	ctx, cancel := db.shared.Bound(ctx)
	defer cancel()
	g, loadCtx := errgroup.WithContext(ctx)
	l := load{
		db: db, ctx: loadCtx, acked: acked,
		jobs: make(chan loadJob, loadAhead), queue: make(chan loadJob, 2*loadAhead), flights: make(chan flight, loadAhead),
		room: semaphore.NewWeighted(db.opts.MemoryBytes / 4),
	}
	for range host.Workers() {
		g.Go(l.prepare)
	}
	g.Go(l.commit)
	g.Go(l.await)
	done := make(chan error, 1)
	go func() {
		err := g.Wait()
		db.endWrites()
		if err == nil {
			err = db.await(ctx, db.unbuilt)
		}
		if err == nil {
			if merged := db.tidy(ctx, from); ctx.Err() != nil {
				err = ctx.Err()
			} else if merged != nil { // all documents are stored and can be found
				db.opts.Logger.Error("merging the loaded segments", "error", merged)
			}
		}
		db.endTidying()
		db.lifecycle.leave() // the rest does not touch the store
		done <- err
	}()
	err := l.feed(batches)
	ended := loadCtx.Err() != nil // by another stage, the caller or Close
	if err != nil {
		cancel()
	}
	if other := <-done; err == nil || ended && other != nil {
		err = other
	}
	return db.shared.ClosedOr(err)
}

// load is a running Load. Batches pass from feed through prepare, concurrently, and commit,
// in order, to await.
type load struct {
	db          *DB
	ctx         context.Context
	acked       func(*Batch, api.BatchStats)
	jobs        chan loadJob // to any worker
	queue       chan loadJob // to the committer, in order
	flights     chan flight
	room        *semaphore.Weighted // in bytes
	conditional sync.Once           // guards noteConditional
}

// loadJob is a batch in the pipeline. ready receives its preparation.
type loadJob struct {
	batch *Batch
	bytes int64
	ready chan prepared
}

// flight is a committed batch that waits for its sync.
type flight struct {
	loadJob
	ticket wal.Ticket
	stats  api.BatchStats
}

// beginLoad counts the beginning of a load, and returns the next set number of each
// collection.
func (db *DB) beginLoad() map[*collection]uint32 {
	db.mu.Lock()
	defer db.mu.Unlock()
	db.builder.loads++
	db.builder.untidy++
	next := map[*collection]uint32{}
	for _, c := range db.collections {
		next[c] = c.Next
	}
	return next
}

// noteConditional records that a load has conditions, which search every segment: the
// builder then keeps segments few.
func (db *DB) noteConditional() {
	db.mu.Lock()
	db.builder.conditional = true
	db.mu.Unlock()
	db.wakeBuilder()
}

// endWrites counts the end of a load's writes.
func (db *DB) endWrites() {
	db.mu.Lock()
	db.builder.loads--
	db.mu.Unlock()
	db.wakeBuilder() // a tail now counts as long at a smaller size
}

// endTidying counts the end of a load's tidying.
func (db *DB) endTidying() {
	db.mu.Lock()
	db.builder.untidy--
	db.builder.conditional = db.builder.conditional && db.builder.untidy > 0
	db.mu.Unlock()
	db.wakeBuilder() // merges now need less growth
}

// feed takes batches from the source as memory permits.
func (l *load) feed(batches iter.Seq2[*Batch, error]) error {
	defer close(l.jobs)
	defer close(l.queue)
	for b, err := range batches {
		if err != nil {
			return err
		}
		if b == nil {
			return fmt.Errorf("load: %w", errNoBatch)
		}
		if err := l.makeReady(b); err != nil {
			return err
		}
		j := loadJob{batch: b, bytes: min(l.db.opts.MemoryBytes/4, loadBytes(b)), ready: make(chan prepared, 1)}
		if err := l.room.Acquire(l.ctx, j.bytes); err != nil {
			return err
		}
		for _, to := range []chan loadJob{l.queue, l.jobs} {
			select {
			case to <- j:
			case <-l.ctx.Done():
				return l.ctx.Err()
			}
		}
	}
	return nil
}

// makeReady creates the collections and first dictionaries that a batch needs. It enters
// the store for that: feed runs outside, so that Close does not wait for the source.
func (l *load) makeReady(b *Batch) error {
	if err := l.db.lifecycle.enter(); err != nil {
		return err
	}
	defer l.db.lifecycle.leave()
	if err := l.db.createMissing(l.ctx, b); err != nil {
		return err
	}
	return l.db.learnFrom(l.ctx, b)
}

// loadBytes estimates the memory of a batch in the pipeline.
func loadBytes(b *Batch) int64 {
	n := int64(0)
	for _, o := range b.ops {
		n += contentBytes(&o.doc) + 256
	}
	return n * bytesPerTextByte
}

// contentBytes estimates the stored bytes of a document's text and tokens.
func contentBytes(d *api.Document) int64 {
	n := int64(len(d.Text) + len(d.Lexed))
	for _, t := range d.Tokens {
		n += int64(len(t)) + 1
	}
	return n
}

// prepare is a worker: it analyses batches, and searches for the conflicts of all conditional ones
// that wait at once.
func (l *load) prepare() error {
	for {
		j, ok, err := receive(l.ctx, l.jobs)
		if !ok {
			return err
		}
		var waiting []chan prepared
		var conditional []prepared
		for ok {
			p, err := l.db.prepare(l.ctx, j.batch, l.db.opts.MaxDocBytes)
			if err != nil {
				return err
			}
			if p.conditions == nil {
				j.ready <- p
				break
			}
			waiting, conditional = append(waiting, j.ready), append(conditional, p)
			if len(conditional) == loadAhead {
				break
			}
			select {
			case j, ok = <-l.jobs:
			default:
				ok = false
			}
		}
		if len(conditional) == 0 {
			continue
		}
		l.conditional.Do(l.db.noteConditional)
		if err := l.db.lookAhead(l.ctx, conditional); err != nil {
			return err
		}
		for i, p := range conditional {
			waiting[i] <- p
		}
	}
}

// commit commits prepared batches in their order.
func (l *load) commit() error {
	defer close(l.flights)
	for {
		j, ok, err := receive(l.ctx, l.queue)
		if !ok {
			return err
		}
		p, ok, err := receive(l.ctx, j.ready)
		if !ok {
			return err
		}
		if err := l.db.awaitRoom(l.ctx, p); err != nil {
			return err
		}
		if err := l.db.await(l.ctx, l.db.bagsWait); err != nil {
			return err
		}
		ticket, stats, err := l.db.commitPrepared(l.ctx, j.batch, p)
		if err != nil {
			return err
		}
		select {
		case l.flights <- flight{j, ticket, stats}:
		case <-l.ctx.Done():
			return l.ctx.Err()
		}
	}
}

// await waits for the syncs and calls acked. It must not be inlined: Close recognises its
// name on the stack.
//
//go:noinline
func (l *load) await() error {
	l.db.lifecycle.lend()
	defer l.db.lifecycle.take()
	for f := range l.flights {
		if err := l.db.isDurable(l.ctx, f.ticket); err != nil {
			return err
		}
		l.acked(f.batch, f.stats)
		l.room.Release(f.bytes)
	}
	return nil
}

// receive returns false when the channel is closed or the context has ended.
func receive[T any](ctx context.Context, from <-chan T) (v T, ok bool, err error) {
	select {
	case v, ok = <-from:
		return v, ok, nil
	case <-ctx.Done():
		return v, false, ctx.Err()
	}
}
