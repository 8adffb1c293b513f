package slack

import (
	"math"
	"runtime"
	"runtime/debug"
	"testing"
)

// inForce is the limit that the process has.
func inForce() int64 { return debug.SetMemoryLimit(-1) }

// The limit is that which was asked for, rises with what is in use, and falls with it.
func TestBound(t *testing.T) {
	t.Setenv("GOMEMLIMIT", "")
	const asked = 64 << 20
	restore := Bound(asked)
	if got := inForce(); got != asked {
		t.Fatalf("limit %d, want %d", got, asked)
	}
	until := func(what string, is func() bool) {
		t.Helper()
		for range 1000 { // a finalizer runs some time after the collection
			if is() {
				return
			}
			runtime.GC()
			runtime.Gosched()
		}
		t.Errorf("%s: limit %d", what, inForce())
	}
	held := make([]byte, 2*asked)
	until("with 128 MiB in use", func() bool { return inForce() >= 2*asked/4*5 })
	runtime.KeepAlive(held)
	until("with nothing in use", func() bool { return inForce() == asked })
	restore()
	if got := inForce(); got != math.MaxInt64 {
		t.Errorf("limit %d after restore, want none", got)
	}
}

// Who sets GOMEMLIMIT decides.
func TestBoundHeedsTheUser(t *testing.T) {
	t.Setenv("GOMEMLIMIT", "1GiB")
	before := inForce()
	defer Bound(64 << 20)()
	if got := inForce(); got != before {
		t.Errorf("limit %d, want %d", got, before)
	}
}
