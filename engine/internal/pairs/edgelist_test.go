// Lists of edges, in memory and in runs on disk.

package pairs

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/view"
)

// scratchFiles lists the files of joins in the directory of a store.
func scratchFiles(t *testing.T, fs vfs.FS) (out []string) {
	t.Helper()
	names, err := fs.List("db")
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range names {
		if strings.HasPrefix(n, "JOIN-") {
			out = append(out, n)
		}
	}
	return out
}

// What is read, a level at a time, is what was added, by sim, whatever there is
// room for. Its files live as long as the moment.
func TestEdgeListSorts(t *testing.T) {
	const seed = 8
	rng := rand.New(rand.NewPCG(seed, 0))
	mem := vfs.NewMem()
	store := openStore(t, mem)
	defer store.Close()
	for _, n := range []int{0, 1, 100, 3000} {
		for _, room := range []int{1, 7, 1000, 1 << 20} {
			if n/room > 500 {
				continue
			}
			m := &view.Snapshot{Shared: &view.Shared{Closing: t.Context()}, Scratch: store.NewScratch()}
			l := newEdgeList(t.Context(), m)
			l.room = room
			want := map[edge]int{}
			for left := n; left > 0; {
				part := make([]edge, min(left, 1+rng.IntN(30)))
				for i := range part {
					of := 1 + rng.Uint64N(30)
					part[i] = edge{
						fromSet: rng.Uint32(), toSet: rng.Uint32(), fromSide: uint16(rng.Uint32()), toSide: uint16(rng.Uint32()),
						directed: rng.IntN(2) == 0, shared: rng.Uint64N(of + 1), union: rng.Uint64(), of: of, ignored: rng.Uint32(),
					}
					want[part[i]]++
				}
				l.add(part)
				left -= len(part)
			}
			if err := l.sort(); err != nil || l.n != int64(n) {
				t.Fatalf("seed %d: %d edges: %v, want %d", seed, l.n, err, n)
			}
			for range 2 { // it may be read again
				got := map[edge]int{}
				r, err := l.reader()
				if err != nil {
					t.Fatal(err)
				}
				for last := []edge(nil); ; {
					level, err := r.level(nil, math.MaxInt)
					if err != nil {
						t.Fatal(err)
					}
					if len(level) == 0 {
						break
					}
					if len(last) > 0 && bySim(last[0], level[0]) >= 0 {
						t.Fatalf("seed %d, room %d: %v after %v", seed, room, level[0], last[0])
					}
					for _, x := range level {
						if bySim(x, level[0]) != 0 {
							t.Fatalf("seed %d, room %d: %v in the level of %v", seed, room, x, level[0])
						}
						got[x]++
					}
					last = level
				}
				if len(got) != len(want) {
					t.Fatalf("seed %d, room %d: %d edges, want %d", seed, room, len(got), len(want))
				}
				for x, n := range want {
					if got[x] != n {
						t.Fatalf("seed %d, room %d: %v is there %d times, want %d", seed, room, x, got[x], n)
					}
				}
			}
			if len(l.runs) != n/room {
				t.Errorf("%d edges, room for %d: %d runs", n, room, len(l.runs))
			}
			if files := scratchFiles(t, mem); len(files) > 0 && runtime.GOOS != "windows" {
				t.Errorf("a kill would leave %v", files)
			}
			m.Scratch.Remove()
			if files := scratchFiles(t, mem); len(files) > 0 {
				t.Errorf("after Remove there are %v", files)
			}
		}
	}
}

// A disk that takes no more ends the statement, not the store; what a crash
// leaves is removed as the store is opened.
func TestEdgeListOnAFailingDisk(t *testing.T) {
	mem := vfs.NewMem()
	failing := errorfs.Toggle{Injector: errorfs.InjectorFunc(func(op errorfs.Op) error {
		if op.Kind == errorfs.OpFileWrite && strings.Contains(op.Path, "JOIN-") {
			return errors.New("disk full")
		}
		return nil
	})}
	store := openStore(t, errorfs.Wrap(mem, &failing))
	m := &view.Snapshot{Shared: &view.Shared{Closing: t.Context()}, Scratch: store.NewScratch()}
	edges := slices.Repeat([]edge{{shared: 1, union: 1, of: 1}}, 100)
	l := newEdgeList(t.Context(), m)
	l.room = 10
	failing.On()
	l.add(edges)
	failing.Off()
	if err := l.sort(); err == nil || !strings.Contains(err.Error(), "disk full") {
		t.Errorf("sort = %v", err)
	}
	m.Scratch.Remove()
	if err := store.Poisoned(); err != nil {
		t.Errorf("a failed join has hurt the store: %v", err)
	}
	if err := store.Close(); err != nil {
		t.Error(err)
	}
	f, err := mem.Create("db/JOIN-7.tmp", vfs.WriteCategoryUnspecified)
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	defer openStore(t, mem).Close()
	if files := scratchFiles(t, mem); len(files) > 0 {
		t.Errorf("Open leaves %v", files)
	}
}

func TestEdgeInARun(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 0))
	for range 100 {
		x := newEdge(node{rng.Uint32(), uint16(rng.Uint32())}, node{rng.Uint32(), uint16(rng.Uint32())}, edge{shared: rng.Uint64(), union: rng.Uint64(), of: rng.Uint64(), ignored: rng.Uint32()}.score(0), rng.IntN(2) == 0)
		var b [edgeBytes]byte
		x.put(&b)
		var got edge
		if got.get(&b); got != x {
			t.Errorf("%v came back as %v", x, got)
		}
	}
}

// TestEdgeListKeepsTheBest compares a list of the best edges with the best of all edges.
func TestEdgeListKeepsTheBest(t *testing.T) {
	const seed, n = 12, 3000
	rng := rand.New(rand.NewPCG(seed, 0))
	store := openStore(t, vfs.NewMem())
	defer store.Close()
	for _, best := range []int{1, 7, 40, 400, n} {
		for _, of := range []uint64{1, 30, 1000} { // of 1: all tie
			l := newEdgeList(t.Context(), &view.Snapshot{Shared: &view.Shared{Closing: t.Context()}, Scratch: store.NewScratch()})
			l.room, l.best = 100, best
			var all []edge
			for i := range uint32(n) {
				all = append(all, edge{fromSet: i, shared: 1 + rng.Uint64N(of), union: of, of: of})
				l.add(all[i:])
			}
			if err := l.sort(); err != nil {
				t.Fatal(err)
			}
			slices.SortStableFunc(all, bySim)
			for best < n && best < len(all) && bySim(all[best-1], all[len(all)-1]) != 0 {
				all = all[:len(all)-1]
			}
			var got []edge
			if err := l.each(func(level []edge) error { got = append(got, level...); return nil }); err != nil {
				t.Fatal(err)
			}
			if int64(len(got)) != l.n || len(got) < len(all) {
				t.Fatalf("seed %d, best %d: %d edges, counted as %d, want the %d best and more", seed, best, len(got), l.n, len(all))
			}
			top := got[:len(all)]
			if bySim(top[len(top)-1], all[len(all)-1]) != 0 || len(got) > len(all) && bySim(got[len(all)], all[len(all)-1]) == 0 {
				t.Fatalf("seed %d, best %d: the best edges are others", seed, best)
			}
			sets := func(list []edge) (out []uint32) {
				for _, x := range list {
					out = append(out, x.fromSet)
				}
				slices.Sort(out)
				return out
			}
			if !slices.Equal(sets(top), sets(all)) {
				t.Errorf("seed %d, best %d of scores in %ds: other edges than the best", seed, best, of)
			}
			if best <= 7 && of == 1000 && len(l.runs) > 0 {
				t.Errorf("seed %d: the %d best edges take %d runs on disk", seed, best, len(l.runs))
			}
		}
	}
}

// TestEdgeListLeavesRoomOnDisk fills half of the free space of a disk.
func TestEdgeListLeavesRoomOnDisk(t *testing.T) {
	mem := vfs.NewMem()
	store := openStore(t, mem)
	defer store.Close()
	edges := slices.Repeat([]edge{{shared: 1, union: 1, of: 1}}, 10)
	for _, free := range []uint64{1, 10 * edgeBytes, 25 * edgeBytes} {
		mem.TestingSetDiskUsage(vfs.DiskUsage{AvailBytes: free, TotalBytes: 1 << 30})
		m := &view.Snapshot{Shared: &view.Shared{Closing: t.Context()}, Scratch: store.NewScratch()}
		l, failed := newEdgeList(t.Context(), m), 0
		l.room, l.fail = 10, func() { failed++ }
		for taken := uint64(10 * edgeBytes); taken <= free; taken += 10 * edgeBytes {
			if l.add(edges); l.err != nil {
				t.Fatalf("%d bytes free: %d bytes fail: %v", free, taken, l.err)
			}
		}
		l.add(edges)
		l.add(edges)
		if err := l.sort(); !errors.Is(err, api.ErrTooLarge) || !strings.Contains(err.Error(), "LIMIT") || failed != 1 {
			t.Errorf("%d bytes free: sort = %v after %d calls of fail, want ErrTooLarge with advice, and one call", free, err, failed)
		}
		m.Scratch.Remove()
	}
}

// TestPieces reads a level that exceeds the memory of its list: in pieces that do not, and with checks
// of the context.
func TestPieces(t *testing.T) {
	const room, n = 10, 200_000
	store := openStore(t, vfs.NewMem())
	defer store.Close()
	l := newEdgeList(t.Context(), &view.Snapshot{Shared: &view.Shared{Closing: t.Context()}, Scratch: store.NewScratch()})
	l.room = n / room
	for i := range uint32(n) {
		l.add([]edge{{fromSet: i, shared: 1, union: 2, of: 2}})
	}
	if err := l.sort(); err != nil {
		t.Fatal(err)
	}
	read := 0
	err := l.pieces(func(piece []edge) error {
		if read += len(piece); len(piece) > l.room {
			t.Errorf("a piece of %d edges, want at most %d", len(piece), l.room)
		}
		return nil
	})
	if err != nil || read != n {
		t.Errorf("%d edges and %v, want %d", read, err, n)
	}
	checks := 0
	l.stop = func() error { checks++; return context.Canceled }
	if err := l.each(func([]edge) error { return nil }); err != context.Canceled || checks != 1 {
		t.Errorf("%v after %d checks, want the error of the first", err, checks)
	}
}
