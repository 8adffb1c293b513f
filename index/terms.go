package index

// This file reads the postings of words and grams.

import "fmt"

// EachPosting calls yield for every posting with low ≤ key ≤ high in a run of
// counted payloads, Word or Gram. It passes the key, the set and the count. A
// count of MaxCount stands for itself and all that are larger.
func EachPosting(s Stored, k Kind, low, high uint32, yield func(key, set uint32, count int)) error {
	run := s.Runs[k]
	if run == nil {
		return fmt.Errorf("index: segment [%d,%d) has no run %d", s.Lo, s.Hi, k)
	}
	return run.Each(s.Pages(k), uint64(low), uint64(high), func(key uint64, payload uint32) {
		if rel := payload & setMask; rel < s.Hi-s.Lo { // a damaged page may say otherwise
			yield(uint32(key), s.Lo+rel, countOf(payload))
		}
	})
}

// Frequencies calls yield with each key of a run, ascending, and the number of
// its postings.
func Frequencies(s Stored, k Kind, yield func(key uint32, postings int)) error {
	run := s.Runs[k]
	if run == nil {
		return fmt.Errorf("index: segment [%d,%d) has no run %d", s.Lo, s.Hi, k)
	}
	last, n := uint64(0), 0
	err := Scan(run, s.Pages(k), func(key uint64, _ uint32) error {
		if key != last && n > 0 {
			yield(uint32(last), n)
			n = 0
		}
		last = key
		n++
		return nil
	})
	if err == nil && n > 0 {
		yield(uint32(last), n)
	}
	return err
}
