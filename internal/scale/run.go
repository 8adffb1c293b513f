package scale

// Execution of tasks: a share of a stage, or all stages on this machine.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"golang.org/x/sync/errgroup"
)

// Progress receives the number of completed tasks of a stage. Calls do not overlap.
type Progress func(s Stage, done, tasks int)

// Share runs the given share of a stage's tasks, numbered from 0, one after another.
func (j *Job) Share(ctx context.Context, s Stage, share, shares int) error {
	tasks := j.Tasks(s)
	if tasks == 0 { // the number of join tasks is unknown before order
		return j.Run(ctx, s, 0)
	}
	for t := share; t < tasks; t += shares {
		if err := j.Run(ctx, s, t); err != nil {
			return err
		}
	}
	return nil
}

// forgetBroken removes the record of a damaged file that err names.
func (j *Job) forgetBroken(err error) error {
	if broken, ok := errors.AsType[*Broken](err); ok {
		return errors.Join(err, j.Forget(broken.Stage, broken.Task))
	}
	return err
}

// mostRepairs bounds the repairs of one run, so that it terminates on a disk that damages every
// write.
const mostRepairs = 100

// All runs all stages up to last with so many workers and skips completed tasks. It rewrites
// damaged files and passes them to repaired. progress and repaired receive one call at a time.
func (j *Job) All(ctx context.Context, last Stage, workers int, progress Progress, repaired func(*Broken)) error {
	if err := j.sweep(); err != nil {
		return err
	}
	for range mostRepairs {
		broken, err := j.stages(ctx, last, workers, progress)
		if len(broken) == 0 {
			return err
		}
		for _, b := range broken {
			repaired(b)
		}
		j.Refresh()
	}
	return fmt.Errorf("%d intermediate files were damaged: check the disk of %s", mostRepairs, j.dir)
}

// sweep removes the temporary files of killed tasks.
func (j *Job) sweep() error {
	for _, s := range Stages {
		left, err := filepath.Glob(filepath.Join(j.dir, string(s), tempPattern[1:]))
		if err != nil {
			return err
		}
		for _, path := range left {
			if err := os.Remove(path); err != nil {
				return err
			}
		}
	}
	return nil
}

// stages runs the stages in order until one finds damage.
func (j *Job) stages(ctx context.Context, last Stage, workers int, progress Progress) ([]*Broken, error) {
	for _, s := range Stages {
		if broken, err := j.stage(ctx, s, workers, progress); err != nil || s == last {
			return broken, err
		}
	}
	return nil, nil
}

// stage runs all tasks of a stage; the first error cancels the rest. It returns damaged files
// instead of errors, because after one has lost its record, other tasks fail for that reason
// alone.
func (j *Job) stage(ctx context.Context, s Stage, workers int, progress Progress) ([]*Broken, error) {
	group, running := errgroup.WithContext(ctx)
	group.SetLimit(max(workers, 1))
	var mu sync.Mutex
	done := 0
	var broken []*Broken
	for t := range j.Tasks(s) {
		group.Go(func() error {
			if err := running.Err(); err != nil {
				return err
			}
			err := j.Run(running, s, t)
			mu.Lock()
			defer mu.Unlock()
			if b, ok := errors.AsType[*Broken](err); ok {
				broken = append(broken, b)
			}
			if err == nil {
				done++
				progress(s, done, j.Tasks(s))
			}
			return err
		})
	}
	err := group.Wait()
	return broken, cmp.Or(err, ctx.Err())
}
