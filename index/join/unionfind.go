package join

// UnionFind partitions the numbers below its length into groups. The root of a group is its
// least number, so the order of unions does not matter. Not safe for concurrent use.
type UnionFind []uint32

// NewUnionFind returns n groups of one number each.
func NewUnionFind(n uint32) UnionFind {
	u := make(UnionFind, n)
	for i := range u {
		u[i] = uint32(i)
	}
	return u
}

// Grow adds the next number as a group of its own.
func (u *UnionFind) Grow() { *u = append(*u, uint32(len(*u))) }

// Find returns the root of the group of x.
func (u UnionFind) Find(x uint32) uint32 {
	for u[x] != x {
		u[x] = u[u[x]] // halve the path
		x = u[x]
	}
	return x
}

// Union merges the groups of two numbers; false if they are the same group.
func (u UnionFind) Union(a, b uint32) bool {
	a, b = u.Find(a), u.Find(b)
	u[max(a, b)] = min(a, b)
	return a != b
}
