// What many tests of the engine use: stores in memory, their documents and
// files, and the answers as rows that can be compared.

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

// ReadsBeside is false where a reader excludes a writer.
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

// AnalysisOf is how a collection of these settings reads its texts.
func AnalysisOf(s api.Settings) shingle.Analysis {
	c, err := record.NewSchema(unicode.Version, 1, api.DefaultCollection, s)
	if err != nil {
		panic(err) // they are good
	}
	return c.Analysis
}

// Options are those of a store with small segments and little memory.
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

// Chosen says of one case in so many that it is tested: there are more than there is time
// for, and other seeds choose others.
func Chosen(rng *rand.Rand, oneIn, oneInShort int) bool {
	if torture.Short() {
		oneIn = oneInShort
	}
	return rng.IntN(oneIn) == 0
}

// WithoutRaces skips a test whose calls come one after the other, and many, under the race
// detector, which has little to find there and takes eight times as long.
func WithoutRaces(t *testing.T) {
	t.Helper()
	if RaceEnabled {
		t.Skip("one call after the other, and many: not run under the race detector")
	}
}

// Settled waits until the builder has nothing left to do.
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

// CheckClean leaves out the sample of answers: the tests compare more than that by themselves.
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

// SameDocuments checks that docs has just these documents, given by id.
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

// FirstKey returns the first collection that has keys in a space; 0 if none has.
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

// ModelOf is the model of documents, given by id.
func ModelOf(settings api.Settings, texts map[string]string) *testmodel.Model {
	m := testmodel.NewModel(AnalysisOf(settings))
	for id, text := range texts {
		m.Put(id, text)
	}
	return m
}

// PairsPlan says how Pairs would go, and that it then has no rows.
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
