package keys

// Keys sort like their numbers and names, and parse to them.

import (
	"bytes"
	"encoding/binary"
	"testing"
)

func TestKeysSortLikeTheirNumbers(t *testing.T) {
	ordered := [][]byte{
		Of(Document, 1), WithID(Of(Document, 1), "a"), WithID(Of(Document, 1), "a\xff"), WithID(Of(Document, 1), "b"),
		Of(Document, 2), Of(Document, 256), Of(Set, 1, 255), Of(Set, 1, 256), Of(Text, 1), Of(Order, 1, 2, 3),
	}
	for i := 1; i < len(ordered); i++ {
		if bytes.Compare(ordered[i-1], ordered[i]) >= 0 {
			t.Errorf("key %x is not before %x", ordered[i-1], ordered[i])
		}
	}
}

func TestEnd(t *testing.T) {
	for _, c := range []struct{ prefix, want []byte }{
		{[]byte{1}, []byte{2}},
		{[]byte{1, 0xff}, []byte{2}},
		{[]byte{0xff, 0xff}, nil},
		{Of(Text, 7, 0xffffffff), []byte{byte(Text), 0, 0, 0, 8}},
	} {
		if got := End(c.prefix); !bytes.Equal(got, c.want) {
			t.Errorf("End(%x) = %x, want %x", c.prefix, got, c.want)
		}
	}
}

func TestNumbers(t *testing.T) {
	key := WithID(Of(Text, 7, 9), "id")
	n, rest, err := Numbers(key, 2)
	if err != nil || n[0] != 7 || n[1] != 9 || string(rest) != "id" {
		t.Errorf("Numbers(%x, 2) = %v, %q, %v", key, n, rest, err)
	}
	if _, _, err := Numbers(key[:8], 2); err == nil {
		t.Error("Numbers of a short key: want an error")
	}
}

func FuzzNumbers(f *testing.F) {
	f.Add([]byte{1, 2, 3}, 2)
	f.Fuzz(func(t *testing.T, key []byte, n int) {
		if n < 0 {
			n = -n
		}
		numbers, rest, err := Numbers(key, n%6)
		if err == nil && !bytes.Equal(append(Of(Space(key[0]), numbers[:n%6]...), rest...), key) {
			t.Errorf("Numbers(%x, %d) does not build the key again", key, n%6)
		}
	})
}

// Keys with parts other than numbers parse to these parts; other keys are errors.
func FuzzEntries(f *testing.F) {
	f.Add(OfSI(1, 2, -3), int64(-3), uint32(4), uint64(5), "id")
	f.Add(OfJoined(1, 2), int64(1<<62), uint32(1<<31), uint64(1<<63), "\x00\xff")
	f.Fuzz(func(t *testing.T, key []byte, value int64, set uint32, record uint64, id string) {
		SIEntry(key) // must not panic
		JoinedID(key)
		if v, s, err := SIEntry(binary.BigEndian.AppendUint32(OfSI(1, 2, value), set)); v != value || s != set || err != nil {
			t.Errorf("SIEntry = %d, %d, %v, want %d, %d", v, s, err, value, set)
		}
		if got, err := JoinedID(WithID(OfJoined(1, record), id)); id != "" && (got != id || err != nil) {
			t.Errorf("JoinedID = %q, %v, want %q", got, err, id)
		}
		if end := End(key); end != nil && bytes.Compare(end, key) <= 0 {
			t.Errorf("End(%x) = %x", key, end)
		}
	})
}
