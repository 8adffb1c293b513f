package scale

// Job: a work directory with its manifest and the records of completed tasks.

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

// Job is an open work directory. It is safe for concurrent use, also by several processes.
type Job struct {
	dir    string
	plan   Plan
	sum    uint64
	rule   rule
	source Source
	choose func(counters []uint32, sizes map[uint64]uint64) strategy // rule.choose, except in tests

	records sync.Map // by path, each a *Record
	inputs  sync.Map // results of reads, by the records of earlier stages
}

// Open opens a work directory. program is the version of this program; the plan must have the
// same.
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

// Tasks returns the number of tasks of a stage. For Join it is 0 until Order is complete, which
// determines it.
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

// Record is the proof of a completed task, in a file next to the result.
type Record struct {
	Plan    string           `json:"plan"` // sum of the manifest
	Stage   Stage            `json:"stage"`
	Task    int              `json:"task"`
	Inputs  string           `json:"inputs"` // sum over the sums of the files read
	Sum     string           `json:"sum"`    // of the file
	Size    int64            `json:"size"`
	Counts  map[string]int64 `json:"counts"`
	Rejects Rejects          `json:"rejects,omitzero"`
	Check   string           `json:"check"` // sum over the other fields
}

// check returns the checksum of the other fields.
func (r Record) check() string {
	r.Check = ""
	b, _ := json.Marshal(r) // cannot fail on plain fields
	return hex(xxhash.Sum64(b))
}

// hex returns a sum as 16 digits.
func hex(n uint64) string { return fmt.Sprintf("%016x", n) }

// path returns the path of a task's file.
func (j *Job) path(s Stage, task int, ending string) string {
	return filepath.Join(j.dir, string(s), fmt.Sprintf("%05d%s", task, ending))
}

// record returns the record of a completed task, or nil. It does not verify the bytes of the
// file.
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
		return nil, nil // damaged or of another plan: run the task again
	}
	j.records.Store(path, r)
	return r, nil
}

// reads returns the sum of a task's inputs, or an earlier stage that is incomplete in missing.
func (j *Job) reads(s Stage, task int) (sum string, missing Stage, err error) {
	key := string(s)
	if s == Deal { // reads only its own shard
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

// Done reports whether a task has completed on the current inputs and its file exists.
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

// open opens the file of a completed task.
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

// with calls do with the file of a completed task and keeps it open for the call.
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

// Forget removes the record of a task, so that the task runs again.
func (j *Job) Forget(s Stage, task int) error {
	j.Refresh()
	err := os.Remove(j.path(s, task, ".json"))
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return err
}

// Refresh drops cached records. Call it after another process may have run tasks.
func (j *Job) Refresh() {
	j.records.Clear()
	j.inputs.Clear()
}

// Run runs a task unless it is done. If it returns a *Broken, an intermediate file was damaged
// and has lost its record: run the task that writes it, then this one again.
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
		return j.forgetBroken(err)
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

// Count sums a count over the completed tasks of a stage.
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

// Rejects sums the rejected records of all inputs.
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
