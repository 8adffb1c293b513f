package join

// UnionFind tells which of some numbers are tied together. The root of a group is its
// least number, so that the order of unions does not matter.
type UnionFind []uint32

// NewUnionFind returns one of the numbers below n, each alone.
func NewUnionFind(n uint32) UnionFind {
	u := make(UnionFind, n)
	for i := range u {
		u[i] = uint32(i)
	}
	return u
}

// Grow adds the next number, alone.
func (u *UnionFind) Grow() { *u = append(*u, uint32(len(*u))) }

// Find returns the root of a number's group.
func (u UnionFind) Find(x uint32) uint32 {
	for u[x] != x {
		u[x] = u[u[x]] // halve the path
		x = u[x]
	}
	return x
}

// Union ties the groups of two numbers together; false if they are one group already.
func (u UnionFind) Union(a, b uint32) bool {
	a, b = u.Find(a), u.Find(b)
	u[max(a, b)] = min(a, b)
	return a != b
}
