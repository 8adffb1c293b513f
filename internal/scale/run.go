package scale

// Running of tasks: a share of a stage, or everything on this machine.

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

// Progress is told when a task is done, by one goroutine at a time.
type Progress func(s Stage, done, tasks int)

// Share runs the tasks of a stage that are of one of several shares, numbered from 0.
func (j *Job) Share(ctx context.Context, s Stage, share, shares int) error {
	tasks := j.Tasks(s)
	if tasks == 0 { // of join, and order is not done
		return j.Run(ctx, s, 0)
	}
	for t := share; t < tasks; t += shares {
		if err := j.Run(ctx, s, t); err != nil {
			return err
		}
	}
	return nil
}

// forgetting takes the record from a file that is damaged.
func (j *Job) forgetting(err error) error {
	if broken, ok := errors.AsType[*Broken](err); ok {
		return errors.Join(err, j.Forget(broken.Stage, broken.Task))
	}
	return err
}

// mostRepairs bounds how often a run makes damaged files again, so that it ends where the
// disk damages whatever is written.
const mostRepairs = 100

// All runs all stages up to last, with so many workers. What is done is left as it is.
// A file that turns out to be damaged is told to repaired, and made again.
func (j *Job) All(ctx context.Context, last Stage, workers int, told Progress, repaired func(*Broken)) error {
	if err := j.sweep(); err != nil {
		return err
	}
	for range mostRepairs {
		broken, err := j.stages(ctx, last, workers, told)
		if len(broken) == 0 {
			return err
		}
		for _, b := range broken {
			repaired(b)
		}
		j.Refresh()
	}
	return fmt.Errorf("%d intermediate files were damaged: look at the disk that %s is on", mostRepairs, j.dir)
}

// sweep removes what killed tasks have left.
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

func (j *Job) stages(ctx context.Context, last Stage, workers int, told Progress) ([]*Broken, error) {
	for _, s := range Stages {
		if broken, err := j.stage(ctx, s, workers, told); err != nil || s == last {
			return broken, err
		}
	}
	return nil, nil
}

// stage runs all tasks of a stage. The first error ends it. Where a task has found a
// damaged file, others may fail because the task that writes it is not done any more.
func (j *Job) stage(ctx context.Context, s Stage, workers int, told Progress) ([]*Broken, error) {
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
				told(s, done, j.Tasks(s))
			}
			return err
		})
	}
	err := group.Wait()
	return broken, cmp.Or(err, ctx.Err())
}
