package main

// This file runs peers in turn, each in a process of its own with limits to its
// time and memory, and collects their figures.

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// limits are what a peer may take.
type limits struct {
	time   time.Duration
	memory int64 // bytes
}

// figure is one measured number, as bench/speed reads it.
type figure struct {
	Name      string  `json:"name"`
	Peer      string  `json:"peer"`
	Question  string  `json:"question,omitempty"`
	Documents int     `json:"documents"`
	Cores     int     `json:"cores"`
	Value     float64 `json:"value"`
	Unit      string  `json:"unit"`
	Note      string  `json:"note,omitempty"`
}

type runner struct {
	options
	speed  string // the built command bench/speed
	raw    *os.File
	exact  *truth            // the answers to the inputs at hand; nil while there are none
	failed map[string]string // why a peer is not run again: at that many cores, or any
}

func newRunner(o options, speed string) (*runner, error) {
	raw, err := os.OpenFile(o.raw, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, err
	}
	return &runner{options: o, speed: speed, raw: raw, failed: map[string]string{}}, nil
}

// buildSpeed builds bench/speed, which makes the inputs and answers as simdb.
func buildSpeed(ctx context.Context, root, dir string) (string, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	binary := filepath.Join(dir, "speed")
	c := exec.CommandContext(ctx, "go", "build", "-o", binary, "./speed")
	c.Dir = filepath.Join(root, "bench")
	c.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := c.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build bench/speed: %w\n%s", err, out)
	}
	return binary, nil
}

// compare measures all peers on one input, in turn, round by round.
func (r *runner) compare(ctx context.Context, n int, w workload) error {
	in := filepath.Join(r.dir, fmt.Sprint(w.name, "-", n))
	defer os.RemoveAll(in)
	args := append([]string{"-export", in, "-n", strconv.Itoa(n)}, w.flags...)
	if out, err := exec.CommandContext(ctx, r.speed, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("inputs of %d: %w\n%s", n, err, out)
	}
	r.exact = nil
	if w.truth != nil {
		var err error
		if r.exact, err = w.truth(in); err != nil {
			return err
		}
	}
	for _, cores := range []int{1, 2} {
		for round := range r.rounds {
			for _, p := range w.peers {
				if !r.wanted(p) || p.serial && cores > 1 {
					continue
				}
				fmt.Fprintf(os.Stderr, "%-40s %8d %s, %d cores, round %d: ", p.name, n, w.name, cores, round+1)
				start := time.Now()
				figures, err := r.measure(ctx, w, p, in, n, cores, round)
				if err != nil {
					return err
				}
				fmt.Fprintf(os.Stderr, "%.1f s%s\n", time.Since(start).Seconds(), failure(figures))
				lines := json.NewEncoder(r.raw)
				for _, f := range figures {
					f.Peer, f.Question, f.Documents, f.Cores = p.name, w.question, n, cores
					if err := lines.Encode(f); err != nil {
						return err
					}
				}
			}
		}
	}
	return nil
}

// failure says why a peer failed, if it did.
func failure(figures []figure) string {
	for _, f := range figures {
		if f.Name == "failed" {
			return ", failed: " + f.Note
		}
	}
	return ""
}

// measure runs a peer and compares its answers with the exact ones. Where a
// workload has none beforehand, its first peer, simdb, gives them. That a peer
// fails is a figure; that simdb answers wrongly, an error.
func (r *runner) measure(ctx context.Context, w workload, p peer, in string, n, cores, round int) ([]figure, error) {
	id := w.name + ": " + p.name
	if why, ok := r.failed[id]; ok {
		if round > 0 {
			return nil, nil
		}
		return []figure{{Name: "failed", Note: why}}, nil
	}
	out := filepath.Join(in, p.name)
	defer os.RemoveAll(out)
	if err := os.MkdirAll(out, 0o755); err != nil {
		return nil, err
	}
	figures, err := r.start(ctx, p.command(r, in, out), cores)
	gives := w.truth == nil && p.name == w.peers[0].name
	if err == nil && gives {
		r.exact, err = readTruth(in, out, p.answers)
	}
	if err != nil {
		if gives || ctx.Err() != nil {
			return nil, err
		}
		r.failed[id] = fmt.Sprintf("%v (%d documents, %d cores)", err, n, cores)
		return []figure{{Name: "failed", Note: r.failed[id]}}, nil
	}
	for _, a := range p.answers {
		recall, precision, err := r.exact.compare(a, filepath.Join(out, a.file))
		if err != nil {
			return append(figures, figure{Name: "failed", Note: err.Error()}), nil
		}
		if p.isSimdb() && (recall < 1 || precision < 1) {
			return nil, fmt.Errorf("%s answers %q with a recall of %v and a precision of %v", p.name, a.what, recall, precision)
		}
		figures = append(figures, figure{Name: a.what + " recall", Value: recall}, figure{Name: a.what + " precision", Value: precision})
	}
	return figures, nil
}

// start runs a command on so many cores and reads the figures it prints.
func (r *runner) start(ctx context.Context, args []string, cores int) (figures []figure, err error) {
	ctx, cancel := context.WithTimeout(ctx, r.limits.time)
	defer cancel()
	if taskset, err := exec.LookPath("taskset"); err == nil && cores == 1 {
		args = append([]string{taskset, "-c", "0"}, args...)
	}
	var stdout, stderr bytes.Buffer
	c := exec.CommandContext(ctx, args[0], args[1:]...)
	c.Stdout, c.Stderr = &stdout, &stderr
	c.Env = os.Environ()
	for _, v := range []string{"GOMAXPROCS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "RAYON_NUM_THREADS"} {
		c.Env = append(c.Env, v+"="+strconv.Itoa(cores))
	}
	// A peer that starts others, as PostgreSQL does, is told before it is killed.
	c.Cancel = func() error { return c.Process.Signal(syscall.SIGTERM) }
	c.WaitDelay = 20 * time.Second
	if err := c.Start(); err != nil {
		return nil, err
	}
	tooMuch := make(chan bool, 1)
	watched, stop := context.WithCancel(ctx)
	go func() { tooMuch <- watch(watched, c.Process, r.limits.memory) }()
	err = c.Wait()
	stop()
	switch {
	case <-tooMuch:
		return nil, fmt.Errorf("held more than %.0f GB of memory", float64(r.limits.memory)/1e9)
	case ctx.Err() == context.DeadlineExceeded:
		return nil, fmt.Errorf("took longer than %v", r.limits.time)
	case err != nil:
		return nil, fmt.Errorf("%w: %s", err, lastLine(stderr.String()))
	}
	for lines := json.NewDecoder(&stdout); ; {
		var f figure
		if err := lines.Decode(&f); err == io.EOF {
			break
		} else if err != nil {
			return nil, err
		}
		figures = append(figures, f)
	}
	if !slices.ContainsFunc(figures, func(f figure) bool { return f.Name == "peak memory" }) {
		if usage, ok := c.ProcessState.SysUsage().(*syscall.Rusage); ok {
			figures = append(figures, figure{Name: "peak memory", Value: float64(usage.Maxrss) * 1024 / 1e6, Unit: "MB"})
		}
	}
	return figures, nil
}

// watch ends a process that holds too much memory, and tells whether it did.
func watch(ctx context.Context, p *os.Process, most int64) bool {
	for tick := time.NewTicker(200 * time.Millisecond); ; {
		select {
		case <-ctx.Done():
			tick.Stop()
			return false
		case <-tick.C:
		}
		if status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.Pid)); err == nil && resident(string(status)) > most {
			p.Signal(syscall.SIGTERM)
			return true
		}
	}
}

// resident reads the bytes that a process holds from its status.
func resident(status string) int64 {
	_, value, _ := strings.Cut(status, "VmRSS:")
	var kB int64
	fmt.Sscan(value, &kB)
	return kB * 1024
}

func lastLine(s string) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	return lines[len(lines)-1]
}
