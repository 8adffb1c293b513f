package wal

// This fuzz target replays segments of any bytes.

import (
	"encoding/binary"
	"errors"
	"slices"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// FuzzReplay replays a segment of arbitrary bytes. With mend the checksums are
// put right first, so that what lies behind them is reached.
func FuzzReplay(f *testing.F) {
	good := segmentHeader(1)
	for seq := uint64(1); seq <= 3; seq++ {
		payload := payloadOf(seq)[:min(len(payloadOf(seq)), 50)]
		head := frameHead{payloadSum(payload), uint32(len(payload)), seq, seq - 1}
		good = append(head.append(good, int64(len(good))), payload...)
	}
	f.Add([]byte{}, uint64(0), false)
	f.Add(good, uint64(0), false)
	f.Add(good, uint64(2), true)
	f.Add(good[:len(good)-1], uint64(0), false)
	f.Add(slices.Concat(good, good), uint64(1), true)
	f.Add(slices.Concat(good[:60], []byte{1, 2, 3}, good[60:], make([]byte, 100)), uint64(0), true)
	f.Add(slices.Concat(good, frameHead{length: MaxRecordBytes, seq: 4, synced: 3}.append(nil, int64(len(good)))), uint64(0), true)
	f.Fuzz(func(t *testing.T, data []byte, after uint64, mend bool) {
		if mend {
			data = slices.Clone(data) // the fuzzer keeps its own
			mendSums(data)
		}
		fs := vfs.NewMem()
		if err := fs.MkdirAll("wal", 0o755); err != nil {
			t.Fatal(err)
		}
		writeFile(t, fs, "wal/0000000000000001.log", data)
		got, r, err := replayOf(t, fs, "wal", after)
		if err != nil {
			if !errors.Is(err, ErrCorrupt) && !errors.Is(err, ErrTooNew) {
				t.Errorf("Replay = %v, want ErrCorrupt or ErrTooNew", err)
			}
			return
		}
		if r.Last < after && len(got) > 0 || r.Last >= after && uint64(len(got)) != r.Last-after {
			t.Errorf("Replay(%d) = %+v with %d records", after, r, len(got))
		}
		// Every byte is accounted for: header, frames and what was dropped.
		if len(data) > segmentHeaderSize && after == 0 {
			sum := int64(segmentHeaderSize) + r.Dropped
			for _, payload := range got {
				sum += frameHeadSize + int64(len(payload))
			}
			if sum != int64(len(data)) {
				t.Errorf("Replay accounts for %d of %d bytes", sum, len(data))
			}
		}
		l := startedLog(t, fs, "wal", Options{})
		mustStore(t, l, r.Last+1, []byte("more"))
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		if got, again, err := replayOf(t, fs, "wal", r.Last); err != nil || len(got) != 1 {
			t.Errorf("Replay(%d) of one more record = %+v, %v", r.Last, again, err)
		}
	})
}

// mendSums puts the checksums in b right, frame after frame as the lengths say.
func mendSums(b []byte) {
	if len(b) < segmentHeaderSize {
		return
	}
	binary.LittleEndian.PutUint32(b[20:], payloadSum(b[:20]))
	for at := segmentHeaderSize; at+frameHeadSize <= len(b); {
		frame := b[at:]
		end := frameHeadSize + int64(binary.LittleEndian.Uint32(frame[8:]))
		if end <= int64(len(frame)) {
			binary.LittleEndian.PutUint32(frame[4:], payloadSum(frame[frameHeadSize:end]))
		}
		binary.LittleEndian.PutUint32(frame, headSum(frame, int64(at)))
		if end > int64(len(frame)) {
			return
		}
		at += int(end)
	}
}
