package search

// The nearest of many 32-bit fingerprints.

import "math/bits"

// nearPrints finds the nearest of a list of fingerprints. A text of 16 MB has hundreds of
// thousands of sentences, too many to compare all with all.
type nearPrints struct {
	prints []uint32
	most   int // bits in which near ones differ
	parts  int // of the 32 bits; 0: all are compared
	width  int // bits of a part
	by     []map[uint32][]uint32
}

// newNearPrints lists the fingerprints by parts of their bits. Two that differ in at most so
// many bits have one of so many parts and one more in common.
func newNearPrints(prints []uint32, most int) *nearPrints {
	n := &nearPrints{prints: prints, most: most}
	if len(prints) < 64 || most > 3 { // parts of few bits tell little
		return n
	}
	n.parts = most + 1
	n.width = (32 + n.parts - 1) / n.parts
	for part := range n.parts {
		by := map[uint32][]uint32{}
		for i, p := range prints {
			key := n.key(p, part)
			by[key] = append(by[key], uint32(i))
		}
		n.by = append(n.by, by)
	}
	return n
}

func (n *nearPrints) key(p uint32, part int) uint32 {
	return uint32(uint64(p) >> (part * n.width) & (1<<n.width - 1))
}

// nearest returns the place of the first of those that differ least, or −1 if none is near.
func (n *nearPrints) nearest(p uint32) int {
	best, dist := -1, n.most+1
	closer := func(i int) {
		if d := bits.OnesCount32(n.prints[i] ^ p); d < dist || d == dist && d <= n.most && i < best {
			best, dist = i, d
		}
	}
	for part := range n.parts {
		for _, i := range n.by[part][n.key(p, part)] {
			closer(int(i))
		}
	}
	if n.parts == 0 {
		for i := range n.prints {
			closer(i)
		}
	}
	return best
}
