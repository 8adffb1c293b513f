package main

// This file has the exact answers and counts how many of them a peer finds. Those
// at 0.8 are simdb's, checked against brute force first.

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
)

// truth is the exact answers.
type truth struct {
	lists   map[string][][]uint32 // by file: of each query what it finds
	nearest []nearest             // of each query
	pairs   map[uint64]bool
}

// bruteProbes is how many documents are compared with all others.
const bruteProbes = 30

func readTruth(in, out string, answers []answer) (*truth, error) {
	t := &truth{lists: map[string][][]uint32{}}
	for _, a := range answers {
		var err error
		if a == pairAnswers {
			t.pairs, err = readPairs(filepath.Join(out, a.file))
		} else {
			t.lists[a.file], err = readLists(filepath.Join(out, a.file))
		}
		if err != nil {
			return nil, err
		}
	}
	queries, err := readU32(filepath.Join(in, "queries.bin"))
	if err != nil {
		return nil, err
	}
	if t.pairs != nil {
		return t, t.checkTexts(in, queries)
	}
	return t, t.checkFingerprints(in, queries, answers)
}

// checkTexts compares a few documents with all, by their sets.
func (t *truth) checkTexts(in string, queries []uint32) error {
	sets, err := readSets(filepath.Join(in, "sets.bin"))
	if err != nil {
		return err
	}
	random := rand.New(rand.NewPCG(1, 1))
	for range min(bruteProbes, len(queries)) {
		k := random.IntN(len(queries))
		q := queries[k]
		var want []uint32
		for i, s := range sets {
			alike := uint32(i) != q && atLeast80(s, sets[q])
			if alike {
				want = append(want, uint32(i))
			}
			if t.pairs[pairOf(q, uint32(i))] != alike {
				return fmt.Errorf("documents %d and %d: simdb says %v of their being a pair, brute force %v", q, i, !alike, alike)
			}
		}
		if got := slices.Sorted(slices.Values(t.lists[queryAnswers.file][k])); !slices.Equal(got, want) {
			return fmt.Errorf("document %d: simdb finds %v, brute force %v", q, got, want)
		}
	}
	return nil
}

// atLeast80 tells whether two ascending sets have a resemblance of 0.8 or more.
func atLeast80(a, b []uint64) bool {
	if 5*min(len(a), len(b)) < 4*max(len(a), len(b)) {
		return false
	}
	shared := 0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] < b[j]:
			i++
		case a[i] > b[j]:
			j++
		default:
			shared, i, j = shared+1, i+1, j+1
		}
	}
	union := len(a) + len(b) - shared
	return union > 0 && 5*shared >= 4*union
}

func (t *truth) checkFingerprints(in string, queries []uint32, answers []answer) error {
	hashes, err := readU64(filepath.Join(in, "fingerprints.bin"))
	if err != nil {
		return err
	}
	for _, a := range answers {
		for k, q := range queries {
			var want []uint32
			for i, h := range hashes {
				if bits.OnesCount64(h^hashes[q]) <= a.dist {
					want = append(want, uint32(i))
				}
			}
			if got := slices.Sorted(slices.Values(t.lists[a.file][k])); !slices.Equal(got, want) {
				return fmt.Errorf("fingerprint %d within %d bits: simdb finds %v, brute force %v", q, a.dist, got, want)
			}
		}
	}
	return nil
}

// compare reads the answers of a peer. It may have answered only the first of
// the queries; what it has not answered does not count.
func (t *truth) compare(a answer, file string) (recall, precision float64, err error) {
	right, found, wanted := 0, 0, 0
	if a == pairAnswers {
		got, err := readPairs(file)
		if err != nil {
			return 0, 0, err
		}
		for p := range got {
			if t.pairs[p] {
				right++
			}
		}
		found, wanted = len(got), len(t.pairs)
	} else {
		lists, err := readLists(file)
		if err != nil {
			return 0, 0, err
		}
		queries := max(len(t.lists[a.file]), len(t.nearest))
		if len(lists) > queries || len(lists) == 0 {
			return 0, 0, fmt.Errorf("%d queries answered of %d", len(lists), queries)
		}
		for k, list := range lists {
			r, w := t.right(a, k, list)
			right, wanted, found = right+r, wanted+w, found+len(list)
		}
	}
	return share(right, wanted), share(right, found), nil
}

// right counts how many of the documents found by query k are right, and how many
// there are to be found.
func (t *truth) right(a answer, k int, found []uint32) (right, wanted int) {
	if a == nearestAnswers {
		return t.nearest[k].right(found)
	}
	want := t.lists[a.file][k]
	for _, n := range found {
		if slices.Contains(want, n) {
			right++
		}
	}
	return right, len(want)
}

func share(part, whole int) float64 {
	if whole == 0 {
		return 1
	}
	return float64(part) / float64(whole)
}

func pairOf(a, b uint32) uint64 { return uint64(min(a, b))<<32 | uint64(max(a, b)) }

func readPairs(file string) (map[uint64]bool, error) {
	numbers, err := readU32(file)
	if err != nil {
		return nil, err
	}
	pairs := map[uint64]bool{}
	for i := 0; i+1 < len(numbers); i += 2 {
		pairs[pairOf(numbers[i], numbers[i+1])] = true
	}
	return pairs, nil
}

func readLists(file string) (lists [][]uint32, err error) {
	numbers, err := readU32(file)
	if err != nil {
		return nil, err
	}
	for len(numbers) > 0 {
		n := int(numbers[0])
		if n >= len(numbers) {
			return nil, fmt.Errorf("%s: a list of %d ends early", filepath.Base(file), n)
		}
		lists, numbers = append(lists, numbers[1:1+n]), numbers[1+n:]
	}
	return lists, nil
}

func readU32(file string) ([]uint32, error) {
	packed, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	all := make([]uint32, len(packed)/4)
	for i := range all {
		all[i] = binary.LittleEndian.Uint32(packed[4*i:])
	}
	return all, nil
}

func readU64(file string) ([]uint64, error) {
	packed, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	all := make([]uint64, len(packed)/8)
	for i := range all {
		all[i] = binary.LittleEndian.Uint64(packed[8*i:])
	}
	return all, nil
}

func readSets(file string) (sets [][]uint64, err error) {
	packed, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	for len(packed) >= 4 {
		set := make([]uint64, binary.LittleEndian.Uint32(packed))
		packed = packed[4:]
		for i := range set {
			set[i] = binary.LittleEndian.Uint64(packed[8*i:])
		}
		sets, packed = append(sets, set), packed[8*len(set):]
	}
	return sets, nil
}
