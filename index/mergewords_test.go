package index

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
)

// plainRun writes entries page by page by the plain writer.
func plainRun(words []uint64) (*Run, pageList) {
	run, pages := new(Run), pageList(nil)
	for len(words) > 0 {
		page, n := plainPage(words[:min(pageEntries, len(words))])
		run.First = append(run.First, words[0]>>32)
		run.Entries += uint64(n)
		pages, words = append(pages, page), words[n:]
	}
	return run, pages
}

// plainKeys encodes entries with keys of any length and payload 1.
func plainKeys(keys ...uint64) []byte {
	page, _ := appendPage(nil, keys, slices.Repeat([]uint32{1}, len(keys)))
	return page
}

// randomRuns makes runs of neighbouring segments, long and short ones, with
// keys of some bits.
func randomRuns(rng *rand.Rand) (parts []Stored, all []uint64) {
	mask := uint64(rng.Uint32()) >> rng.IntN(32)
	lo := rng.Uint32N(1000)
	at := lo
	segments, most := 1+rng.IntN(7), 14
	if rng.IntN(5) == 0 { // in groups, or in groups of groups
		segments, most = segments*mergedAtOnce*mergedAtOnce/4, 7
	}
	for range segments {
		span := 1 + rng.Uint32N(1<<rng.IntN(most))
		words := make([]uint64, rng.IntN(1<<rng.IntN(most)))
		for i := range words {
			words[i] = rng.Uint64()&mask<<32 | rng.Uint64N(8)<<setBits | uint64(rng.Uint32N(span))
			if rng.IntN(3) == 0 {
				words[i] = words[i]&(1<<32-1) | mask/2<<32
			}
			all = append(all, words[i]+uint64(at-lo))
		}
		slices.Sort(words)
		run, pages := plainRun(words)
		parts = append(parts, Stored{&Segment{Lo: at, Hi: at + span, Runs: [Kinds]*Run{Prefix: run}}, &memory{Prefix: pages}})
		at += span + rng.Uint32N(9)
	}
	slices.Sort(all)
	return parts, all
}

// Merged runs are what one gets who sorts all entries that are live and writes
// them plainly.
func TestMergeIsPlain(t *testing.T) {
	for seed := range uint64(150) {
		rng := rand.New(rand.NewPCG(seed, 5))
		parts, all := randomRuns(rng)
		lo := parts[0].Lo
		dead := rng.Perm(int(parts[len(parts)-1].Hi - lo))
		dead = dead[:len(dead)*int(seed%4)/3]
		gone := map[uint32]bool{}
		for _, rel := range dead {
			gone[uint32(rel)] = true
		}
		all = slices.DeleteFunc(all, func(x uint64) bool { return gone[uint32(x&setMask)] })
		var got memory
		merged, err := Merge(context.Background(), Layout{Intervals: PaperIntervals}, parts, func(set uint32) bool { return !gone[set-lo] }, got.emit)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		want, pages := plainRun(all)
		if !bytes.Equal(merged.Runs[Prefix].Encode(), want.Encode()) || !slices.EqualFunc(got[Prefix], pages, bytes.Equal) {
			t.Fatalf("seed %d: %d runs of %d entries merge into another run than is written plainly", seed, len(parts), len(all))
		}
	}
}

func TestMergeOfDamagedRuns(t *testing.T) {
	words := buffered(rand.New(rand.NewPCG(1, 6)), 5000, 0xffff_ff, 3)
	slices.Sort(words)
	run, pages := plainRun(words)
	live := func(uint32) bool { return true }
	merge := func(run *Run, pages pageList, span uint32) error {
		part := Stored{&Segment{Hi: span, Runs: [Kinds]*Run{Prefix: run}}, &memory{Prefix: pages}}
		_, err := Merge(context.Background(), Layout{}, []Stored{part}, live, nothing)
		return err
	}
	if err := merge(run, pages, 5000); err != nil {
		t.Fatal(err)
	}
	for name, err := range map[string]error{
		"pages swapped":         merge(run, pageList{pages[1], pages[0], pages[2], pages[3], pages[4]}, 5000),
		"a page lost":           merge(&Run{First: run.First[:4], Entries: run.Entries}, pages, 5000),
		"sets beyond the last":  merge(run, pages, 1000),
		"a flat page":           merge(&Run{First: []uint64{1}, Entries: 1}, pageList{appendFlatPage(nil, []uint64{1}, []uint32{1})}, 5000),
		"a key of 33 bits":      merge(&Run{First: []uint64{1 << 32}, Entries: 1}, pageList{plainKeys(1 << 32)}, 5000),
		"a difference as large": merge(&Run{First: []uint64{1}, Entries: 2}, pageList{plainKeys(1, 1<<32)}, 5000),
	} {
		if !errors.Is(err, ErrPage) {
			t.Errorf("%s: %v, want ErrPage", name, err)
		}
	}
}

func TestMerge2(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 4))
		a, b := make([]uint64, rng.IntN(70)), make([]uint64, rng.IntN(1<<rng.IntN(10)))
		few := rng.Uint64() >> rng.IntN(64)
		for _, words := range [][]uint64{a, b} {
			for i := range words {
				words[i] = rng.Uint64() & few
			}
			slices.Sort(words)
		}
		got, want := make([]uint64, len(a)+len(b)), slices.Sorted(slices.Values(slices.Concat(a, b)))
		if merge2(got, a, b); !slices.Equal(got, want) {
			t.Fatalf("seed %d: merge2 of %d and %d entries = %x, want %x", seed, len(a), len(b), got, want)
		}
	}
}

func BenchmarkMerge2(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 4))
	words := [2][]uint64{make([]uint64, pageEntries), make([]uint64, pageEntries)}
	for _, each := range words {
		for i := range each {
			each[i] = rng.Uint64()
		}
		slices.Sort(each)
	}
	dst := make([]uint64, 2*pageEntries)
	for b.Loop() {
		merge2(dst, words[0], words[1])
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(dst)), "ns/posting")
}
