// The file of a posting segment.

package segment

import (
	"context"
	"encoding/binary"
	"errors"
	"log/slog"
	"math"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"pgregory.net/rapid"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/disk"

	"github.com/simdb/simdb/index"
)

// A directory that decodes has its pages side by side within the file.
func FuzzSegmentDirectory(f *testing.F) {
	run := (&index.Run{First: []uint64{3, 900}, Entries: 1500}).Encode()
	head := append([]byte{7, 0, 100, 90, byte(index.Rotated16), byte(len(run))}, run...)
	tail := []byte{byte(index.Prefix), 3, 1, 0, 0, 0, factsKind, 33}
	good, size := slices.Concat(head, []byte{1, 0, 0, 50, 60}, tail), aligned(50+60+2*checksumBytes)+33+checksumBytes+sizesBytes(0, 100) // lengths of pages and of facts
	if err := new(segmentFile).decodeDirectory(good, size); err != nil {
		f.Fatal(err)
	}
	for n := range good {
		if err := new(segmentFile).decodeDirectory(good[:n], size); !errors.Is(err, api.ErrCorrupt) {
			f.Fatalf("%d bytes of a directory: %v, want ErrCorrupt", n, err)
		}
	}
	f.Add(good, size)
	f.Add(slices.Concat(head, []byte{1, 0, 0, 50, 60}, tail, tail), size)
	f.Add(slices.Concat(head, []byte{2, 0, 0, 1, 70, 50, 60}, tail), size+16)
	f.Add(slices.Concat(head, binary.AppendUvarint([]byte{1, 0, 0, 50}, math.MaxUint64), tail), uint64(50+33+3*checksumBytes-1)+sizesBytes(0, 100))
	f.Fuzz(func(t *testing.T, b []byte, size uint64) {
		var file segmentFile
		if err := file.decodeDirectory(b, size); err != nil {
			if !errors.Is(err, api.ErrCorrupt) {
				t.Fatalf("%v, want ErrCorrupt", err)
			}
			return
		}
		end := uint64(0)
		for k, run := range file.runs {
			if run == nil {
				continue
			}
			for n := range run.First {
				from, to := file.pages[k].bounds(n)
				if to < from+checksumBytes || to > size {
					t.Fatalf("page %d of run %d is at %d to %d", n, k, from, to)
				}
				end = max(end, to)
			}
		}
		for n := range file.facts.ends {
			from, to := file.facts.bounds(n)
			if to < from+checksumBytes || to > size {
				t.Fatalf("piece %d of the facts is at %d to %d", n, from, to)
			}
			end = max(end, to)
		}
		if len(file.facts.ends) != int(PieceCount(file.is.Lo, file.is.Hi)) {
			t.Fatalf("%d pieces of the facts of %+v", len(file.facts.ends), file.is)
		}
		if from := file.is.Lo; file.facts.begin%8 != 0 || max(end, file.facts.begin)+sizesBytes(from, max(from, file.is.Hi)) != size {
			t.Fatalf("facts are at %d to %d, sizes behind them, of %d", file.facts.begin, end, size)
		}
	})
}

// The file of a segment in a real directory is mapped into memory.
func TestSegmentsAreMapped(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("elsewhere files may be read instead")
	}
	store, err := disk.Open(context.Background(), filepath.Join(t.TempDir(), "db"), disk.Options{
		FS: vfs.Default, MemTableBytes: 1 << 20, Logger: slog.New(slog.DiscardHandler), Advanced: func() {},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	d, err := NewDir(store)
	if err != nil {
		t.Fatal(err)
	}
	w, err := d.Create(3)
	if err != nil {
		t.Fatal(err)
	}
	is := Span{Number: 3, Lo: 10, Hi: 10}
	if err := errors.Join(w.Finish(&index.Segment{Lo: is.Lo, Hi: is.Hi}), w.Close()); err != nil {
		t.Fatal(err)
	}
	s, err := d.Open(is)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if s.file.mapped == nil {
		t.Error("the segment is not mapped")
	}
}

// Places of files above 4 GiB are those that were added.
func TestPlaces(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := places{begin: rapid.Uint64Range(0, 1<<34).Draw(t, "begin")}
		want := []uint64{p.begin}
		for range rapid.IntRange(0, 30).Draw(t, "places") {
			length := rapid.OneOf(rapid.Uint64Range(4, 5000), rapid.Uint64Range(1<<31, 1<<34)).Draw(t, "length")
			want = append(want, want[len(want)-1]+length)
			p.add(want[len(want)-1])
		}
		for n := range want[1:] {
			if from, to := p.bounds(n); from != want[n] || to != want[n+1] {
				t.Fatalf("number %d is at [%d,%d), want [%d,%d)", n, from, to, want[n], want[n+1])
			}
		}
		if p.end() != want[len(want)-1] {
			t.Fatalf("end at %d, want %d", p.end(), want[len(want)-1])
		}
	})
}
