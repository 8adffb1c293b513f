package join

import (
	"context"

	"golang.org/x/sync/errgroup"

	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/internal/sketch"
)

// This file writes the heads of all ranks to scratch, stretch by stretch, and
// reads those of a cell. They are made in the order of sets, as signatures lie.

// A head in scratch is its local rank, with noHead if the signature is shorter,
// and the head in words of 32 bits.
const noHead = 1 << 31

// headLength returns how many words the heads of a stretch have.
func (d *deal) headLength(i int) int {
	size := uint32(d.sizeOf(int(d.stretches[i].from)))
	if d.apart(size) >= leastApart && sketch.SignatureWords(int(size)) >= longWords {
		return longWords
	}
	return headWords
}

// heads writes the heads of all ranks.
func (d *deal) heads(ctx context.Context) (extents, error) {
	lengths := make([]int, len(d.stretches))
	for i := range lengths {
		lengths[i] = d.headLength(i)
	}
	dealt := make(extents, d.workers)
	memory := d.lookup.Apart()
	defer memory.Free()
	g, ctx := errgroup.WithContext(ctx)
	n := len(d.rankOf)
	for k := range d.workers {
		w := newWriter(d.scratch, len(d.stretches), d.buffer, memory)
		g.Go(func() (err error) {
			defer index.CatchUnreadable(&err)()
			var head [longWords]uint64
			for set := n * k / d.workers; set < n*(k+1)/d.workers; set++ {
				if set%(1<<12) == 0 && ctx.Err() != nil {
					return ctx.Err()
				}
				rank := d.rankOf[set]
				if rank == hole {
					continue
				}
				i := int(d.number[rank/limitRanks])
				h := head[:lengths[i]]
				clear(h)
				short := fold(h, d.view.Signature(uint32(set)))
				if err := w.head(i, rank-d.stretches[i].from, h, short); err != nil {
					return err
				}
			}
			dealt[k] = w.extents
			return w.flushAll()
		})
	}
	err := g.Wait()
	return dealt, err
}

func (w *writer) head(place int, local uint32, head []uint64, short bool) error {
	if len(w.buffers[place])+1+2*len(head) > cap(w.buffers[place]) {
		if err := w.flush(place); err != nil {
			return err
		}
	}
	if short {
		local |= noHead
	}
	b := append(w.buffers[place], local)
	for _, x := range head {
		b = append(b, uint32(x), uint32(x>>32))
	}
	w.buffers[place] = b
	return nil
}

// readHeads reads the heads of a stretch into words, in the order of ranks. wide
// is one more than the last local rank that has none.
func (d *deal) readHeads(ctx context.Context, list []extent, length int, words []uint64) (wide uint32, err error) {
	wides := make([]uint32, d.workers)
	g, ctx := errgroup.WithContext(ctx)
	for k := range d.workers {
		g.Go(func() error {
			var b []uint32
			for _, x := range list[len(list)*k/d.workers : len(list)*(k+1)/d.workers] {
				if err := ctx.Err(); err != nil {
					return err
				}
				b = grown(b, x.n)
				if err := d.scratch.Read(b, x.at); err != nil {
					return err
				}
				for r := b; len(r) > 0; r = r[1+2*length:] {
					local := r[0] &^ noHead
					if r[0] != local {
						wides[k] = max(wides[k], local+1)
					}
					head, halves := words[int(local)*length:][:length], r[1:][:2*length]
					for i := range head {
						head[i] = uint64(halves[2*i]) | uint64(halves[2*i+1])<<32
					}
				}
			}
			return nil
		})
	}
	err = g.Wait()
	for _, w := range wides {
		wide = max(wide, w)
	}
	return wide, err
}

// grown returns n words, in b if it has room.
func grown(b []uint32, n uint32) []uint32 {
	if uint32(cap(b)) < n {
		b = make([]uint32, n)
	}
	return b[:n]
}
