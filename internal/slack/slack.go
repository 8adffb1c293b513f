// Package slack bounds the memory that Go's garbage collector leaves to garbage. In comes
// a size; the collector begins sooner where memory comes near to it. It is for programs,
// not for libraries: the setting is that of the whole process. It refuses to know what the
// memory is for.
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

// Bound sets the soft limit of the process's memory, until restore is called. What the
// process has beside Go's memory counts too, but for mapped files. Where what is in use comes
// near to the limit, the limit rises with it, a quarter above: a collector that could not free
// anything would only cost time. Where objects take a quarter of the limit or more, garbage
// may be half of that, and not as much again. What the user has set, in GOMEMLIMIT or GOGC,
// stays.
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

// Garbage in percent of the objects in use: as Go has it, and of a large heap.
const usual, little = 100, 50

type limit struct {
	mu       sync.Mutex
	least    int64
	bounds   bool // false if the user has set the limit
	percent  int  // of garbage; 0 if the user has set it
	undo     []func()
	restored bool
}

// watch looks at what is in use after each collection: nobody refers to the object, so its
// finalizer runs then.
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

// use is what memory is in use, in bytes.
type use struct {
	live   int64 // what the last collection left
	lost   int64 // what Go's memory has beside objects: stacks, gaps between objects, what the collector keeps
	beside int64 // what the process has beside Go's memory
}

// limit is that of Go's memory, where all is to be within so many bytes.
func (u use) limit(size int64) int64 { return max(size-u.beside, u.live/4*5+u.lost) }

func inUse() use {
	s := []metrics.Sample{
		{Name: "/gc/heap/live:bytes"}, {Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"},
		{Name: "/memory/classes/heap/free:bytes"}, {Name: "/memory/classes/heap/objects:bytes"},
	}
	metrics.Read(s)
	of := func(i int) int64 { return int64(s[i].Value.Uint64()) }
	held := of(1) - of(2)
	return use{live: of(0), lost: held - of(3) - of(4), beside: max(anonymous()-held, 0)}
}

// anonymous is what the process has in memory that is no file's, 0 where the system does not
// say so.
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
