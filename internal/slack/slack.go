// Package slack bounds the memory that Go's garbage collector leaves to garbage. In comes
// a size; the collector begins sooner where memory comes near to it. It is for programs,
// not for libraries: the setting is that of the whole process. It refuses to know what the
// memory is for.
package slack

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
)

// Bound sets the soft limit of the process's memory, until restore is called. Where what is
// in use comes near to the limit, the limit rises with it, a quarter above: a collector
// that could not free anything would only cost time. It does nothing if the user has set
// GOMEMLIMIT.
func Bound(bytes int64) (restore func()) {
	if os.Getenv("GOMEMLIMIT") != "" {
		return func() {}
	}
	l := &limit{least: bytes, before: debug.SetMemoryLimit(bytes)}
	l.watch()
	return l.restore
}

type limit struct {
	mu            sync.Mutex
	least, before int64
	restored      bool
}

// watch looks at what is in use after each collection: nobody refers to the object, so its
// finalizer runs then.
func (l *limit) watch() {
	type sentinel struct{ *int }
	runtime.SetFinalizer(&sentinel{new(int)}, func(*sentinel) {
		l.mu.Lock()
		defer l.mu.Unlock()
		if !l.restored {
			debug.SetMemoryLimit(max(l.least, inUse()/4*5))
			l.watch()
		}
	})
}

func (l *limit) restore() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.restored {
		l.restored = true
		debug.SetMemoryLimit(l.before)
	}
}

// inUse is what the last collection left.
func inUse() int64 {
	s := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(s)
	return int64(s[0].Value.Uint64())
}
