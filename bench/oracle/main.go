// Command oracle draws stores and statements, and holds every answer of simdb against one
// by definition: all documents are compared, one by one, by code that knows no index, no
// log and no plan. What differs is made smaller, and printed as a script.
//
//	go -C bench run ./oracle [-seed N] [-stores N] [-statements N] [-keep FILE] [-least N] [-simdb COMMAND] [SCRIPT.json …]
//
// With -stores 0 it goes on until it is interrupted. Scripts that are named are run instead.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"time"
)

func main() {
	seed := flag.Uint64("seed", 1, "the first seed; every store has one of its own")
	stores := flag.Uint64("stores", 200, "how many stores; 0 goes on without end")
	statements := flag.Int("statements", 12, "statements that read, of each store")
	keep := flag.String("keep", "", "file for the script of the first difference")
	least := flag.Int("least", 0, "fail if any production or path was met less often")
	flag.StringVar(&command, "simdb", "", "a simdb command, whose scale is held against the stores")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if flag.NArg() > 0 {
		os.Exit(scripts(ctx, flag.Args()))
	}
	if *stores == 0 {
		*stores = math.MaxUint64 - *seed
	}
	debug.SetGCPercent(400) // stores are small and many
	h := newHunt(os.Stdout, *seed, *stores, *statements)
	h.keep = *keep
	start := time.Now()
	fmt.Printf("seeds from %d\n", *seed)
	h.run(ctx)
	h.report(time.Since(start))
	if !h.met.all(os.Stdout, *least) || h.failed {
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
	out        io.Writer
	statements int
	keep       string

	mu        sync.Mutex
	next, end uint64
	stores    int
	met       coverage
	failed    bool
}

func newHunt(out io.Writer, seed, stores uint64, statements int) *hunt {
	return &hunt{out: out, statements: statements, next: seed, end: seed + stores, met: coverage{}}
}

// run goes through the seeds on all cores.
func (h *hunt) run(ctx context.Context) {
	var wait sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wait.Go(func() { h.work(ctx) })
	}
	wait.Wait()
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
		if !ok || ctx.Err() != nil {
			return
		}
		met := coverage{}
		s := drawScript(seed, h.statements)
		d, err := s.run(ctx, met)
		h.mu.Lock()
		if h.stores++; h.stores%1000 == 0 {
			fmt.Fprintf(h.out, "%d stores, seeds to %d\n", h.stores, seed)
		}
		for what, n := range met {
			h.met[what] += n
		}
		h.mu.Unlock()
		if d == nil && err == nil || ctx.Err() != nil {
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
	fmt.Fprintf(h.out, "\nDIFFERS, seed %d, segments of %d, memory %d\n", s.Seed, s.SegmentSets, s.MemoryBytes)
	for _, step := range s.Steps[:min(d.Step+1, len(s.Steps))] {
		fmt.Fprintln(h.out, step)
	}
	fmt.Fprintln(h.out, d.What)
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
		fmt.Fprintf(h.out, "%9d  %s\n", h.met[what], what)
	}
	fmt.Fprintf(h.out, "%d stores, %d statements, %.0f s\n", h.stores, h.met["statements"], took.Seconds())
}

// all says whether everything that must be met was met so often.
func (c coverage) all(out io.Writer, least int) bool {
	ok := true
	for _, what := range mustMeet {
		if c[what] < least {
			fmt.Fprintf(out, "met %d times, at least %d are due: %s\n", c[what], least, what)
			ok = false
		}
	}
	return ok
}

// mustMeet is every production and path that a long run must meet.
var mustMeet = slices.Concat(meetSets, meetTexts, meetScripts)

// meetSets is what a long run must meet of documents and the measures of sets.
var meetSets = []string{
	"step statement", "step beside", "step tail", "step traces", "step relations", "step tokens", "step mark", "step reopen", "step crash", "step backup", "step dump", "step salvage",
	"kind create", "kind create groups", "kind drop groups", "kind ledger", "kind drop", "kind drop erase", "kind erase", "kind insert", "kind update", "kind delete", "kind delete duplicates", "kind check", "kind compact",
	"kind similar to", "kind similar pairs", "kind clusters", "kind select", "kind select duplicates",
	"erase of stored", "erase of deleted", "erase of refused", "erase of dropped", "erase of erased", "erase of never", "traces, compacted: true", "traces, compacted: false",
	"tail put", "tail delete", "tail meta", "tail create", "tail drop", "tail event join", "tail event leave", "tail event merge", "tail event split",
	"tail groups ", "tail groups STARS", "tail groups CONNECTED",
	"using jaccard", "using containment", "using multiset", "using repetition", "using tversky", "using weighted", "using simhash",
	"argument of", "argument alpha", "argument beta", "argument k", "argument access",
	"asked access scan", "asked access prefix", "asked access postings", "asked access signature", "asked access rotated", "asked access interval",
	"clause nearest", "clause mutual", "clause several collections", "clause against", "clause since", "clause where", "clause distinct",
	"clause returning", "clause group by", "clause having", "clause aggregates", "clause order by", "clause limit", "clause offset", "clause keep", "clause unless",
	"clause ignoring", "clause similarity()", "clause text target", "refused",
	"test =", "test !=", "test <", "test <=", "test >", "test >=", "test BETWEEN", "test IN", "test LIKE", "test GLOB", "test HAS", "test IS NULL",
	"test AND", "test OR", "test NOT",
	"filter shared shingles", "filter shared weight", "filter all shared shingles", "filter frequent shingles", "filter much repeated",
	"access similar to: prefix", "access similar to: postings", "access similar to: signature", "access similar to: rotated",
	"access similar to: nearest", "access similar to: scan",
	"access similar pairs: prefix", "access similar pairs: postings", "access similar pairs: signature", "access similar pairs: rotated",
	"access similar pairs: nearest", "access similar pairs: scan",
	"access clusters: prefix", "access clusters: postings", "access clusters: signature", "access clusters: scan",
	"access select: prefix", "access select: postings", "access select: signature", "access select: scan", "access select: index", "access select: id",
	"relation parts", "relation clusters", "relation searches", "relation nearest",
	"relation access 'scan'", "relation access 'prefix'", "relation access 'postings'", "relation access 'signature'", "relation access 'rotated'",
}
