package scale

// A job: a work directory with its manifest and the records of the tasks that are done.

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/cespare/xxhash/v2"
)

// Job is a work directory. It can be used from several goroutines.
type Job struct {
	dir    string
	plan   Plan
	sum    uint64
	rule   rule
	source Source
	choose func(counters []uint32, sizes map[uint64]uint64) strategy // the rule's, but in tests

	records sync.Map // by path, each a *Record as it was read
	inputs  sync.Map // what a task reads, a string, by the records of stages before
}

// Open opens a work directory. program is the version of this program.
func Open(dir, program string, source Source) (*Job, error) {
	p, sum, err := readPlan(dir, program)
	if err != nil {
		return nil, err
	}
	j := &Job{dir: dir, plan: p, sum: sum, source: source}
	j.rule, err = p.rule()
	j.choose = j.rule.choose
	return j, err
}

// Plan returns the manifest.
func (j *Job) Plan() Plan { return j.plan }

// Tasks returns how many tasks a stage has. Those of join are known after order: before that
// there are none.
func (j *Job) Tasks(s Stage) int {
	switch s {
	case Analyse, Deal:
		return len(j.plan.Inputs)
	case Order:
		return j.plan.Partitions
	case Join:
		r, err := j.record(Order, 0)
		if err != nil || r == nil {
			return 0
		}
		return int(r.Counts[countJoins])
	}
	return 1
}

// Record is what a task leaves beside its file when it is done.
type Record struct {
	Plan    string           `json:"plan"` // sum of the manifest
	Stage   Stage            `json:"stage"`
	Task    int              `json:"task"`
	Inputs  string           `json:"inputs"` // sum of the sums of what was read
	Sum     string           `json:"sum"`    // of the file
	Size    int64            `json:"size"`
	Counts  map[string]int64 `json:"counts"`
	Rejects Rejects          `json:"rejects,omitzero"`
	Check   string           `json:"check"` // sum of all this
}

func (r Record) check() string {
	r.Check = ""
	b, _ := json.Marshal(r) // plain fields
	return hex(xxhash.Sum64(b))
}

func hex(n uint64) string { return fmt.Sprintf("%016x", n) }

func (j *Job) path(s Stage, task int, ending string) string {
	return filepath.Join(j.dir, string(s), fmt.Sprintf("%05d%s", task, ending))
}

// record returns that of a task which is done, or nil. It does not look at the file's bytes.
func (j *Job) record(s Stage, task int) (*Record, error) {
	path := j.path(s, task, ".json")
	if r, ok := j.records.Load(path); ok {
		return r.(*Record), nil
	}
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	r := &Record{}
	if json.Unmarshal(b, r) != nil || r.Check != r.check() || r.Plan != hex(j.sum) || r.Stage != s || r.Task != task {
		return nil, nil // damaged, or of another plan: as if it was not there
	}
	j.records.Store(path, r)
	return r, nil
}

// reads returns the sum of what a task reads. missing is a stage before it that is not done.
func (j *Job) reads(s Stage, task int) (sum string, missing Stage, err error) {
	key := string(s)
	if s == Deal { // reads its own shard only
		key = fmt.Sprint(s, task)
	}
	if sum, ok := j.inputs.Load(key); ok {
		return sum.(string), "", nil
	}
	h := xxhash.New()
	for _, b := range s.before() {
		from, to := 0, j.Tasks(b)
		if s == Deal && b == Analyse {
			from, to = task, task+1
		}
		for t := from; t < to; t++ {
			r, err := j.record(b, t)
			if err != nil || r == nil {
				return "", b, err
			}
			h.WriteString(r.Sum)
		}
	}
	sum = hex(h.Sum64())
	j.inputs.Store(key, sum)
	return sum, "", nil
}

// Done reports whether a task has been done and has left its file.
func (j *Job) Done(s Stage, task int) (bool, error) {
	r, err := j.record(s, task)
	if err != nil || r == nil {
		return false, err
	}
	inputs, missing, err := j.reads(s, task)
	if err != nil || missing != "" || inputs != r.Inputs {
		return false, err
	}
	_, err = j.open(s, task)
	if _, ok := errors.AsType[*Broken](err); ok {
		return false, nil
	}
	return err == nil, err
}

// open opens the file of a task that is done.
func (j *Job) open(s Stage, task int) (*result, error) {
	r, err := j.record(s, task)
	if err != nil {
		return nil, err
	}
	of := Broken{Stage: s, Task: task, File: filepath.Join(string(s), fmt.Sprintf("%05d", task))}
	if r == nil {
		of.Why = "it has no record"
		return nil, &of
	}
	var sum uint64
	fmt.Sscanf(r.Sum, "%x", &sum)
	return openResult(j.path(s, task, ""), of, j.sum, sum, r.Size)
}

// each calls do with the files of all tasks of a stage.
func (j *Job) each(ctx context.Context, s Stage, do func(task int, r *result) error) error {
	for t := range j.Tasks(s) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := j.with(s, t, func(r *result) error { return do(t, r) }); err != nil {
			return err
		}
	}
	return nil
}

// with calls do with the file of a task that is done, which is kept open meanwhile.
func (j *Job) with(s Stage, task int, do func(r *result) error) error {
	r, err := j.open(s, task)
	if err != nil {
		return err
	}
	release, err := r.hold()
	if err != nil {
		return err
	}
	defer release()
	return do(r)
}

// Forget removes the record of a task, so that it is made again.
func (j *Job) Forget(s Stage, task int) error {
	j.Refresh()
	err := os.Remove(j.path(s, task, ".json"))
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return err
}

// Refresh makes the job read the records again.
func (j *Job) Refresh() {
	j.records.Clear()
	j.inputs.Clear()
}

// Run does a task, unless it is done. An intermediate file that is damaged is a *Broken; it
// loses its record, so that its own task makes it again.
func (j *Job) Run(ctx context.Context, s Stage, task int) error {
	done, err := j.Done(s, task)
	if err != nil || done {
		return err
	}
	inputs, missing, err := j.reads(s, task)
	if err != nil {
		return err
	}
	if missing != "" {
		return fmt.Errorf("%s reads what %s writes, and not all of its tasks are done; run those first", s, missing)
	}
	o, err := newOutput(j.path(s, task, ""))
	if err != nil {
		return err
	}
	r := &Record{Plan: hex(j.sum), Stage: s, Task: task, Inputs: inputs, Counts: map[string]int64{}}
	work := map[Stage]func(context.Context, int, *output, *Record) error{
		Analyse: j.analyse, Order: j.order, Deal: j.deal, Join: j.join, Clusters: j.clusters,
	}[s]
	if err := work(ctx, task, o, r); err != nil {
		o.abandon()
		return j.forgetting(err)
	}
	sum, size, err := o.commit(j.path(s, task, ""), j.sum)
	if err != nil {
		return err
	}
	r.Sum, r.Size = hex(sum), size
	r.Check = r.check()
	b, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return err
	}
	if err := replace(j.path(s, task, ".json"), append(b, '\n')); err != nil {
		return err
	}
	j.records.Delete(j.path(s, task, ".json"))
	return nil
}

// Count sums a count over the tasks of a stage that are done.
func (j *Job) Count(s Stage, name string) (sum int64, err error) {
	for t := range j.Tasks(s) {
		r, err := j.record(s, t)
		if err != nil {
			return 0, err
		}
		if r != nil {
			sum += r.Counts[name]
		}
	}
	return sum, nil
}

// Rejects sums what the inputs have that is no document.
func (j *Job) Rejects() (sum Rejects, err error) {
	for t := range j.Tasks(Analyse) {
		r, err := j.record(Analyse, t)
		if err != nil {
			return sum, err
		}
		if r != nil {
			if sum.Count == 0 {
				sum.First = r.Rejects.First
			}
			sum.Count += r.Rejects.Count
		}
	}
	return sum, nil
}
