package index

// Looking up the members of a probe, words and grams in the postings of one segment.

import (
	"fmt"
	"slices"
	"sync"
)

// wantedKey is a key to look up, with the group of a page where it may begin.
type wantedKey struct {
	key    uint64
	member int // index of the member with this key
	number int // of the page
	page   page
	group  int
}

// part returns the part of the key.
func (w *wantedKey) part() int { return int(w.key >> TokenBits) }

// wantedKeys is reused by searches: a search needs 10 kB of them, more than of anything else.
// The memory for a very long probe is not kept.
var wantedKeys = sync.Pool{New: func() any { return new([]wantedKey) }}

const maxPooledKeys = 1 << 12

// lookUp calls visit with the payloads of every member, part by part. They are valid until visit
// returns.
func lookUp(s Stored, members []uint64, parts int, visit func(part, member int, payloads []uint32)) error {
	run, pages := s.Runs[Prefix], s.Pages(Prefix)
	if run == nil || len(run.First) == 0 {
		return nil
	}
	pooled := wantedKeys.Get().(*[]wantedKey)
	wanted := slices.Grow((*pooled)[:0], parts*len(members))
	defer func() {
		clear(wanted) // pages must not be held after the search
		if *pooled = wanted[:0]; cap(wanted) <= maxPooledKeys {
			wantedKeys.Put(pooled)
		}
	}()
	for part := range parts {
		for i, h := range members {
			key := PartKey(part, token(h))
			wanted = append(wanted, wantedKey{key: key, member: i, number: run.pageBefore(key)})
		}
	}
	if err := openPages(wanted, pages); err != nil {
		return err
	}
	room := payloadRoom.Get().(*[]uint32)
	defer payloadRoom.Put(room)
	for i := range wanted {
		w := &wanted[i]
		payloads, err := w.payloads(run, pages, (*room)[:0])
		*room = payloads
		if err != nil {
			return err
		}
		visit(w.part(), w.member, payloads)
	}
	return nil
}

var payloadRoom = sync.Pool{New: func() any { return new([]uint32) }}

// payloads appends the payloads of the key.
func (w *wantedKey) payloads(run *Run, pages Pages, dst []uint32) (_ []uint32, err error) {
	dst, err = w.page.point(w.group, w.key, dst)
	if err == nil && w.number+1 < len(run.First) && run.First[w.number+1] <= w.key {
		return run.lookupFrom(w.number+1, pages, w.key, w.key, dst)
	}
	return dst, err
}

// openPages finds the page and group of each key. Each key incurs three or four dependent cache
// misses. openPages takes each step for all keys before the next step, so that most misses
// overlap.
func openPages(wanted []wantedKey, pages Pages) (err error) {
	if a, ok := pages.(Ahead); ok {
		if err := a.Ahead(len(wanted), func(i int) int { return wanted[i].number }); err != nil {
			return err
		}
	}
	for i := range wanted {
		w := &wanted[i]
		if i > 0 && w.number == wanted[i-1].number {
			w.page.b = wanted[i-1].page.b
		} else if w.page.b, err = pages.Page(w.number); err != nil {
			return err
		}
	}
	touched := byte(0)
	for i := range wanted {
		if b := wanted[i].page.b; len(b) > 128 {
			touched += b[0] + b[64] + b[128]
		}
	}
	for i := range wanted {
		w := &wanted[i]
		if i > 0 && w.number == wanted[i-1].number {
			w.page = wanted[i-1].page
		} else if w.page, err = openPage(w.page.b); err != nil {
			return fmt.Errorf("page %d: %w", w.number, err)
		}
		w.group = w.page.groupBefore(w.key)
	}
	for i := range wanted {
		w := &wanted[i]
		if place := int(w.page.groupWord(w.group) >> placeShift); place+128 < len(w.page.b) {
			touched += w.page.b[place] + w.page.b[place+64] + w.page.b[place+128]
		}
	}
	readAhead(touched)
	return nil
}

// readAhead keeps the compiler from removing reads with unused results.
//
//go:noinline
func readAhead(byte) {}

// EachPosting calls yield for every posting with low ≤ key ≤ high in a run of counted payloads,
// Word or Gram, with key, set and count. MaxCount stands for itself and all larger counts.
func EachPosting(s Stored, k Kind, low, high uint32, yield func(key, set uint32, count int)) error {
	run := s.Runs[k]
	if run == nil {
		return fmt.Errorf("index: segment [%d,%d) has no run %d", s.Lo, s.Hi, k)
	}
	return run.Each(s.Pages(k), uint64(low), uint64(high), func(key uint64, payload uint32) {
		if rel := payload & setMask; rel < s.Hi-s.Lo { // a damaged page may contain others
			yield(uint32(key), s.Lo+rel, countOf(payload))
		}
	})
}

// Frequencies calls yield with each key of a run, ascending, and the number of its postings.
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
