//go:build !amd64

package sketch

// Distances of fingerprints on processors without assembly: portable Go only.

// ways lists the only way.
func ways() []way { return []way{portable} }

// The methods of the other ways, which are never called.
func (way) mask(near, hashes []uint64, q uint64, dist int) int                              { return 0 }
func (way) maskBytes(near []uint64, hashes []byte, q uint64, dist int) int                  { return 0 }
func (way) arrays(near *[4][16]uint64, hashes *[4]*[1024]uint64, q uint64, dist int) uint32 { return 0 }
func (way) manyArrays(near *[4][8][16]uint64, hashes *[4]*[1024]uint64, qs *[8]uint64, dist int) uint32 {
	return 0
}
func (way) pairs(found, xs, ys []uint64, dist int, triangle bool) int { return 0 }
func (way) distance(a, b Signature) int                               { return 0 }
func (way) next(rows []uint64, n int, q Signature, dist int) int      { return 0 }
