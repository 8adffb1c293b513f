package salvage

import (
	"bytes"
	"encoding/binary"
	"testing"
)

// An escaped key comes back, and escaped keys have the order of keys.
func FuzzEscape(f *testing.F) {
	f.Add([]byte("key"), []byte("key\x00"), uint64(3))
	f.Add([]byte{0, 0xff}, []byte{0, 1}, uint64(1<<63))
	f.Fuzz(func(t *testing.T, a, b []byte, seq uint64) {
		escaped := func(key []byte) []byte { return binary.BigEndian.AppendUint64(escape(nil, key), ^seq) }
		if key, got := unescape(escaped(a)); !bytes.Equal(key, a) || got != seq {
			t.Fatalf("%x, %d comes back as %x, %d", a, seq, key, got)
		}
		if bytes.Compare(escaped(a), escaped(b)) != bytes.Compare(a, b) {
			t.Fatalf("%x and %x are escaped to %x and %x", a, b, escaped(a), escaped(b))
		}
	})
}
