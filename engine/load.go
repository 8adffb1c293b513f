package engine

import (
	"context"
	"iter"

	"golang.org/x/sync/errgroup"

	"github.com/simdb/simdb/wal"
)

// loadAhead is how many batches are analysed or on their way to disk at once.
const loadAhead = 8

// Load commits a stream of batches in order: it analyses them on all cores
// and overlaps their syncs. acked is called for each batch, in order, once it
// is durable. A missing collection is created with default settings. Load
// stops at the first error; the batches acknowledged before it stay.
func (db *DB) Load(ctx context.Context, batches iter.Seq2[*Batch, error], acked func(*Batch, BatchStats)) error {
	if !db.gate.enter() {
		return ErrClosed
	}
	defer db.gate.leave()
	type job struct {
		batch *Batch
		ready chan prepared
	}
	type flight struct {
		batch  *Batch
		ticket wal.Ticket
		stats  BatchStats
	}
	g, ctx := errgroup.WithContext(ctx)
	jobs := make(chan job)             // to any worker
	queue := make(chan job, loadAhead) // to the committer, in order
	flights := make(chan flight, loadAhead)
	g.Go(func() error {
		defer close(jobs)
		defer close(queue)
		for b, err := range batches {
			if err != nil {
				return err
			}
			if db.ctx.Err() != nil {
				return ErrClosed
			}
			if err := db.createMissing(ctx, b); err != nil {
				return err
			}
			j := job{b, make(chan prepared, 1)}
			for _, to := range []chan job{queue, jobs} {
				select {
				case to <- j:
				case <-ctx.Done():
					return ctx.Err()
				}
			}
		}
		return nil
	})
	for range workers() {
		g.Go(func() error {
			for j := range jobs {
				p, err := db.prepare(j.batch, db.opts.MaxDocBytes)
				if err != nil {
					return err
				}
				j.ready <- p
			}
			return nil
		})
	}
	g.Go(func() error {
		defer close(flights)
		for j := range queue {
			var p prepared
			select {
			case p = <-j.ready:
			case <-ctx.Done():
				return ctx.Err()
			}
			if err := db.awaitRoom(ctx); err != nil {
				return err
			}
			ticket, stats, err := db.commit(p)
			if err != nil {
				return err
			}
			select {
			case flights <- flight{j.batch, ticket, stats}:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		return nil
	})
	g.Go(func() error {
		for f := range flights {
			if err := db.waitDurable(ctx, f.ticket); err != nil {
				return err
			}
			acked(f.batch, f.stats)
		}
		return nil
	})
	return g.Wait()
}
