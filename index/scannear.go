package index

import (
	"math/bits"

	"github.com/simdb/simdb/sketch"
)

// ScanNear appends the sets in [lo, hi) whose SimHash is within dist bits of q,
// ascending: a flat comparison with every fingerprint, exact for any dist.
func ScanNear(v View, lo, hi uint32, q uint64, dist int, dst []uint32) []uint32 {
	for i := lo; i < min(hi, v.n); {
		c, j, end := v.part(i, hi)
		dst = c.near(i, j, end, q, dist, dst)
		i += end - j
	}
	return dst
}

// ScanNearBatch is ScanNear for several fingerprints: what it finds for qs[k] it
// appends to dst[k]. Every chunk is read from memory once.
func ScanNearBatch(v View, lo, hi uint32, qs []uint64, dist int, dst [][]uint32) {
	for i := lo; i < min(hi, v.n); {
		c, j, end := v.part(i, hi)
		k := 0
		for ; k+8 <= len(qs); k += 8 {
			var near [8][chunkSets / 64]uint64
			sketch.NearMasks(&near, c.simHash[j:end], (*[8]uint64)(qs[k:]), dist)
			for l := range near {
				dst[k+l] = c.appendSets(i, j, &near[l], dst[k+l])
			}
		}
		for ; k < len(qs); k++ {
			dst[k] = c.near(i, j, end, qs[k], dist, dst[k])
		}
		i += end - j
	}
}

// part returns the chunk of set i, which is below v.n, and the places [j, end)
// in it of the sets from i on that are below hi.
func (v View) part(i, hi uint32) (c *chunk, j, end uint32) {
	j = i % chunkSets
	return v.chunks[i/chunkSets], j, min(chunkSets, j+min(hi, v.n)-i)
}

// near is ScanNear over the chunk's sets [j, end); i is the number of set j.
func (c *chunk) near(i, j, end uint32, q uint64, dist int, dst []uint32) []uint32 {
	var near [chunkSets / 64]uint64
	sketch.NearMask(near[:], c.simHash[j:end], q, dist)
	return c.appendSets(i, j, &near, dst)
}

// appendSets appends what is no hole of the sets whose bit is set: bit 0 is
// that of set i, at place j.
func (c *chunk) appendSets(i, j uint32, near *[chunkSets / 64]uint64, dst []uint32) []uint32 {
	for w, word := range near {
		for ; word != 0; word &= word - 1 {
			k := uint32(64*w + bits.TrailingZeros64(word))
			if c.distinct[j+k] > 0 {
				dst = append(dst, i+k)
			}
		}
	}
	return dst
}
