package scale

// The manifest of a work directory: what is read, and how. It is written once. What is done
// stands in the records of the tasks.

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/bits"
	"os"
	"path/filepath"
	"unicode"

	"github.com/cespare/xxhash/v2"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/shingle"
	"github.com/simdb/simdb/internal/text"
)

// Version of the files in a work directory. Another version's are not read.
const Version = 3

const manifestName = "manifest.json"

// The limits that numbers of shards and sets are packed for.
const (
	maxShards = 1 << 16
	maxSets   = 1 << 24 // in a shard
)

// Input is a part of what is read, for one task: a file, some bytes of a file of lines, or
// a store.
type Input struct {
	Path string `json:"path"`
	Size int64  `json:"size"`           // of the whole file as it was planned; 0 for a store
	Time int64  `json:"time,omitempty"` // of its last change, in nanoseconds
	From int64  `json:"from,omitempty"`
	To   int64  `json:"to,omitempty"` // 0: all of it
}

// Plan is the manifest.
type Plan struct {
	Version    int     `json:"version"`
	Program    string  `json:"program"` // the version of simdb
	Unicode    string  `json:"unicode"` // of the tables that texts are read with
	Unit       string  `json:"unit"`
	K          int     `json:"k"`
	MinSim     string  `json:"min_sim"`
	Measure    string  `json:"measure"`
	SketchBits int     `json:"sketch_bits"` // log2 of the number of counters
	Partitions int     `json:"partitions"`  // of ids
	Memory     int64   `json:"memory"`      // bytes that a task takes, roughly
	Inputs     []Input `json:"inputs"`
	Check      string  `json:"check"` // sum of all this: another threshold is a good one, too
}

func (p Plan) check() string {
	p.Check = ""
	b, _ := json.Marshal(p) // plain fields
	return hex(xxhash.Sum64(b))
}

// Settings are what the user says of a plan. The zero value has the defaults of a
// collection, at the threshold .5.
type Settings struct {
	Unit    string // word (also "") or char
	K       int    // 0: 3 words, 5 characters
	MinSim  string // "": 0.5
	Measure string // jaccard (also "") or containment
	Memory  int64  // of a task, roughly; 0: 1 GiB
	Program string
}

// NewPlan checks the settings. textBytes is about how much text the inputs hold: the
// numbers of counters and partitions follow from it.
func NewPlan(s Settings, inputs []Input, textBytes int64) (Plan, error) {
	p := Plan{
		Version: Version, Program: s.Program, Unicode: unicode.Version,
		Unit: cmp.Or(s.Unit, text.Word.String()), K: s.K, MinSim: cmp.Or(s.MinSim, "0.5"),
		Measure: cmp.Or(s.Measure, api.Jaccard.String()), Memory: cmp.Or(s.Memory, 1<<30), Inputs: inputs,
	}
	p.K = cmp.Or(p.K, map[string]int{text.Word.String(): 3, text.Char.String(): 5}[p.Unit])
	r, err := p.rule()
	if err != nil {
		return p, err
	}
	if len(inputs) == 0 || len(inputs) > maxShards {
		return p, fmt.Errorf("%d parts of the input: want 1 to %d", len(inputs), maxShards)
	}
	p.MinSim = r.min.String()
	members := textBytes // about; a word has six bytes
	if p.Unit == text.Word.String() {
		members /= 6
	}
	p.SketchBits = min(max(bits.Len64(uint64(members)), 16), 23)
	p.Partitions = int(min(textBytes>>30+1, 4096))
	return p, nil
}

// rule is what pairs are looked for, and how texts are read.
type rule struct {
	analysis shingle.Analysis
	min      api.Threshold
	formula  measure.Formula
	directed bool // containment of the document with the smaller id
}

func (p Plan) rule() (r rule, err error) {
	unit, err := text.ParseUnit(p.Unit)
	if err != nil || unit == text.Own {
		return r, fmt.Errorf("unit %q: want word or char", p.Unit)
	}
	r.analysis = shingle.Analysis{Unit: unit, K: p.K}
	if err = r.analysis.Validate(); err != nil {
		return r, err
	}
	if r.min, err = api.ParseThreshold(p.MinSim); err != nil {
		return r, err
	}
	if r.min.Cmp(api.Ratio(1, 10)) < 0 {
		return r, fmt.Errorf("min_sim = %s: want at least 0.1", p.MinSim)
	}
	m, ok := api.ParseMeasure(p.Measure)
	if !ok || m != api.Jaccard && m != api.ContainmentOfQuery {
		return r, fmt.Errorf("measure %q: want jaccard or containment", p.Measure)
	}
	r.formula, r.directed = measure.FormulaOf(m, api.Args{}), m != api.Jaccard
	return r, nil
}

// need returns how many members two sets of these sizes share at least if they are a pair,
// whichever of them is the query. It may be more than a set has.
func (r rule) need(a, b uint64) uint64 {
	if r.directed {
		return max(r.min.Ceil(min(a, b)), 1)
	}
	return max(r.min.Overlap(a+b), 1)
}

// Make writes the manifest of a work directory, which is made if it is not there. If it has
// one, it must be the same.
func Make(dir string, p Plan) error {
	p.Check = p.check()
	b, err := json.MarshalIndent(p, "", " ")
	if err != nil {
		return err
	}
	b = append(b, '\n')
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	path := filepath.Join(dir, manifestName)
	old, err := os.ReadFile(path)
	switch {
	case err == nil && string(old) == string(b):
		return nil
	case err == nil:
		return fmt.Errorf("%s has been made for other inputs, settings or another version: see its %s, or name another directory", dir, manifestName)
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	return replace(path, b)
}

// replace writes a file so that its name has all of it or nothing.
func replace(path string, b []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+tempPattern)
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	return named(f, path, err)
}

// named closes a file and gives it its name. After an error it removes it.
func named(f *os.File, path string, err error) error {
	if err = cmp.Or(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}

// readPlan returns the manifest of a work directory, and the sum that stands for it.
func readPlan(dir, program string) (p Plan, sum uint64, err error) {
	b, err := os.ReadFile(filepath.Join(dir, manifestName))
	if err != nil {
		return p, 0, err
	}
	if err := json.Unmarshal(b, &p); err != nil {
		return p, 0, fmt.Errorf("%s: %w", filepath.Join(dir, manifestName), err)
	}
	if p.Version != Version || p.Program != program || p.Unicode != unicode.Version {
		return p, 0, fmt.Errorf("%s was made by simdb %s (files of version %d, Unicode %s), and this is %s (%d, %s): all tasks need the same program",
			dir, p.Program, p.Version, p.Unicode, program, Version, unicode.Version)
	}
	if p.Check != p.check() {
		return p, 0, fmt.Errorf("%s was changed or is damaged: name another directory", filepath.Join(dir, manifestName))
	}
	return p, xxhash.Sum64(b), nil
}
