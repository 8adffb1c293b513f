package index

// Near appends the sets of the segment whose SimHash may be within dist bits of
// q: pigeonhole over the four 16-bit blocks that lead the rotated tables, with
// per-block radii that sum to dist − 3, so that no match is lost (Manku 07).
// Ascending, each once, verified against view: exactly those within dist.
// lookups counts the ranges read.
func Near(s Stored, view View, q uint64, dist int, dst []uint32) (out []uint32, lookups int, err error) {
	panic("stub")
}

// NearCost predicts the work of Near over n sets, in units of one fingerprint
// comparison of a flat scan, so that the planner can choose.
func NearCost(n, dist int) float64 { panic("stub") }
