package join

import (
	"context"

	"github.com/simdb/simdb/index"
)

// Sorting fingerprints by one of their blocks, so that only fingerprints whose blocks are equal
// or nearly equal are compared.

// blockOf is one block of the fingerprints: hash>>shift%2¹⁶. Shift 64 gives 0 for all, and so
// one bucket.
type blockOf struct {
	number, shift int
	flips         []uint32 // masks from a bucket to those within the radius
	x, y          *bucketed
}

// lead returns the bucket of a fingerprint.
func (b *blockOf) lead(hash uint64) uint32 { return uint32(hash >> b.shift % index.Leads) }

// coarseOf returns the number of the coarse bucket of a fingerprint.
func (b *blockOf) coarseOf(hash uint64) uint64 { return hash >> b.shift % index.Leads / fine }

// bucketed holds fingerprints sorted by one block.
type bucketed struct {
	hashes []uint64 // and 7 more that do not count
	sets   []uint32
	start  []uint32 // of each bucket, and the end
}

// Fingerprints are first sorted into coarse buckets of 2,048 block values. These are few enough
// to write to all at once, and small enough to sort in the cache. For a million fingerprints a
// block took 40 ms without coarse buckets, about 30 with 256, about 20 with 32, on a busy
// machine.
const (
	coarse = 32
	fine   = index.Leads / coarse // buckets in each coarse bucket
)

// bucket sorts the fingerprints of a view.
func (b *blockOf) bucket(ctx context.Context, v index.View) (*bucketed, error) {
	var at [coarse]uint32
	for i := uint32(0); i < v.Len(); {
		hashes, there := v.SimHashes(i)
		for k, h := range hashes {
			if there[k] > 0 {
				at[b.coarseOf(h)]++
			}
		}
		i += uint32(len(hashes))
	}
	sum, longest := uint32(0), uint32(0)
	for p, n := range at {
		at[p] = sum
		sum += n
		longest = max(longest, n)
	}
	out := &bucketed{make([]uint64, sum+7), make([]uint32, sum), make([]uint32, index.Leads+1)}
	for i := uint32(0); i < v.Len(); {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		hashes, there := v.SimHashes(i)
		for k, h := range hashes {
			if there[k] > 0 {
				to := &at[b.coarseOf(h)]
				out.hashes[*to], out.sets[*to] = h, i+uint32(k)
				*to++
			}
		}
		i += uint32(len(hashes))
	}
	hashes, sets := make([]uint64, longest), make([]uint32, longest)
	from := uint32(0)
	for p, end := range at {
		n := copy(hashes, out.hashes[from:end])
		copy(sets, out.sets[from:end])
		b.divide(out, uint32(p), from, hashes[:n], sets[:n])
		from = end
	}
	out.start[index.Leads] = sum
	return out, nil
}

// divide sorts one coarse bucket, which begins at from.
func (b *blockOf) divide(out *bucketed, number, from uint32, hashes []uint64, sets []uint32) {
	var at [fine]uint32
	for _, h := range hashes {
		at[h>>b.shift%fine]++
	}
	for i, n := range at {
		at[i], out.start[number*fine+uint32(i)] = from, from
		from += n
	}
	for i, h := range hashes {
		to := &at[h>>b.shift%fine]
		out.hashes[*to], out.sets[*to] = h, sets[i]
		*to++
	}
}

// flips returns the 16-bit masks with 1 to radius bits set.
func flips(radius int) (out []uint32) {
	for k := 1; k <= radius; k++ {
		for m := range index.Masks(k) {
			out = append(out, uint32(m))
		}
	}
	return out
}
