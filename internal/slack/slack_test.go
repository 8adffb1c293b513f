package slack

import (
	"math"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
)

// inForce returns the current limit of the process.
func inForce() int64 { return debug.SetMemoryLimit(-1) }

// percent returns the garbage that the collector allows, in percent.
func percent() uint64 {
	s := []metrics.Sample{{Name: "/gc/gogc:percent"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

// The limit equals the requested size, and rises and falls with the memory in use. A
// large heap has less garbage.
func TestBound(t *testing.T) {
	t.Setenv("GOMEMLIMIT", "")
	t.Setenv("GOGC", "")
	const requested = 64 << 20
	restore := Bound(requested)
	if got := inForce(); got != requested {
		t.Fatalf("limit %d, want %d", got, requested)
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
	held := make([]byte, 2*requested)
	until("with 128 MiB in use", func() bool { return inForce() >= 2*requested/4*5 && percent() == little })
	runtime.KeepAlive(held)
	until("with nothing in use", func() bool { return inForce() == requested-inUse().outside && percent() == usual })
	restore()
	if got := inForce(); got != math.MaxInt64 {
		t.Errorf("limit %d after restore, want none", got)
	}
}

// Memory outside of Go's counts. Losses between objects and the quarter for garbage
// come on top of the memory in use.
func TestLimit(t *testing.T) {
	for _, c := range []struct {
		use
		want int64
	}{
		{use{live: 100, overhead: 10}, 1000},
		{use{live: 100, overhead: 10, outside: 300}, 700},
		{use{live: 800, overhead: 10}, 1010},
		{use{live: 400, overhead: 10, outside: 2000}, 510},
	} {
		if got := c.limit(1000); got != c.want {
			t.Errorf("limit %d of %+v, want %d", got, c.use, c.want)
		}
	}
}

// GOMEMLIMIT takes precedence.
func TestBoundHeedsTheUser(t *testing.T) {
	t.Setenv("GOMEMLIMIT", "1GiB")
	before := inForce()
	defer Bound(64 << 20)()
	if got := inForce(); got != before {
		t.Errorf("limit %d, want %d", got, before)
	}
}
