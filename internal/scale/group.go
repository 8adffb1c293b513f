package scale

// Groups: the sets that have a token in common. Two of them are a candidate if they could share
// enough after this token, the first that they have in common: any other common token gives
// a weaker bound, and the pair is found by its first one. Within a size the sets are in the order
// of the token's place, so those with enough members left come first, and only candidates
// are gone through.

import (
	"cmp"
	"context"
	"slices"
	"sort"
)

// meeting gathers candidates.
type meeting struct {
	rule    rule
	o       *output
	lists   [][]uint64 // by the shard of the lower set
	sizes   [2][]class // scratch
	held    int
	written int64
	largest int64 // sets in a group
	most    int64 // postings that were held at once
}

// sortPostings puts postings in the order of tokens, and those of a token by size, then place.
func sortPostings(list [][2]uint64) {
	slices.SortFunc(list, func(a, b [2]uint64) int {
		return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1]&maxPlace, b[1]&maxPlace), cmp.Compare(a[1], b[1]))
	})
}

// groups joins the sets of each token.
func (m *meeting) groups(ctx context.Context, list [][2]uint64) error {
	sortPostings(list)
	for len(list) > 0 {
		n := 1
		for n < len(list) && list[n][0]>>32 == list[0][0]>>32 {
			n++
		}
		m.largest = max(m.largest, int64(n))
		if err := m.group(ctx, list[:n]); err != nil {
			return err
		}
		list = list[n:]
	}
	return ctx.Err()
}

// class are the sets of one size, by the place of the token.
type class struct {
	size uint64
	sets [][2]uint64
}

func classes(into []class, list [][2]uint64) []class {
	into = into[:0]
	for len(list) > 0 {
		n := 1
		for n < len(list) && list[n][0] == list[0][0] {
			n++
		}
		into = append(into, class{list[0][0] & 0xffffffff, list[:n]})
		list = list[n:]
	}
	return into
}

// with returns the sets that have so many members from the token on.
func (c class) with(left uint64) [][2]uint64 {
	if left > c.size {
		return nil
	}
	return c.sets[:sort.Search(len(c.sets), func(i int) bool { return c.sets[i][1]&maxPlace > c.size-left })]
}

// group joins sorted sets of one token.
func (m *meeting) group(ctx context.Context, list [][2]uint64) error {
	if len(list) < 2 {
		return nil
	}
	m.sizes[0] = classes(m.sizes[0], list)
	first := 0
	for i, x := range m.sizes[0] {
		for k := first; k <= i; k++ {
			y := m.sizes[0][k]
			need := m.rule.need(y.size, x.size)
			if need > y.size { // it is too small for this size and all that follow
				first = k + 1
				continue
			}
			others := y.with(need)
			for n, a := range x.with(need) {
				if k == i {
					others = x.sets[:n]
				}
				if err := m.product(ctx, a, others); err != nil {
					return err
				}
			}
		}
		if i%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}

// cross joins the sets of a token in one sorted list with those in another.
func (m *meeting) cross(ctx context.Context, list, other [][2]uint64) error {
	m.sizes = [2][]class{classes(m.sizes[0], list), classes(m.sizes[1], other)}
	first := 0
	for i, x := range m.sizes[0] {
		for k := first; k < len(m.sizes[1]); k++ {
			y := m.sizes[1][k]
			need := m.rule.need(y.size, x.size)
			if need > y.size { // as in group
				first = k + 1
				continue
			}
			if need > x.size { // x is too small for this size and all that follow
				break
			}
			others := y.with(need)
			for _, a := range x.with(need) {
				if err := m.product(ctx, a, others); err != nil {
					return err
				}
			}
		}
		if i%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}

// product adds the candidates of a set with others.
func (m *meeting) product(ctx context.Context, a [2]uint64, others [][2]uint64) error {
	if len(others) >= 1024 && ctx.Err() != nil {
		return ctx.Err()
	}
	for _, b := range others {
		if err := m.add(a[1]>>24, b[1]>>24); err != nil {
			return err
		}
	}
	return nil
}
