package wal

import (
	"errors"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// A log that was not closed is missed if its end is cut off, also where a record ends,
// if it is an older copy, and if its last segment is gone.
func TestMarkMissesTheEnd(t *testing.T) {
	files, names := smallLog(t, 9, false)
	last := names[len(names)-1]
	marked := func(seq uint64, name string, b []byte) vfs.FS {
		fs := damaged(t, files, name, b)
		writeFile(t, fs, "wal/"+MarkName, markOf(seq))
		return fs
	}
	for cut := range len(files[last]) {
		for _, b := range [][]byte{files[last][:cut], nil} {
			_, r, err := replayOf(t, marked(9, last, b), "wal", 0)
			if !errors.Is(err, ErrCorrupt) {
				t.Errorf("cut at %d: Replay = %+v, %v, want ErrCorrupt", cut, r, err)
			}
			if _, _, err := replayOf(t, marked(9, last, b), "wal", 9); err != nil {
				t.Errorf("cut at %d, all applied: Replay = %v", cut, err)
			}
		}
	}
	whole := files[last]
	if _, r, err := replayOf(t, marked(8, last, whole), "wal", 0); err != nil || r.Last != 9 {
		t.Errorf("a mark that is behind: Replay = %+v, %v", r, err)
	}
	// What was begun and not synced is dropped as before.
	at := ends(7, 9)
	if _, r, err := replayOf(t, marked(8, last, whole[:at[3]-1]), "wal", 0); err != nil || r.Last != 8 || r.Dropped == 0 {
		t.Errorf("a torn tail behind the mark: Replay = %+v, %v", r, err)
	}
}

// The mark is what was acknowledged, whenever the process ends.
func TestMarkFollowsTheLog(t *testing.T) {
	fs := vfs.NewMem()
	l := startedLog(t, fs, "wal", Options{SegmentBytes: 200})
	for seq := uint64(1); seq <= 9; seq++ {
		mustStore(t, l, seq, smallPayload(seq))
		if mark, err := readMark(fs, "wal"); err != nil || mark != seq {
			t.Errorf("record %d is synced, the mark is %d, %v", seq, mark, err)
		}
	}
	if err := errors.Join(l.Release(5), l.Reset(10), l.Close()); err != nil {
		t.Fatal(err)
	}
	if _, r, err := replayOf(t, fs, "wal", 9); err != nil || r.Last != 9 {
		t.Errorf("Replay = %+v, %v", r, err)
	}
}

// A mark that does not decode says nothing.
func TestBadMark(t *testing.T) {
	good := markOf(9)
	for i := range good {
		flipped := append([]byte(nil), good...)
		flipped[i] ^= 1
		for _, b := range [][]byte{good[:i], flipped} {
			fs := vfs.NewMem()
			if err := fs.MkdirAll("wal", 0o755); err != nil {
				t.Fatal(err)
			}
			writeFile(t, fs, "wal/"+MarkName, b)
			if mark, err := readMark(fs, "wal"); mark != 0 || err != nil {
				t.Errorf("% x: mark %d, %v", b, mark, err)
			}
		}
	}
}
