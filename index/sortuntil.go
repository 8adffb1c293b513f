package index

// Sorting that can be given up: the sort of a few million numbers takes longer than a
// caller may be kept waiting whose context has ended.

import (
	"cmp"
	"slices"
)

// SortUntil sorts. stop is called every few milliseconds, and its error ends the sorting;
// then the items are in some order.
func SortUntil[T cmp.Ordered](stop func() error, items []T) error {
	return sortUntil(stop, items, nil, cmp.Compare[T], slices.Sort[[]T])
}

// SortFuncUntil is SortUntil by a function. Equal items may change their order.
func SortFuncUntil[T any](stop func() error, items []T, by func(a, b T) int) error {
	return sortUntil(stop, items, nil, by, func(s []T) { slices.SortFunc(s, by) })
}

// sortStretch is how many items are sorted at once. Those that are compared by a function
// take some 20 ms.
const sortStretch = 1 << 17

// sortUntil sorts the halves and merges them; spare has room for one of them, or is nil.
func sortUntil[T any](stop func() error, items, spare []T, by func(a, b T) int, sort func([]T)) error {
	if err := stop(); err != nil {
		return err
	}
	if len(items) <= sortStretch {
		sort(items)
		return nil
	}
	half := len(items) / 2
	if spare == nil {
		spare = make([]T, half)
	}
	for _, part := range [][]T{items[:half], items[half:]} {
		if err := sortUntil(stop, part, spare, by, sort); err != nil {
			return err
		}
	}
	low, high := spare[:copy(spare, items[:half])], items[half:]
	for i := 0; len(low) > 0 && len(high) > 0; i++ { // what is written of high has been read
		if i%sortStretch == 0 {
			if err := stop(); err != nil {
				return err
			}
		}
		if by(high[0], low[0]) < 0 {
			items[i], high = high[0], high[1:]
		} else {
			items[i], low = low[0], low[1:]
		}
	}
	copy(items[len(items)-len(high)-len(low):], low) // what is left of high is in its place
	return nil
}
