package main

// This file has the exact answers about containment and the ten nearest, counted
// shingle by shingle. They owe nothing to simdb, which is judged by them too.

import (
	"cmp"
	"path/filepath"
	"slices"
)

// nearestRows is how many of the nearest a peer is asked for.
const nearestRows = 10

// containments are what part of the query a document holds at least, in hundredths.
var containments = []struct {
	answer answer
	least  int
}{{contained80, 80}, {contained50, 50}}

// nearest is what may be among the rows nearest to a query: those before the last
// place, and those that tie for it. What shares nothing is neither.
type nearest struct{ better, tied []uint32 }

// countTruth answers all queries by brute force.
func countTruth(in string) (*truth, error) {
	sets, err := readSets(filepath.Join(in, "sets.bin"))
	if err != nil {
		return nil, err
	}
	queries, err := readU32(filepath.Join(in, "queries.bin"))
	if err != nil {
		return nil, err
	}
	t := &truth{lists: map[string][][]uint32{}}
	with := holders(sets, queries)
	shared := make([]int, len(sets))
	for _, q := range queries {
		var touched []uint32
		for _, hash := range sets[q] {
			for _, d := range with[hash] {
				if shared[d] == 0 {
					touched = append(touched, d)
				}
				shared[d]++
			}
		}
		touched = slices.DeleteFunc(touched, func(d uint32) bool { return d == q })
		slices.Sort(touched)
		for _, c := range containments {
			var list []uint32
			for _, d := range touched {
				if 100*shared[d] >= c.least*len(sets[q]) {
					list = append(list, d)
				}
			}
			t.lists[c.answer.file] = append(t.lists[c.answer.file], list)
		}
		t.nearest = append(t.nearest, nearestOf(touched, func(a, b uint32) int {
			// shared/union of each, multiplied by both unions
			unionA, unionB := len(sets[q])+len(sets[a])-shared[a], len(sets[q])+len(sets[b])-shared[b]
			return cmp.Compare(shared[b]*unionA, shared[a]*unionB)
		}))
		clear(shared)
	}
	return t, nil
}

// holders lists the documents that have each shingle of the queries.
func holders(sets [][]uint64, queries []uint32) map[uint64][]uint32 {
	with := map[uint64][]uint32{}
	for _, q := range queries {
		for _, hash := range sets[q] {
			with[hash] = nil
		}
	}
	for d, set := range sets {
		for _, hash := range set {
			if list, ok := with[hash]; ok {
				with[hash] = append(list, uint32(d))
			}
		}
	}
	return with
}

// nearestOf splits documents at the last place that counts, by what sorts the
// nearer ones first.
func nearestOf(documents []uint32, nearer func(a, b uint32) int) (n nearest) {
	sorted := slices.SortedStableFunc(slices.Values(documents), nearer)
	if len(sorted) <= nearestRows {
		return nearest{better: sorted}
	}
	last := sorted[nearestRows-1]
	for _, d := range sorted {
		switch c := nearer(d, last); {
		case c < 0:
			n.better = append(n.better, d)
		case c == 0:
			n.tied = append(n.tied, d)
		}
	}
	return n
}

// right counts how many of the documents found, all different, are among the
// nearest, and how many there are to be found.
func (n nearest) right(found []uint32) (right, wanted int) {
	tied := 0
	for _, d := range found {
		if slices.Contains(n.better, d) {
			right++
		} else if slices.Contains(n.tied, d) {
			tied++
		}
	}
	wanted = min(nearestRows, len(n.better)+len(n.tied))
	return right + min(tied, wanted-len(n.better)), wanted
}
