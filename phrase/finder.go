package phrase

import (
	"cmp"
	"math/bits"
	"slices"
)

// finder finds the phrases that a text begins with. It asks for each length
// whether the next so many bytes are a phrase, and all of that without a branch,
// as the processor could foresee none of them.
type finder struct {
	pairs   [1 << 16 / 64]uint64 // a bit for each phrase of 2 bytes
	lengths [maxPhrase + 1]table // phrases by their length
	ones    [1 << 8]uint32       // values of single bytes
}

// table has the phrases of one length, each in a slot of its own. Its group is the top
// of its product with hashFactor; the bits below, turned by what the group says,
// are the slot. Only as many slots as it needs are used, up to mask, for the
// tables of a book are to stay in the processor's cache.
type table struct {
	mask    uint64
	turns   [1 << groupBits]uint16
	phrases [1 << slotBits]uint64 // as numbers; a free slot has one that belongs to another
	values  [1 << slotBits]uint32
}

const (
	groupBits = 10
	slotBits  = 12
	// hashFactor is 2⁶⁴ divided by the golden ratio.
	hashFactor = 0x9e3779b97f4a7c15
	// fullTable is how many phrases a table takes, and maxGroup how many of them may
	// share a group. Others are not found, nor is one that no turn helps: a text is then
	// cut into shorter ones.
	fullTable = 7 << slotBits / 8
	maxGroup  = 8
)

// newFinder finds phrases, and a value for each.
func newFinder(phrases []string, values []uint32) *finder {
	f := new(finder)
	var byLength [maxPhrase + 1][]int
	for i, p := range phrases {
		byLength[len(p)] = append(byLength[len(p)], i)
	}
	for _, i := range slices.Backward(byLength[1]) { // of equal ones the first counts
		f.ones[phrases[i][0]] = values[i]
	}
	for n := 2; n <= maxPhrase; n++ {
		f.lengths[n].fill(phrases, values, byLength[n])
	}
	for _, i := range byLength[2] {
		v := number(phrases[i])
		f.pairs[v>>6] |= f.lengths[2].has(v) << (v & 63)
	}
	return f
}

// fill places some phrases of one length: the largest groups first, each with the
// first turn that leads all its phrases to free slots.
func (t *table) fill(phrases []string, values []uint32, some []int) {
	some = some[:min(len(some), fullTable)]
	for t.mask = 7; int(t.mask+1)*7/8 < len(some); {
		t.mask = 2*t.mask + 1
	}
	groups := make([][]uint64, 1<<groupBits)
	for _, i := range some {
		v := number(phrases[i])
		g := &groups[group(v)]
		clash := func(w uint64) bool { return t.slot(v) == t.slot(w) } // as no turn has been chosen, it is so by all
		if len(*g) < maxGroup && !slices.ContainsFunc(*g, clash) {
			*g = append(*g, v)
		}
	}
	order := make([]int, len(groups))
	for g := range order {
		order[g] = g
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(len(groups[b]), len(groups[a])) })
	var taken [1 << slotBits]bool
	for _, g := range order {
		for len(groups[g]) > 0 && !t.free(groups[g], &taken) {
			if t.turns[g]++; uint64(t.turns[g]) > t.mask {
				t.turns[g], groups[g] = 0, groups[g][1:]
			}
		}
		for _, v := range groups[g] {
			taken[t.slot(v)] = true
			t.phrases[t.slot(v)] = v
		}
	}
	t.vacate(&taken)
	for _, i := range slices.Backward(some) {
		v := number(phrases[i])
		if s := t.slot(v); t.phrases[s] == v {
			t.values[s] = values[i]
		}
	}
}

// free reports whether a group's phrases lead to free slots.
func (t *table) free(group []uint64, taken *[1 << slotBits]bool) bool {
	return !slices.ContainsFunc(group, func(v uint64) bool { return taken[t.slot(v)] })
}

// vacate gives each free slot a number that leads to another slot, so that nothing
// is found there.
func (t *table) vacate(taken *[1 << slotBits]bool) {
	one, other := uint64(0), uint64(1)
	for t.slot(one) == t.slot(other) {
		other++
	}
	for s := range t.mask + 1 {
		if !taken[s] {
			t.phrases[s] = one
			if t.slot(one) == s {
				t.phrases[s] = other
			}
		}
	}
}

func group(v uint64) uint64 { return v * hashFactor >> (64 - groupBits) }

func (t *table) slot(v uint64) uint64 {
	h := v * hashFactor
	return (h>>(64-groupBits-slotBits) ^ uint64(t.turns[h>>(64-groupBits)])) & t.mask & (1<<slotBits - 1)
}

// has is 1 if v is a phrase of the table, else 0.
func (t *table) has(v uint64) uint64 {
	_, equal := bits.Sub64(t.phrases[t.slot(v)]^v, 1, 0)
	return equal
}

// begins has bit n-1 set if v, the first byte lowest, begins with a phrase of n
// bytes. A single byte always is one.
func (f *finder) begins(v uint64) uint64 {
	return 1 | f.pairs[v&0xffff>>6]>>(v&63)&1<<1 |
		f.lengths[3].has(v&(1<<24-1))<<2 |
		f.lengths[4].has(v&(1<<32-1))<<3 |
		f.lengths[5].has(v&(1<<40-1))<<4 |
		f.lengths[6].has(v&(1<<48-1))<<5 |
		f.lengths[7].has(v&(1<<56-1))<<6 |
		f.lengths[8].has(v)<<7
}

// value returns the value of the phrase of size bytes that v begins with, again
// without a branch.
func (f *finder) value(v uint64, size uint8) uint32 {
	t := &f.lengths[size]
	rest := (64 - 8*size) & 63
	one, more := f.ones[v&0xff], t.values[t.slot(v<<rest>>rest)]
	return more ^ (more^one)&uint32(int32(int8(size-2))>>31)
}

// number reads up to 8 bytes as a number, the first lowest.
func number(p string) (v uint64) {
	for i := range len(p) {
		v |= uint64(p[i]) << (8 * i)
	}
	return v
}
