package index

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
)

type entry struct {
	key     uint64
	payload uint32
}

func randomEntries(rng *rand.Rand, n int, mask uint64) []entry {
	entries := make([]entry, n)
	for i := range entries {
		entries[i] = entry{rng.Uint64() & mask, rng.Uint32()}
	}
	slices.SortFunc(entries, compareEntries)
	return entries
}

func writeRun(t testing.TB, entries []entry) (*Run, pageList) {
	run, pages := new(Run), pageList(nil)
	for len(entries) > 0 {
		var keys []uint64
		var payloads []uint32
		for _, e := range entries[:min(pageEntries, len(entries))] {
			keys, payloads = append(keys, e.key), append(payloads, e.payload)
		}
		page, n := appendPage(nil, keys, payloads)
		run.First = append(run.First, keys[0])
		run.Entries += uint64(n)
		pages, entries = append(pages, page), entries[n:]
	}
	run, err := DecodeRun(run.Encode())
	if err != nil {
		t.Fatalf("DecodeRun(Encode()): %v", err)
	}
	return run, pages
}

// The masks give keys of every delta width, equal keys over several pages, and
// the smallest and largest key.
func TestRunLookup(t *testing.T) {
	for _, mask := range []uint64{0, 1, 0xff, 0xffff, 0xffff_ffff, 0xff << 24, 1 << 31} {
		for _, n := range []int{0, 1, 63, 64, 65, pageEntries, pageEntries + 1, 3*pageEntries + 100} {
			rng := rand.New(rand.NewPCG(mask, uint64(n)))
			entries := randomEntries(rng, n, mask)
			run, pages := writeRun(t, entries)
			var scanned []entry
			err := Scan(run, pages, func(key uint64, payload uint32) error {
				scanned = append(scanned, entry{key, payload})
				return nil
			})
			if err != nil || !slices.Equal(scanned, entries) {
				t.Fatalf("mask %x, n %d: Scan gave %d entries, %v; want %d", mask, n, len(scanned), err, n)
			}
			for q := range 60 {
				lo, hi := rng.Uint64()&mask, rng.Uint64()&mask
				if n > 0 && q%2 == 0 {
					lo = entries[rng.IntN(n)].key
				}
				switch q % 3 {
				case 0:
					hi = lo // as point does
				case 1:
					hi = lo | hi>>q
				}
				if q == 50 {
					lo, hi = 0, ^uint64(0)
				}
				var want []uint32
				for _, e := range entries {
					if lo <= e.key && e.key <= hi {
						want = append(want, e.payload)
					}
				}
				got, err := run.lookup(pages, lo, hi, []uint32{7})
				if err != nil || got[0] != 7 || !slices.Equal(got[1:], want) {
					t.Fatalf("mask %x, n %d: lookup(%x, %x) = %d payloads, %v; want %d", mask, n, lo, hi, len(got)-1, err, len(want))
				}
				if lo != hi || n == 0 {
					continue
				}
				if got = points(t, pages, lo); !slices.Equal(got, want) {
					t.Fatalf("mask %x, n %d: points of %x gave %d payloads, want %d", mask, n, lo, len(got), len(want))
				}
			}
		}
	}
}

func (r *Run) lookup(p Pages, lo, hi uint64, dst []uint32) ([]uint32, error) {
	return r.lookupFrom(r.pageBefore(lo), p, lo, hi, dst)
}

// points looks a key up in each page of a run.
func points(t *testing.T, pages pageList, key uint64) (dst []uint32) {
	for _, b := range pages {
		p, err := openPage(b)
		if err == nil {
			dst, err = p.point(p.groupBefore(key), key, dst)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dst
}

func TestRunLookupAllocatesNothing(t *testing.T) {
	entries := randomEntries(rand.New(rand.NewPCG(1, 1)), 20000, 0xffff_ffff)
	run, pages := writeRun(t, entries)
	var p Pages = pages
	dst := make([]uint32, 0, 64)
	i := 0
	if n := testing.AllocsPerRun(100, func() {
		i++
		dst, _ = run.lookup(p, entries[i].key, entries[i].key, dst[:0])
	}); n != 0 {
		t.Errorf("lookup allocates %v times", n)
	}
}

func TestScanStopsAtError(t *testing.T) {
	run, pages := writeRun(t, randomEntries(rand.New(rand.NewPCG(1, 1)), 5000, 0xffff))
	stop, n := errors.New("stop"), 0
	err := Scan(run, pages, func(uint64, uint32) error {
		if n++; n == 4500 {
			return stop
		}
		return nil
	})
	if err != stop || n != 4500 {
		t.Errorf("Scan = %v after %d entries, want %v after 4500", err, n, stop)
	}
}

func TestDamagedRuns(t *testing.T) {
	entries := randomEntries(rand.New(rand.NewPCG(1, 1)), 5000, 0xffff_ffff)
	run, pages := writeRun(t, entries)
	scan := func(r *Run, p pageList) error {
		return Scan(r, p, func(uint64, uint32) error { return nil })
	}
	swapped := pageList{pages[1], pages[0]}
	if err := scan(run, swapped); !errors.Is(err, ErrPage) {
		t.Errorf("swapped pages: Scan = %v, want ErrPage", err)
	}
	short := &Run{First: run.First[:1], Entries: run.Entries}
	if err := scan(short, pages); !errors.Is(err, ErrPage) {
		t.Errorf("a page lost: Scan = %v, want ErrPage", err)
	}
	for n := range pages[0] {
		cut := pageList{pages[0][:n], pages[1]}
		if err := scan(run, cut); !errors.Is(err, ErrPage) {
			t.Fatalf("page cut at %d: Scan = %v, want ErrPage", n, err)
		}
	}
	for _, n := range []int{0, 3, 4, 10, 100, 300} {
		cut := pageList{pages[0][:n], pages[1]}
		if _, err := run.lookup(cut, entries[9].key, entries[9].key, nil); !errors.Is(err, ErrPage) {
			t.Errorf("page cut at %d: lookup = %v, want ErrPage", n, err)
		}
	}
	b := run.Encode()
	for n := range b {
		if _, err := DecodeRun(b[:n]); !errors.Is(err, ErrPage) {
			t.Errorf("DecodeRun of %d bytes = %v, want ErrPage", n, err)
		}
	}
}
