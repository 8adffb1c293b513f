// What many tests of the engine use: stores in memory, their documents and
// files, and the answers as rows that can be compared.

package engine

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"testing"
	"time"
	"unicode"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/internal/keys"

	"github.com/simdb/simdb/internal/shingle"
	"github.com/simdb/simdb/internal/torture"
)

// errStop ends a scan that has seen enough.
var errStop = errors.New("enough")

// The files of a store at "db".
const (
	statePath = "db/STATE"
	lockPath  = "db/LOCK"
	logDir    = "db/log"
	pebbleDir = "db/store"
)

// analysisOf is how a collection of these settings reads its texts.
func analysisOf(s api.Settings) shingle.Analysis {
	c, err := record.NewSchema(unicode.Version, 1, api.DefaultCollection, s)
	if err != nil {
		panic(err) // they are good
	}
	return c.Analysis
}

// by is a measure with arguments.
func by(m api.Measure, a api.Args) api.Method { return api.Method{Measure: m, Args: a} }

func testOptions(fs vfs.FS) *Options {
	return withHooks(&Options{SegmentSets: 8, MemoryBytes: 1 << 20, CacheBytes: 1 << 16}, fs, 0)
}

// sleepy makes a store sleep after each call.
func sleepy(o *Options) *Options {
	o.Shared = &Shared{CacheBytes: o.CacheBytes, MemoryBytes: o.MemoryBytes, Awake: -1}
	return o
}

func openTest(t *testing.T, o *Options) *DB {
	t.Helper()
	db, err := Open("db", o)
	if err != nil {
		t.Fatal(err)
	}
	return db
}

// chosen says of one case in so many that it is tested: there are more than there is time
// for, and other seeds choose others.
func chosen(rng *rand.Rand, oneIn, oneInShort int) bool {
	if torture.Short() {
		oneIn = oneInShort
	}
	return rng.IntN(oneIn) == 0
}

// withoutRaces skips a test whose calls come one after the other, and many, under the race
// detector, which has little to find there and takes eight times as long.
func withoutRaces(t *testing.T) {
	t.Helper()
	if raceEnabled {
		t.Skip("one call after the other, and many: not run under the race detector")
	}
}

// settled waits until the builder has nothing left to do.
func settled(t *testing.T, db *DB) {
	t.Helper()
	if err := errors.Join(db.use(), db.maintain(context.Background())); err != nil {
		t.Fatal(err)
	}
	db.unuse()
}

func collect[T any](t *testing.T, r *Result[T], err error) []T {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	var out []T
	for row, err := range r.All {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, row)
	}
	if r.Plan.Matches != int64(len(out)) {
		t.Errorf("the plan says %d matches, there are %d", r.Plan.Matches, len(out))
	}
	return out
}

func similarRows(t *testing.T, s *Snapshot, target api.Target, q Search) []string {
	t.Helper()
	r, err := s.Similar(context.Background(), target, q)
	out := []string{}
	for _, m := range collect(t, r, err) {
		union := m.Union
		out = append(out, rowString(q, m.ID, "", m.Sim, m.Shared, union))
	}
	return out
}

func pairRows(t *testing.T, s *Snapshot, q Search) []string {
	t.Helper()
	r, err := s.Pairs(context.Background(), q)
	out := []string{}
	for _, m := range collect(t, r, err) {
		out = append(out, rowString(q, m.A, m.B, m.Sim, m.Shared, m.Union))
	}
	return out
}

func clusterRows(t *testing.T, s *Snapshot, q Search) []string {
	t.Helper()
	r, err := s.Clusters(context.Background(), q)
	out := []string{}
	for _, m := range collect(t, r, err) {
		out = append(out, fmt.Sprintf("%s %s %d", m.Cluster, m.ID, m.Size))
	}
	return out
}

func rowString(q Search, a, b string, sim float64, shared, union uint64) string {
	if q.Measure == api.SimHash {
		return fmt.Sprintf("%s %s %v %d", a, b, sim, union-shared)
	}
	return fmt.Sprintf("%s %s %v %d/%d", a, b, sim, shared, union)
}

// difference shows what only one side has.
func difference(got, want []string) string {
	out := ""
	for _, r := range got {
		if !slices.Contains(want, r) {
			out += "+ " + r + "\n"
		}
	}
	for _, r := range want {
		if !slices.Contains(got, r) {
			out += "- " + r + "\n"
		}
	}
	if out == "" {
		out = "same rows in another order\n"
	}
	return out
}

// checkClean leaves out the sample of answers: the tests compare more than that by themselves.
func checkClean(t *testing.T, db *DB, when string) {
	t.Helper()
	report, err := db.check(context.Background(), nil, false)
	if err != nil {
		t.Fatalf("%s: check: %v", when, err)
	}
	if report.Found > 0 {
		t.Fatalf("%s: check found %d problems, first %+v", when, report.Found, report.Problems[0])
	}
}

func sameDocuments(t *testing.T, db *DB, want map[string]string) {
	t.Helper()
	s, err := db.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	n := 0
	for d, err := range s.Documents(context.Background(), "") {
		if err != nil {
			t.Error(err)
			return
		}
		n++
		if text, ok := want[d.ID]; !ok || text != d.Text {
			t.Errorf("document %q is %q, want %q", d.ID, d.Text, text)
		}
	}
	if n != len(want) {
		t.Errorf("%d documents, want %d", n, len(want))
	}
}

// within fails the test rather than hang when a call does not return.
func within(t *testing.T, what string, call func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { defer close(done); call() }()
	select {
	case <-done:
	case <-time.After(patience):
		debug.SetTraceback("all") // shows where
		panic(what + " hangs")
	}
}

// patience is how long a store under faults may take before the test says that
// it hangs. Nothing waits for it otherwise.
const patience = 30 * time.Second

// fillTexts puts n documents with near duplicates and builds their postings.
func fillTexts(t *testing.T, db *DB, n int) {
	t.Helper()
	g := &texts{rng: rand.New(rand.NewPCG(7, 8))}
	for i := range n {
		if err := db.Put(context.Background(), api.Document{ID: fmt.Sprint("d", i), Text: g.next()}); err != nil {
			t.Fatal(err)
		}
	}
	settled(t, db)
}

func firstKey(db *DB, space keys.Space) (uint32, error) {
	var n uint32
	err := disk.Scan(db.disk.Pebble(), keys.Of(space), func(key, _ []byte) error {
		numbers, _, err := keys.Numbers(key, 1)
		n = numbers[0]
		return errors.Join(err, errStop)
	})
	if errors.Is(err, errStop) {
		err = nil
	}
	return n, err
}

func modelOf(settings api.Settings, texts map[string]string) *model {
	m := newModel(analysisOf(settings))
	for id, text := range texts {
		m.put(id, text)
	}
	return m
}

// pairsPlan says how Pairs would go, and that it then has no rows.
func pairsPlan(ctx context.Context, s *Snapshot, q Search) (*api.Plan, error) {
	q.PlanOnly = true
	res, err := s.Pairs(ctx, q)
	if err != nil {
		return nil, err
	}
	for range res.All {
		err = errors.New("a plan has rows")
	}
	return res.Plan, err
}
