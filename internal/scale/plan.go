package scale

// Manifest of a work directory: inputs and settings. It is written once; the records of tasks
// hold the progress.

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

// Version is the format version of a work directory. Other versions are refused.
const Version = 3

const manifestName = "manifest.json"

// Limits of the packed numbers of shards and sets.
const (
	maxShards = 1 << 16
	maxSets   = 1 << 24 // per shard
)

// Input is the input of one analyse task: a file, a byte range of a file of lines or of Parquet, or a store.
type Input struct {
	Path string `json:"path"`
	Size int64  `json:"size"`           // of the whole file when planned; 0 for a store
	Time int64  `json:"time,omitempty"` // modification time in nanoseconds since 1970
	From int64  `json:"from,omitempty"`
	To   int64  `json:"to,omitempty"` // end of the range; 0: end of the file
	Fields
}

// Fields are the fields of a record that contain its id and its text; empty for id and text.
type Fields struct {
	ID   string `json:"id_field,omitempty"`
	Text string `json:"text_field,omitempty"`
}

// Plan is the manifest. It determines all results.
type Plan struct {
	Version    int     `json:"version"`
	Program    string  `json:"program"` // version of simdb
	Unicode    string  `json:"unicode"` // version of the Unicode tables of the analysis
	Unit       string  `json:"unit"`
	K          int     `json:"k"`
	MinSim     string  `json:"min_sim"`
	Measure    string  `json:"measure"`
	SketchBits int     `json:"sketch_bits"` // binary logarithm of the number of counters
	Partitions int     `json:"partitions"`  // of ids
	Memory     int64   `json:"memory"`      // approximate bytes per task
	Inputs     []Input `json:"inputs"`
	Check      string  `json:"check"` // sum over the other fields; a changed threshold would otherwise pass as valid
}

// check returns the checksum of the other fields.
func (p Plan) check() string {
	p.Check = ""
	b, _ := json.Marshal(p) // cannot fail on plain fields
	return hex(xxhash.Sum64(b))
}

// Settings are the user's part of a plan. The zero value means the defaults of a collection and
// the threshold .5.
type Settings struct {
	Unit    string // "word", the default, or "char"
	K       int    // 0: 3 for words, 5 for characters
	MinSim  string // "" means 0.5
	Measure string // "jaccard", the default, or "containment"
	Memory  int64  // approximate bytes per task; 0 means 1 GiB
	Program string
}

// NewPlan checks settings and returns a plan. textBytes is the approximate text of the inputs,
// from which follow the numbers of counters and partitions.
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
	members := textBytes // an estimate: a word takes six bytes
	if p.Unit == text.Word.String() {
		members /= 6
	}
	p.SketchBits = min(max(bits.Len64(uint64(members)), 16), 23)
	p.Partitions = int(min(textBytes>>30+1, 4096))
	return p, nil
}

// rule is the parsed form of the settings: analysis of texts, formula and threshold.
type rule struct {
	analysis shingle.Analysis
	min      api.Threshold
	formula  measure.Formula
	directed bool // containment of the document with the smaller id in the other
}

// rule parses the settings of the plan.
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

// need returns the minimum number of members that two sets of these sizes share in a pair, in
// either direction. It may exceed a size, and then no such pair exists.
func (r rule) need(a, b uint64) uint64 {
	if r.directed {
		return max(r.min.Ceil(min(a, b)), 1)
	}
	return max(r.min.Overlap(a+b), 1)
}

// Make creates a work directory with its manifest. If there is one already, it must be equal.
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

// replace writes a file atomically: the name refers to the whole content or to the previous one.
func replace(path string, b []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+tempPattern)
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	return publish(f, path, err)
}

// publish closes a temporary file and renames it, or removes it after an error.
func publish(f *os.File, path string, err error) error {
	if err = cmp.Or(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}

// readPlan returns the manifest of a work directory with its checksum.
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
