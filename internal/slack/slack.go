// Package slack bounds the garbage that Go's collector lets accumulate: near a given
// size the collector starts sooner. The setting is that of the whole process, so it is
// for programs, not for libraries. Begin with Bound.
package slack

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
)

// Bound sets the soft memory limit of the process to size bytes and adjusts it after
// each collection; restore restores the previous settings. Memory of the process
// outside of Go's counts too, except mapped files. If memory in use approaches the
// limit, the limit rises to a quarter above it: a collector that cannot free anything
// would only cost time. If objects take a quarter of the limit or more, garbage may
// reach half of their size instead of all of it. GOMEMLIMIT and GOGC, if set by the
// user, take precedence.
func Bound(size int64) (restore func()) {
	l := &limit{least: size}
	if os.Getenv("GOMEMLIMIT") == "" {
		before := debug.SetMemoryLimit(size)
		l.bounds = true
		l.undo = append(l.undo, func() { debug.SetMemoryLimit(before) })
	}
	if os.Getenv("GOGC") == "" {
		before := debug.SetGCPercent(usual)
		l.percent = usual
		l.undo = append(l.undo, func() { debug.SetGCPercent(before) })
	}
	l.watch()
	return l.restore
}

// Garbage in percent of the objects in use: Go's default, and the value for a large
// heap.
const usual, little = 100, 50

// limit holds the settings in force and the way back.
type limit struct {
	mu       sync.Mutex
	least    int64
	bounds   bool // false if the user set the limit
	percent  int  // of garbage; 0 if the user set it
	undo     []func()
	restored bool
}

// watch adjusts the settings after each collection: the finalizer of an unreferenced
// object runs then.
func (l *limit) watch() {
	type sentinel struct{ *int }
	runtime.SetFinalizer(&sentinel{new(int)}, func(*sentinel) {
		l.mu.Lock()
		defer l.mu.Unlock()
		if !l.restored {
			l.set(inUse())
			l.watch()
		}
	})
}

// set adjusts the settings to the memory in use. It requires mu.
func (l *limit) set(u use) {
	if l.bounds {
		debug.SetMemoryLimit(u.limit(l.least))
	}
	percent := usual
	if u.live >= l.least/4 {
		percent = little
	}
	if l.percent > 0 && percent != l.percent {
		l.percent = percent
		debug.SetGCPercent(percent)
	}
}

// restore restores the settings from before Bound, once.
func (l *limit) restore() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.restored {
		l.restored = true
		for _, undo := range l.undo {
			undo()
		}
	}
}

// use describes the memory in use, in bytes.
type use struct {
	live     int64 // objects that survived the last collection
	overhead int64 // Go's memory other than objects: stacks, gaps between objects, data of the collector
	outside  int64 // memory of the process outside of Go's
}

// limit returns the limit of Go's memory that keeps the whole process within size.
func (u use) limit(size int64) int64 { return max(size-u.outside, u.live/4*5+u.overhead) }

// inUse measures the memory of the process.
func inUse() use {
	s := []metrics.Sample{
		{Name: "/gc/heap/live:bytes"}, {Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"},
		{Name: "/memory/classes/heap/free:bytes"}, {Name: "/memory/classes/heap/objects:bytes"},
	}
	metrics.Read(s)
	of := func(i int) int64 { return int64(s[i].Value.Uint64()) }
	held := of(1) - of(2)
	return use{live: of(0), overhead: held - of(3) - of(4), outside: max(anonymous()-held, 0)}
}

// anonymous returns the memory of the process that is not backed by a file, 0 if the
// system does not report it.
func anonymous() int64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, line, _ := bytes.Cut(status, []byte("\nRssAnon:"))
	var kib int64
	if _, err := fmt.Sscan(string(line), &kib); err != nil {
		return 0
	}
	return kib << 10
}
