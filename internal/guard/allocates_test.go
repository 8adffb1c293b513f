package guard

import "testing"

func TestAllocates(t *testing.T) {
	var kept []byte
	if n := Allocates(func() { kept = make([]byte, 1<<20) }); n < 1<<20 || n > 1<<21 {
		t.Errorf("making %d bytes allocates %d", len(kept), n)
	}
}
