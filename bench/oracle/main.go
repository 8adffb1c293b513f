// Command oracle draws stores and statements, and holds every answer of simdb against one
// by definition: all documents are compared, one by one, by code that knows no index, no
// log and no plan. What differs is made smaller, and printed as a script.
//
//	go run ./bench/oracle [-seed N] [-stores N] [-statements N] [-keep FILE] [SCRIPT.json …]
//
// With -stores 0 it goes on until it is ended. Scripts that are named are run instead.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"runtime"
	"slices"
	"sync"
	"time"
)

func main() {
	seed := flag.Uint64("seed", 1, "the first seed; every store has one of its own")
	stores := flag.Uint64("stores", 200, "how many stores; 0 goes on without end")
	statements := flag.Int("statements", 25, "statements that read, of each store")
	keep := flag.String("keep", "", "file for the script of the first difference")
	least := flag.Int("least", 0, "fail if any production or path was met less often")
	flag.Parse()
	ctx := context.Background()
	if flag.NArg() > 0 {
		os.Exit(scripts(ctx, flag.Args()))
	}
	r := &hunt{statements: *statements, next: *seed, end: *seed + *stores, met: coverage{}, keep: *keep}
	if *stores == 0 {
		r.end = 1<<64 - 1
	}
	start := time.Now()
	fmt.Printf("seeds from %d\n", *seed)
	var wait sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wait.Go(func() { r.work(ctx) })
	}
	wait.Wait()
	r.report(time.Since(start))
	if r.failed || *least > 0 && !r.met.all(*least) {
		os.Exit(1)
	}
}

// scripts runs kept scripts.
func scripts(ctx context.Context, files []string) (code int) {
	for _, f := range files {
		s, err := readScript(f)
		if err == nil {
			var d *Difference
			if d, err = s.run(ctx, nil); d != nil {
				err = fmt.Errorf("step %d: %s", d.Step, d.What)
			}
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, f+":", err)
			code = 1
		}
	}
	return code
}

func readScript(file string) (*Script, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	s := &Script{}
	return s, json.Unmarshal(b, s)
}

// A hunt goes through seeds until there are no more.
type hunt struct {
	statements int
	keep       string

	mu        sync.Mutex
	next, end uint64
	stores    int
	met       coverage
	failed    bool
}

func (h *hunt) seed() (uint64, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.next++
	return h.next - 1, h.next-1 < h.end
}

func (h *hunt) work(ctx context.Context) {
	for {
		seed, ok := h.seed()
		if !ok {
			return
		}
		met := coverage{}
		s := drawScript(seed, h.statements)
		d, err := s.run(ctx, met)
		h.mu.Lock()
		h.stores++
		for what, n := range met {
			h.met[what] += n
		}
		h.mu.Unlock()
		if d == nil && err == nil {
			continue
		}
		h.found(ctx, s, d, err)
	}
}

// found makes the script of a difference smaller, and prints it.
func (h *hunt) found(ctx context.Context, s *Script, d *Difference, err error) {
	if err == nil {
		s, d = s.shrink(ctx, d)
	} else {
		d = &Difference{What: err.Error()}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	fmt.Printf("\nDIFFERS, seed %d, segments of %d, memory %d\n", s.Seed, s.SegmentSets, s.MemoryBytes)
	for _, step := range s.Steps[:min(d.Step+1, len(s.Steps))] {
		fmt.Println(step)
	}
	fmt.Println(d.What)
	if s.Why = d.What; h.keep != "" && !h.failed {
		b, _ := json.MarshalIndent(s, "", " ")
		if err := os.WriteFile(h.keep, append(b, '\n'), 0o644); err != nil {
			fmt.Fprintln(os.Stderr, "oracle:", err)
		}
	}
	h.failed = true
}

func (h *hunt) report(took time.Duration) {
	for _, what := range slices.Sorted(maps.Keys(h.met)) {
		fmt.Printf("%9d  %s\n", h.met[what], what)
	}
	fmt.Printf("%d stores, %d statements, %.0f s\n", h.stores, h.met["statements"], took.Seconds())
}

// all says whether everything that must be met was met so often.
func (c coverage) all(least int) bool {
	ok := true
	for _, what := range mustMeet {
		if c[what] < least {
			fmt.Printf("met %d times, at least %d are due: %s\n", c[what], least, what)
			ok = false
		}
	}
	return ok
}

// mustMeet is every production and path that a long run must meet.
var mustMeet = slices.Concat(meetTexts)
