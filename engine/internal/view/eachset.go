package view

// Going through many sets on all cores, in their order.

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

// EachSet calls yield with what derive makes of sets of the view, in their
// order, on all cores. What has been derived and not yet yielded is bounded: by a few
// parts for each core, and by an eighth of the memory setting if bags are derived.
func EachSet[T any](ctx context.Context, m *Snapshot, v *View, numbers []uint32, derive func(*Reader, uint32) (T, error), yield func(set uint32, item T) error) error {
	room := max(m.MemoryBytes/8, 1)
	parts := v.parts(numbers, room)
	workers := min(host.Workers(), len(parts))
	ctx, stage := progress.Begin(ctx, "texts read", int64(len(numbers)))
	ahead := semaphore.NewWeighted(room)
	jobs, queue := make(chan part[T]), make(chan part[T], 2*workers) // to any worker, and to yield in order
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

// part is some of the sets on their way.
type part[T any] struct {
	span
	items chan []T
}

// span is sets that one worker reads one after another, and about what their bags take.
type span struct {
	sets  []uint32
	bytes int64
}

// parts cuts sets into spans whose bags take a quarter of the room at most, or one set.
func (v *View) parts(numbers []uint32, room int64) (out []span) {
	const most = 32
	for len(numbers) > 0 {
		p := span{numbers[:1], min(v.bagBytes(numbers[0]), room)}
		for n := 1; n < min(most, len(numbers)); n++ {
			more := v.bagBytes(numbers[n])
			if p.bytes+more > room/4 {
				break
			}
			p.sets, p.bytes = numbers[:n+1], p.bytes+more
		}
		out, numbers = append(out, p), numbers[len(p.sets):]
	}
	return out
}

// bagBytes is what the bag of a set takes, at most.
func (v *View) bagBytes(set uint32) int64 { return 12*int64(v.Table.Size(set).Distinct) + 256 }

// EachShared calls yield for the sets of a view, numbered from or above, that several
// documents have, ascending.
func (m *Snapshot) EachShared(ctx context.Context, v *View, from uint32, yield func(set, documents uint32) error) error {
	return disk.ScanFrom(m.Pebble, v.Key(keys.Shares), v.Key(keys.Shares, from), func(key, value []byte) error {
		n, _, err := keys.Numbers(key, 2)
		if err != nil || len(value) != 4 {
			return fault.Corrupt("shares key %x", key)
		}
		if v.Table.Size(n[1]).Distinct == 0 { // a view of fewer sets than the store has
			return nil
		}
		if err := yield(n[1], binary.BigEndian.Uint32(value)); err != nil {
			return err
		}
		return m.Interrupted(ctx)
	})
}
