package wal

// These fuzz targets read the mark, names, and segments beside the log.

import (
	"errors"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/internal/guard"
)

func FuzzMark(f *testing.F) {
	f.Add(markOf(7))
	f.Add(append(markOf(1<<63), 0))
	f.Add([]byte(markMagic))
	f.Fuzz(func(t *testing.T, b []byte) {
		fs := vfs.NewMem()
		writeFile(t, fs, MarkName, b)
		seq, err := readMark(fs, "")
		if err != nil {
			t.Fatal(err)
		}
		if seq != 0 && string(markOf(seq)) != string(b[:markSize]) {
			t.Fatalf("%x is read as the mark of record %d", b, seq)
		}
	})
}

func FuzzSegmentNames(f *testing.F) {
	f.Add("0000000000000001.log", uint64(1), uint64(2))
	f.Add(KeptName(1, 1<<63), uint64(1<<63), uint64(1<<64-1))
	f.Fuzz(func(t *testing.T, name string, a, b uint64) {
		if first, ok := parseSegmentName(name); ok && Name(first) != name {
			t.Fatalf("%q is read as %d", name, first)
		}
		if first, last, ok := parseKeptName(name); ok && KeptName(first, last) != name {
			t.Fatalf("%q is read as %d to %d", name, first, last)
		}
		if first, ok := parseSegmentName(Name(a)); ok != (a > 0) || ok && first != a {
			t.Fatalf("the name of %d is read as %d, %v", a, first, ok)
		}
		if first, last, ok := parseKeptName(KeptName(a, b)); ok != (0 < a && a <= b) || ok && (first != a || last != b) {
			t.Fatalf("the name of %d to %d is read as %d to %d, %v", a, b, first, last, ok)
		}
	})
}

// A Reader gives the records that Replay gives, as far as these go, in memory bounded by the
// file.
func FuzzReader(f *testing.F) {
	good := segmentHeader(1)
	for seq := uint64(1); seq <= 3; seq++ {
		payload := payloadOf(seq)[:min(len(payloadOf(seq)), 50)]
		head := frameHead{payloadSum(payload), uint32(len(payload)), seq, seq - 1}
		good = append(head.append(good, int64(len(good))), payload...)
	}
	f.Add(good, true)
	f.Add(good[:len(good)-1], false)
	f.Add(append(good, frameHead{length: MaxRecordBytes, seq: 4, synced: 3}.append(nil, int64(len(good)))...), false)
	f.Fuzz(func(t *testing.T, data []byte, mend bool) {
		data = append([]byte(nil), data...)
		if mend {
			mendSums(data)
		}
		fs := vfs.NewMem()
		if err := fs.MkdirAll("wal", 0o755); err != nil {
			t.Fatal(err)
		}
		path := "wal/" + Name(1)
		writeFile(t, fs, path, data)
		var got int64
		var err error
		if n := guard.Allocates(func() { got, err = readAll(fs, path) }); n > 20*uint64(len(data))+1<<20 {
			t.Fatalf("%d bytes allocate %d", len(data), n)
		}
		if !errors.Is(err, ErrCorrupt) && !errors.Is(err, ErrTooNew) {
			t.Fatalf("the end of the segment is %v", err)
		}
		if _, r, err := replayOf(t, fs, "wal", 0); err == nil && r.Records != got {
			t.Errorf("Replay has %d records, Reader %d", r.Records, got)
		}
	})
}

// readAll counts the records of the first segment, up to the error that ends it.
func readAll(fs vfs.FS, path string) (n int64, err error) {
	r, err := OpenFile(fs, File{Path: path, First: 1})
	if err != nil {
		return 0, err
	}
	defer r.Close()
	for {
		if _, _, err := r.Next(); err != nil {
			return n, err
		}
		n++
	}
}
