package view

// Parallel iteration over many sets, in order.

import (
	"context"
	"encoding/binary"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"

	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/engine/internal/host"
	"github.com/simdb/simdb/engine/internal/segment"
	"github.com/simdb/simdb/internal/keys"
	"github.com/simdb/simdb/internal/progress"
)

// EachSet calls yield, from one goroutine and in the order of numbers, with the result of derive
// for each set. derive runs on all cores. Results that wait for yield are bounded by a few parts
// per core, and by an eighth of the memory setting if derive reads bags.
func EachSet[T any](ctx context.Context, m *Snapshot, v *View, numbers []uint32, derive func(*Reader, uint32) (T, error), yield func(set uint32, item T) error) error {
	room := max(m.MemoryBytes/8, 1)
	parts := v.parts(numbers, room)
	workers := min(host.Workers(), len(parts))
	ctx, stage := progress.Begin(ctx, "texts read", int64(len(numbers)))
	ahead := semaphore.NewWeighted(room)
	jobs, queue := make(chan part[T]), make(chan part[T], 2*workers) // for the workers, and for yield in order
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error {
		defer close(jobs)
		defer close(queue)
		for _, p := range parts {
			if err := ahead.Acquire(ctx, p.bytes); err != nil {
				return err
			}
			job := part[T]{span: p, items: make(chan []T, 1)}
			for _, to := range []chan part[T]{queue, jobs} {
				select {
				case to <- job:
				case <-ctx.Done():
					return ctx.Err()
				}
			}
		}
		return nil
	})
	for range workers {
		g.Go(func() (err error) {
			defer segment.CatchUnreadable(&err)()
			r := m.Reader(v)
			r.Heed(ctx)
			defer r.Close()
			for job := range jobs {
				items := make([]T, len(job.sets))
				for i, set := range job.sets {
					if err := m.Interrupted(ctx); err != nil {
						return err
					}
					var err error
					items[i], err = derive(r, set)
					r.Free()
					if err != nil {
						return err
					}
				}
				job.items <- items
			}
			return nil
		})
	}
	g.Go(func() (err error) {
		defer segment.CatchUnreadable(&err)()
		for job := range queue {
			select {
			case items := <-job.items:
				for i, item := range items {
					if err := yield(job.sets[i], item); err != nil {
						return err
					}
				}
			case <-ctx.Done():
				return ctx.Err()
			}
			ahead.Release(job.bytes)
			stage.Add(len(job.sets))
		}
		return nil
	})
	return g.Wait()
}

// part is a group of sets in progress.
type part[T any] struct {
	span
	items chan []T
}

// span is a group of sets for one worker, with the approximate bytes of their bags.
type span struct {
	sets  []uint32
	bytes int64
}

// parts cuts sets into spans of one set or of at most a quarter of the room.
func (v *View) parts(numbers []uint32, room int64) (out []span) {
	const most = 32
	for len(numbers) > 0 {
		p := span{numbers[:1], min(v.BagBytes(numbers[0]), room)}
		for n := 1; n < min(most, len(numbers)); n++ {
			more := v.BagBytes(numbers[n])
			if p.bytes+more > room/4 {
				break
			}
			p.sets, p.bytes = numbers[:n+1], p.bytes+more
		}
		out, numbers = append(out, p), numbers[len(p.sets):]
	}
	return out
}

// BagBytes returns an upper bound on the bytes of a set's bag.
func (v *View) BagBytes(set uint32) int64 { return 12*int64(v.Table.Size(set).Distinct) + 256 }

// EachShared calls yield, in ascending order, for sets ≥ from that several documents share.
func (m *Snapshot) EachShared(ctx context.Context, v *View, from uint32, yield func(set, documents uint32) error) error {
	return disk.ScanFrom(m.Pebble, v.Key(keys.Shares), v.Key(keys.Shares, from), func(key, value []byte) error {
		n, _, err := keys.Numbers(key, 2)
		if err != nil || len(value) != 4 {
			return fault.Corrupt("shares key %x", key)
		}
		if v.Table.Size(n[1]).Distinct == 0 { // not live in this view
			return nil
		}
		if err := yield(n[1], binary.BigEndian.Uint32(value)); err != nil {
			return err
		}
		return m.Interrupted(ctx)
	})
}
