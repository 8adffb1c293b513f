package groups

import "testing"

// The name of a group that went into another is never read as the key of a group, however
// large the numbers are.
func TestAlias(t *testing.T) {
	for _, number := range []uint64{1, 127, 128, 16_383, 16_384, 1<<21 - 1, 1 << 21, 1 << 28, 1 << 35, 1<<64 - 2} {
		b := encodeAlias(number)
		if len(b) == len(encodeID(0)) {
			t.Errorf("group %d is as long as a key: %x", number, b)
		}
		if got, err := decodeAlias(number+1, b); err != nil || got != number {
			t.Errorf("group %d comes back as %d, %v", number, got, err)
		}
		if got, err := decodeAlias(number, b); err == nil {
			t.Errorf("a group that went into itself: %d", got)
		}
	}
}
