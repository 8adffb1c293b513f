// Common parts of engine tests: stores in memory, their documents and files, answers as
// comparable rows.

package enginetest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
	"unicode"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/engine/internal/testmodel"
	"github.com/simdb/simdb/internal/keys"
	"github.com/simdb/simdb/internal/shingle"
	"github.com/simdb/simdb/internal/torture"
)

// ReadsBeside reports whether readers and a writer may open a store at the same time.
const ReadsBeside = runtime.GOOS != "windows"

// PairsOrError is PairRows for a search that may fail.
func PairsOrError(ctx context.Context, s *engine.Snapshot, q engine.Search) ([]string, error) {
	rows := []string{}
	r, err := s.Pairs(ctx, q)
	if err != nil {
		return nil, err
	}
	for p, err := range r.All {
		if err != nil {
			return nil, err
		}
		rows = append(rows, testmodel.RowString(q, p.A, p.B, p.Sim, p.Shared, p.Union))
	}
	return rows, nil
}

// The files of a store at "db".
const (
	StatePath = "db/STATE"
	LockPath  = "db/LOCK"
	LogDir    = "db/log"
	PebbleDir = "db/store"
)

// AnalysisOf returns the analysis of a collection with these settings.
func AnalysisOf(s api.Settings) shingle.Analysis {
	c, err := record.NewSchema(unicode.Version, 1, api.DefaultCollection, s)
	if err != nil {
		panic(err) // tests pass valid settings
	}
	return c.Analysis
}

// Options returns options of a store with small segments and little memory.
func Options(fs vfs.FS) *engine.Options {
	return WithHooks(&engine.Options{SegmentSets: 8, MemoryBytes: 1 << 20, CacheBytes: 1 << 16}, fs, 0)
}

// Sleepy makes a store sleep after each call.
func Sleepy(o *engine.Options) *engine.Options {
	o.Shared = &engine.Shared{CacheBytes: o.CacheBytes, MemoryBytes: o.MemoryBytes, Awake: -1}
	return o
}

// Open opens the store at "db".
func Open(t *testing.T, o *engine.Options) *engine.DB {
	t.Helper()
	db, err := engine.Open("db", o)
	if err != nil {
		t.Fatal(err)
	}
	return db
}

// Chosen reports whether to test a case, one in oneIn at random: there are more cases than time,
// and other seeds choose others.
func Chosen(rng *rand.Rand, oneIn, oneInShort int) bool {
	if torture.Short() {
		oneIn = oneInShort
	}
	return rng.IntN(oneIn) == 0
}

// WithoutRaces skips a test of many sequential calls under the race detector, which finds little
// there and takes eight times as long.
func WithoutRaces(t *testing.T) {
	t.Helper()
	if RaceEnabled {
		t.Skip("one call after the other, and many: not run under the race detector")
	}
}

// Settled waits until the builder is idle.
func Settled(t *testing.T, db *engine.DB) {
	t.Helper()
	if err := errors.Join(Inside(db).Use(), Inside(db).Maintain(context.Background())); err != nil {
		t.Fatal(err)
	}
	Inside(db).Unuse()
}

// SimilarRows returns the rows of Similar as text.
func SimilarRows(t *testing.T, s *engine.Snapshot, target api.Target, q engine.Search) []string {
	t.Helper()
	r, err := s.Similar(context.Background(), target, q)
	return testmodel.MatchRows(t, q, r, err)
}

// PairRows returns the rows of Pairs as text.
func PairRows(t *testing.T, s *engine.Snapshot, q engine.Search) []string {
	t.Helper()
	r, err := s.Pairs(context.Background(), q)
	return testmodel.PairRows(t, q, r, err)
}

// ClusterRows returns the rows of Clusters as text.
func ClusterRows(t *testing.T, s *engine.Snapshot, q engine.Search) []string {
	t.Helper()
	r, err := s.Clusters(context.Background(), q)
	out := []string{}
	for _, m := range testmodel.Collect(t, r, err) {
		out = append(out, fmt.Sprintf("%s %s %d", m.Cluster, m.ID, m.Size))
	}
	return out
}

// CheckClean fails the test if a check finds a problem. It skips the sample of answers, because
// the tests compare more answers themselves.
func CheckClean(t *testing.T, db *engine.DB, when string) {
	t.Helper()
	report, err := Check(db, context.Background(), nil, false)
	if err != nil {
		t.Fatalf("%s: check: %v", when, err)
	}
	if report.Found > 0 {
		t.Fatalf("%s: check found %d problems, first %+v", when, report.Found, report.Problems[0])
	}
}

// SameDocuments checks that the default collection contains exactly these documents, by id.
func SameDocuments(t *testing.T, db *engine.DB, want map[string]string) {
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

// FillTexts puts n documents with near duplicates and builds their postings.
func FillTexts(t *testing.T, db *engine.DB, n int) {
	t.Helper()
	g := &testmodel.Texts{Rng: rand.New(rand.NewPCG(7, 8))}
	for i := range n {
		if err := db.Put(context.Background(), api.Document{ID: fmt.Sprint("d", i), Text: g.Next()}); err != nil {
			t.Fatal(err)
		}
	}
	Settled(t, db)
}

// FirstKey returns the first collection with keys in a space; 0 if none.
func FirstKey(db *engine.DB, space keys.Space) (uint32, error) {
	var n uint32
	err := disk.Scan(Disk(db).Pebble(), keys.Of(space), func(key, _ []byte) error {
		numbers, _, err := keys.Numbers(key, 1)
		if err != nil {
			return err
		}
		n = numbers[0]
		return disk.ErrEnough
	})
	return n, err
}

// ModelOf returns the model of documents, given by id.
func ModelOf(settings api.Settings, texts map[string]string) *testmodel.Model {
	m := testmodel.NewModel(AnalysisOf(settings))
	for id, text := range texts {
		m.Put(id, text)
	}
	return m
}

// PairsPlan returns the plan of Pairs, and an error if a plan-only search has rows.
func PairsPlan(ctx context.Context, s *engine.Snapshot, q engine.Search) (*api.Plan, error) {
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
