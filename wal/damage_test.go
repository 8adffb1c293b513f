package wal

// These tests damage a log: they cut it at each byte, flip each byte and take
// segments away.

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"slices"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// smallPayload is short, so that each byte of a log can be damaged in turn.
func smallPayload(seq uint64) []byte {
	return bytes.Repeat([]byte{byte('a' + seq)}, int(seq*7%12))
}

// smallLog returns the segments of a log of n records, three to a segment.
// Each record was synced before the next was appended, unless grouped: then
// the records of a segment were synced together.
func smallLog(t *testing.T, n uint64, grouped bool) (files map[string][]byte, names []string) {
	t.Helper()
	fs := vfs.NewMem()
	l := startedLog(t, fs, "wal", Options{})
	for seq := uint64(1); seq <= n; seq++ {
		if seq%3 == 1 {
			l.opts.SegmentBytes = 1 // the next group opens a segment
		}
		ticket := mustAppend(t, l, seq, smallPayload(seq))
		l.opts.SegmentBytes = defaultSegmentBytes
		if grouped && seq%3 != 0 && seq != n {
			continue
		}
		if err := ticket.Wait(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	files = make(map[string][]byte)
	names = logNames(t, fs, "wal")
	for _, name := range names {
		files[name] = readFile(t, fs, "wal/"+name)
	}
	return files, names
}

// damaged returns a file system with the log files, of which name has the
// bytes b; nil removes it.
func damaged(t *testing.T, files map[string][]byte, name string, b []byte) vfs.FS {
	t.Helper()
	fs := vfs.NewMem()
	if err := fs.MkdirAll("wal", 0o755); err != nil {
		t.Fatal(err)
	}
	for other, data := range files {
		if other != name {
			writeFile(t, fs, "wal/"+other, data)
		}
	}
	if b != nil {
		writeFile(t, fs, "wal/"+name, b)
	}
	return fs
}

// ends returns where the frames of records first to last end in their segment.
func ends(first, last uint64) []int {
	at := []int{segmentHeaderSize}
	for seq := first; seq <= last; seq++ {
		at = append(at, at[len(at)-1]+frameHeadSize+len(smallPayload(seq)))
	}
	return at
}

// checkSmall compares what was replayed after a record with smallPayload.
func checkSmall(t *testing.T, what string, at int, got [][]byte, after uint64) {
	t.Helper()
	for i, payload := range got {
		if seq := after + uint64(i) + 1; !bytes.Equal(payload, smallPayload(seq)) {
			t.Errorf("%s %d: payload of record %d = %q, want %q", what, at, seq, payload, smallPayload(seq))
		}
	}
}

// Of a last segment cut anywhere, the longest intact prefix comes back, and
// the log goes on from there. A cut in an earlier segment is corruption.
func TestCutAtEachByte(t *testing.T) {
	files, names := smallLog(t, 9, false)
	last := names[len(names)-1]
	frames := ends(7, 9)
	for cut := range len(files[last]) {
		fs := damaged(t, files, last, files[last][:cut])
		intact, dropped := 0, cut
		for intact+1 < len(frames) && frames[intact+1] <= cut {
			intact++
		}
		if cut >= segmentHeaderSize {
			dropped = cut - frames[intact]
		}
		want := Replayed{Last: 6 + uint64(intact), Records: 6 + int64(intact), Dropped: int64(dropped)}
		got, r, err := replayOf(t, fs, "wal", 0)
		if err != nil || r != want {
			t.Errorf("cut at %d: Replay = %+v, %v, want %+v", cut, r, err, want)
			continue
		}
		checkSmall(t, "cut at", cut, got, 0)

		l := startedLog(t, fs, "wal", Options{})
		mustStore(t, l, want.Last+1, smallPayload(want.Last+1))
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		got, r, err = replayOf(t, fs, "wal", want.Last)
		if err != nil || r != (Replayed{Last: want.Last + 1, Records: 1}) {
			t.Errorf("cut at %d, then record %d: Replay = %+v, %v", cut, want.Last+1, r, err)
		}
		checkSmall(t, "after cut at", cut, got, want.Last)
	}
	for _, name := range names[:len(names)-1] {
		for cut := range len(files[name]) {
			fs := damaged(t, files, name, files[name][:cut])
			got, r, err := replayOf(t, fs, "wal", 0)
			if !errors.Is(err, ErrCorrupt) {
				t.Errorf("%s cut at %d: Replay = %+v, %v, want ErrCorrupt", name, cut, r, err)
			}
			checkSmall(t, "cut at", cut, got, 0)
			// What lies in it is not needed if all of it was applied.
			if _, r, err := replayOf(t, fs, "wal", 6); err != nil || r.Last != 9 {
				t.Errorf("%s cut at %d: Replay(6) = %+v, %v, want records 7 to 9", name, cut, r, err)
			}
		}
	}
}

// A flipped byte never yields a wrong record. It is corruption wherever a
// later frame or segment proves that the spoilt one had been synced: only in
// the very last group does it look like a torn tail.
func TestFlipEachByte(t *testing.T) {
	for _, grouped := range []bool{false, true} {
		files, names := smallLog(t, 9, grouped)
		frames := ends(7, 9)
		torn, corrupt := 0, 0
		for i, name := range names {
			// Where the group begins that nothing later vouches for.
			unproved := len(files[name])
			if i == len(names)-1 {
				unproved = frames[2]
				if grouped {
					unproved = frames[0]
				}
			}
			for at := range files[name] {
				for _, mask := range []byte{0xff, 1, 0x80} {
					b := slices.Clone(files[name])
					b[at] ^= mask
					got, r, err := replayOf(t, damaged(t, files, name, b), "wal", 0)
					checkSmall(t, "flip at", at, got, 0)
					if at < unproved {
						corrupt++
						if !errors.Is(err, ErrCorrupt) {
							t.Errorf("%s byte %d ^ %#x: Replay = %+v, %v, want ErrCorrupt", name, at, mask, r, err)
						}
						continue
					}
					torn++
					intact := 0
					for frames[intact+1] <= at {
						intact++
					}
					want := Replayed{
						Last:    6 + uint64(intact),
						Records: 6 + int64(intact),
						Dropped: int64(len(b) - frames[intact]),
					}
					if err != nil || r != want {
						t.Errorf("%s byte %d ^ %#x: Replay = %+v, %v, want %+v", name, at, mask, r, err, want)
					}
				}
			}
		}
		t.Logf("grouped %v: %d flips reported as corrupt, %d as a torn tail", grouped, corrupt, torn)
	}
}

// A segment that is missing, empty, zeroed or out of date is a hole, and legal
// only where all of it was applied.
func TestSegmentLost(t *testing.T) {
	files, names := smallLog(t, 9, false)
	for i, name := range names[:len(names)-1] {
		data := files[name]
		for what, b := range map[string][]byte{
			"missing": nil,
			"empty":   {},
			"zeroed":  make([]byte, len(data)),
			"older":   data[:ends(uint64(3*i+1), uint64(3*i+3))[2]],
			"other":   files[names[2]],
		} {
			fs := damaged(t, files, name, b)
			if _, r, err := replayOf(t, fs, "wal", uint64(3*i)); !errors.Is(err, ErrCorrupt) {
				t.Errorf("%s %s: Replay(%d) = %+v, %v, want ErrCorrupt", name, what, 3*i, r, err)
			}
			applied := uint64(3*i + 3)
			got, r, err := replayOf(t, fs, "wal", applied)
			if err != nil || r.Last != 9 || r.Records != int64(9-applied) {
				t.Errorf("%s %s: Replay(%d) = %+v, %v, want the rest", name, what, applied, r, err)
			}
			checkSmall(t, name, i, got, applied)
		}
	}
	last := names[len(names)-1]
	for what, b := range map[string][]byte{
		"zeroed": make([]byte, len(files[last])),
		"other":  files[names[0]],
	} {
		if _, r, err := replayOf(t, damaged(t, files, last, b), "wal", 0); !errors.Is(err, ErrCorrupt) {
			t.Errorf("%s %s: Replay = %+v, %v, want ErrCorrupt", last, what, r, err)
		}
	}
}

// Rubbish behind the last frame is a torn tail, even if it looks like frames.
func TestRubbishTail(t *testing.T) {
	files, names := smallLog(t, 9, false)
	last := names[len(names)-1]
	data := files[last]
	for what, rubbish := range map[string][]byte{
		"one byte":             {7},
		"zeros":                make([]byte, 100_000),
		"types of frames":      bytes.Repeat(frameType, 50_000),
		"the same segment":     data,
		"frames of another":    files[names[0]][segmentHeaderSize:],
		"a frame's first half": frameHead{length: 100, seq: 10, synced: 9}.append(nil, int64(len(data))),
	} {
		fs := damaged(t, files, last, slices.Concat(data, rubbish))
		want := Replayed{Last: 9, Records: 9, Dropped: int64(len(rubbish))}
		if _, r, err := replayOf(t, fs, "wal", 0); err != nil || r != want {
			t.Errorf("%s: Replay = %+v, %v, want %+v", what, r, err, want)
		}
	}
}

// A length that the file cannot hold is not allocated.
func TestLengthIsChecked(t *testing.T) {
	files, names := smallLog(t, 3, false)
	data := files[names[0]]
	head := frameHead{length: MaxRecordBytes, seq: 4, synced: 3}
	fs := damaged(t, files, names[0], head.append(slices.Clone(data), int64(len(data))))
	l, err := Open(fs, "wal", Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	p := replayer{fn: func(uint64, []byte) error { return nil }}
	if err := l.replaySegment(&p, l.segments[0], 0); err != nil || p.Last != 3 {
		t.Errorf("replay of a frame with a huge length = %+v, %v, want Last 3", p.Replayed, err)
	}
	if cap(p.payload) > 100 {
		t.Errorf("replay allocated %d bytes for a payload the file does not hold", cap(p.payload))
	}
}

// The frame that proves corruption is found wherever it lies in the windows in
// which the tail is read.
func TestWitnessIsFound(t *testing.T) {
	const window = 64 << 10
	for distance := window - 2*frameHeadSize; distance <= window+2*frameHeadSize; distance++ {
		fs := vfs.NewMem()
		if err := fs.MkdirAll("wal", 0o755); err != nil {
			t.Fatal(err)
		}
		b := append(segmentHeader(1), make([]byte, distance)...)
		b = frameHead{seq: 2, synced: 1}.append(b, int64(len(b)))
		writeFile(t, fs, "wal/0000000000000001.log", b)
		if _, r, err := replayOf(t, fs, "wal", 0); !errors.Is(err, ErrCorrupt) {
			t.Fatalf("%d bytes before a proof: Replay = %+v, %v, want ErrCorrupt", distance, r, err)
		}
	}
}

func TestTooNew(t *testing.T) {
	files, names := smallLog(t, 3, false)
	b := segmentHeader(1)[:20]
	b[8] = segmentVersion + 1
	b = binary.LittleEndian.AppendUint32(b, payloadSum(b))
	_, _, err := replayOf(t, damaged(t, files, names[0], b), "wal", 0)
	if !errors.Is(err, ErrTooNew) {
		t.Errorf("Replay of version %d = %v, want ErrTooNew", segmentVersion+1, err)
	}
}
