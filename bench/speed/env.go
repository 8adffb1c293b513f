package main

// This file has what all measurements share: the figures they note, the stores
// they use, and how a store is made if it is not there.

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/pprof"
	"slices"
	"strconv"
	"time"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/internal/corpus"
	"github.com/simdb/simdb/lab/corpora"
)

// figure is one measured number of one round. Several with equal names,
// documents and cores are rounds of one thing; the report takes their median.
type figure struct {
	Name      string  `json:"name"`
	Peer      string  `json:"peer,omitempty"`     // what was measured, if not simdb alone
	Question  string  `json:"question,omitempty"` // what peers were asked, if not what is at 0.8
	Documents int     `json:"documents,omitempty"`
	Cores     int     `json:"cores,omitempty"`
	Value     float64 `json:"value"`
	Unit      string  `json:"unit"`
	Note      string  `json:"note,omitempty"`
}

// env is what a measurement works with.
type env struct {
	dir     string // for stores and corpora, kept from one measurement to the next
	corpora string // real corpora; "" for none
	command string // the built command simdb; "" to import in this process
	n       int    // documents
	cores   int
	seed    uint64
	queries int
	small   bool // a test: one round, few of everything

	figures []figure
}

// add notes the value of one round.
func (e *env) add(name string, value float64, unit string, note ...any) {
	e.figures = append(e.figures, figure{Name: name, Documents: e.n, Cores: e.cores, Value: value, Unit: unit, Note: fmt.Sprint(note...)})
}

// rounds is how often something is done that takes about a second per 100,000
// documents.
func (e *env) rounds() int {
	switch {
	case e.small || e.n >= 1_000_000:
		return 1
	case e.n > 100_000:
		return 3
	}
	return 5
}

func (e *env) sizeDir(n int) string { return filepath.Join(e.dir, strconv.Itoa(n)) }

// corpusFile writes the generated corpus as JSONL, if it is not there.
func (e *env) corpusFile() (string, error) {
	name := filepath.Join(e.sizeDir(e.n), "corpus.jsonl")
	if _, err := os.Stat(name); err == nil {
		return name, nil
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return "", err
	}
	f, err := os.Create(name + ".part")
	if err != nil {
		return "", err
	}
	defer f.Close()
	if err := writeCorpus(f, e.seed, e.n, 0); err != nil {
		return "", err
	}
	if err := f.Close(); err != nil {
		return "", err
	}
	return name, os.Rename(name+".part", name)
}

// A kind of store differs from others in its settings or its documents.
type kind struct {
	name  string
	with  string // settings of the collection
	equal int    // so many equal documents among the others
}

var (
	byWord    = kind{name: "word"}
	byChar    = kind{name: "char", with: "unit = 'char', k = 5"}
	withEqual = kind{name: "equal", equal: 5000}
)

// store returns a store of the generated corpus, importing it if need be.
func (e *env) store(ctx context.Context, k kind) (string, error) {
	name := filepath.Join(e.sizeDir(e.n), k.name+".simdb")
	if _, err := os.Stat(name); err == nil {
		return name, nil
	}
	_, err := e.importInto(ctx, name, k)
	return name, err
}

// open opens that store.
func (e *env) open(ctx context.Context, k kind) (*simdb.DB, error) {
	store, err := e.store(ctx, k)
	if err != nil {
		return nil, err
	}
	return simdb.Open(store, &simdb.Options{MustExist: true})
}

// imported is what an import took.
type imported struct {
	took time.Duration
	peak int64 // bytes of memory, 0 where it is not known

	written int64 // bytes given to the disk, 0 where it is not known
}

// importInto imports the generated corpus with the command. Up to a million
// documents come from a file, more through a pipe as they are generated.
func (e *env) importInto(ctx context.Context, store string, k kind) (imported, error) {
	return e.importFrom(ctx, store, k, k.equal > 0 || e.n > million)
}

func (e *env) importFrom(ctx context.Context, store string, k kind, piped bool) (imported, error) {
	part := store + ".part"
	if err := os.RemoveAll(part); err != nil {
		return imported{}, err
	}
	if err := os.MkdirAll(filepath.Dir(store), 0o755); err != nil {
		return imported{}, err
	}
	if e.command == "" {
		return imported{}, e.importHere(ctx, store, k)
	}
	args := []string{"import", "--quiet", "--input-format", "jsonl"}
	if k.with != "" {
		args = append(args, "--with", k.with)
	}
	var source string
	if piped {
		source = "-"
	} else {
		var err error
		if source, err = e.corpusFile(); err != nil {
			return imported{}, err
		}
	}
	c := exec.CommandContext(ctx, e.command, append(args, part, source)...)
	c.Stderr = os.Stderr
	generated := make(chan error, 1)
	if piped {
		pipe, err := c.StdinPipe()
		if err != nil {
			return imported{}, err
		}
		go func() {
			err := writeCorpus(pipe, e.seed, e.n, k.equal)
			pipe.Close()
			generated <- err
		}()
	} else {
		generated <- nil
	}
	start := time.Now()
	if err := c.Run(); err != nil {
		return imported{}, fmt.Errorf("import: %w", err)
	}
	took := time.Since(start)
	if err := <-generated; err != nil {
		return imported{}, err
	}
	done := imported{took: took}
	done.peak, _ = peakMemory(c.ProcessState)
	done.written, _ = written(c.ProcessState)
	return done, os.Rename(part, store)
}

// importHere is importInto without the command.
func (e *env) importHere(ctx context.Context, store string, k kind) (err error) {
	db, err := simdb.Open(store, nil)
	if err != nil {
		return err
	}
	defer func() { err = closing(db, err) }()
	if k.with != "" {
		if err := execute(ctx, db, "CREATE COLLECTION docs WITH ("+k.with+")"); err != nil {
			return err
		}
	}
	return db.Load(ctx, batches(e.documents(k.equal)), nothing)
}

// closing closes what was opened; its error counts if there was none before.
func closing(c interface{ Close() error }, err error) error {
	if closed := c.Close(); err == nil {
		return closed
	}
	return err
}

func execute(ctx context.Context, db *simdb.DB, statement string) error {
	rows, err := db.Query(ctx, statement)
	if err != nil {
		return err
	}
	return rows.Close()
}

// ids returns the ids of count random documents, the same for the same seed.
func (e *env) ids(count int) []string {
	random := rand.New(rand.NewPCG(e.seed, uint64(e.n)))
	ids := make([]string, count)
	for i := range ids {
		ids[i] = corpus.At(e.seed, random.IntN(e.n)).ID
	}
	return ids
}

// realTexts reads a real corpus; none if the folder is not there.
func (e *env) realTexts(name string) ([]corpora.Doc, error) {
	if e.corpora == "" {
		return nil, nil
	}
	limit := 0
	if e.small {
		limit = e.n
	}
	return corpora.ReadJSONL(filepath.Join(e.corpora, name+".jsonl.gz"), limit)
}

// at returns the value that so many per cent of the ascending values do not
// exceed.
func at[T any](ascending []T, percent int) T {
	return ascending[min(len(ascending)*percent/100, len(ascending)-1)]
}

// median returns the middle one of some values, of two the greater.
func median[T int | int64 | float64 | time.Duration](values []T) T {
	return at(slices.Sorted(slices.Values(values)), 50)
}

func micros(d time.Duration) float64 { return float64(d) / 1e3 }

// profile starts a CPU profile in the folder; without one it does nothing.
func profile(dir, name string) (stop func() error, err error) {
	if dir == "" {
		return func() error { return nil }, nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	f, err := os.Create(filepath.Join(dir, name))
	if err != nil {
		return nil, err
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		return nil, closing(f, err)
	}
	return func() error {
		pprof.StopCPUProfile()
		return f.Close()
	}, nil
}
