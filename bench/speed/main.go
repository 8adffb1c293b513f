// Command speed measures simdb: how fast it is, how much memory and disk it
// takes, and how both grow with the number of documents.
//
//	go -C bench run ./speed [-n 10000,100000,…] [-only search,pairs,…] [-raw FILE]
//	go -C bench run ./speed -report . [-raw FILE]
//	go -C bench run ./speed -export DIR -n 10000 [-fingerprints]
//	go -C bench run ./speed -peer DIR [-answers DIR] [-fingerprints | -containment]
//
// Each measurement runs in a process of its own, so that its peak memory is its
// own, and appends its figures to a file of JSON lines, one for each round. The
// report takes medians of them, compares them with what simdb aims at, and
// writes RESULTS.md with the CSV files of its figures. A wrong answer ends the
// run. -export writes the inputs that the peers of bench/peers get, and -peer
// answers as they do.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "speed:", err)
		os.Exit(1)
	}
}

// options are the flags of the command.
type options struct {
	sizes   []int
	only    []string
	raw     string
	report  string
	export  string
	peer    asked
	child   string
	profile string
	keep    bool
	limit   time.Duration
	hashes  bool
	env     env
}

func parse(args []string) (o options, err error) {
	flags := flag.NewFlagSet("speed", flag.ContinueOnError)
	n := flags.String("n", "10000,30000,100000,300000,1000000", "numbers of documents")
	only := flags.String("only", "", "measure only these, of "+strings.Join(names(), ", "))
	flags.StringVar(&o.raw, "raw", "speed/raw.jsonl", "file that the figures are appended to, and reported from")
	flags.StringVar(&o.report, "report", "", "measure nothing, write the report to this folder")
	flags.StringVar(&o.export, "export", "", "measure nothing, write the inputs of the peers to this folder")
	flags.StringVar(&o.peer.dir, "peer", "", "answer as a peer does on the inputs in this folder")
	flags.StringVar(&o.peer.out, "answers", "", "with -peer: the folder for the answers; default simdb beside the inputs")
	flags.BoolVar(&o.peer.containment, "containment", false, "with -peer: search by containment of the query, and for the ten nearest")
	flags.BoolVar(&o.hashes, "fingerprints", false, "with -export and -peer: synthetic fingerprints instead of texts")
	flags.StringVar(&o.profile, "cpuprofile", "", "write a profile of each measurement to this folder")
	flags.DurationVar(&o.limit, "time", 3*time.Hour, "what a measurement may take at most; one that takes longer is ended and left out")
	flags.BoolVar(&o.keep, "keep", false, "keep the stores in -dir; they are used again")
	flags.StringVar(&o.env.dir, "dir", "", "folder for stores, on the disk to be measured; default a temporary one")
	flags.StringVar(&o.env.corpora, "corpora", os.Getenv("SIMDB_CORPORA"), "folder with linuxdoc.jsonl.gz and nsf.jsonl.gz; without it they are left out")
	flags.Uint64Var(&o.env.seed, "seed", 1, "seed of the generated corpus and of the probes")
	flags.StringVar(&o.child, "child", "", "run this measurement in this process, with figures to standard output")
	flags.StringVar(&o.env.command, "command", "", "the built command simdb, for -child")
	flags.IntVar(&o.env.cores, "cores", 0, "the cores stated with the figures, for -child")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if o.peer.out == "" {
		o.peer.out = filepath.Join(o.peer.dir, "simdb")
	}
	for s := range strings.SplitSeq(*n, ",") {
		size, err := strconv.Atoi(s)
		if err != nil || size < 1 {
			return o, fmt.Errorf("-n %s: want positive numbers", *n)
		}
		o.sizes = append(o.sizes, size)
	}
	if *only != "" {
		o.only = strings.Split(*only, ",")
		for _, name := range o.only {
			if !slices.Contains(names(), name) {
				return o, fmt.Errorf("-only %s: there are %s", name, strings.Join(names(), ", "))
			}
		}
	}
	return o, nil
}

func run(ctx context.Context, args []string) error {
	o, err := parse(args)
	if err != nil {
		return err
	}
	o.env.n = o.sizes[0]
	switch {
	case o.child != "":
		return runChild(ctx, o)
	case o.report != "":
		return writeReport(o.raw, o.report)
	case o.export != "" && o.hashes:
		return exportFingerprints(o.export, o.env.seed, o.env.n)
	case o.peer.dir != "" && o.hashes:
		return answerByFingerprints(o.peer, os.Stdout)
	case o.export != "":
		return export(o.export, o.env.seed, o.env.n)
	case o.peer.dir != "":
		return answerAsPeer(ctx, o.peer, os.Stdout)
	}
	return measureAll(ctx, o)
}

// measureAll runs every measurement at its sizes and cores, smallest first.
func measureAll(ctx context.Context, o options) (err error) {
	if o.env.dir == "" {
		if o.env.dir, err = os.MkdirTemp("", "simdb-speed-"); err != nil {
			return err
		}
		defer os.RemoveAll(o.env.dir)
	} else if err := os.MkdirAll(o.env.dir, 0o755); err != nil {
		return err
	}
	if o.env.command, err = build(ctx, o.env.dir); err != nil {
		return err
	}
	raw, err := os.OpenFile(o.raw, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer raw.Close()
	if err := writeFigures(raw, machineFigures(ctx)); err != nil {
		return err
	}
	first := true
	for _, size := range o.sizes {
		if err := enoughDisk(o.env.dir, o.env.sizeDir(size), size); err != nil {
			return err
		}
		for _, m := range measurements {
			if len(o.only) > 0 && !slices.Contains(o.only, m.name) || !m.wants(size, first) {
				continue
			}
			for _, cores := range m.coresAt(size) {
				if err := runProcess(ctx, o, m.name, size, cores, raw); err != nil {
					return fmt.Errorf("%s, %d documents, %d cores: %w", m.name, size, cores, err)
				}
			}
		}
		first = false
		if !o.keep {
			if err := os.RemoveAll(o.env.sizeDir(size)); err != nil {
				return err
			}
		}
	}
	return raw.Close()
}

// build makes the command simdb in dir. The folder above is that of the module which has the command.
func build(ctx context.Context, dir string) (binary string, err error) {
	if binary, err = filepath.Abs(filepath.Join(dir, "simdb")); err != nil {
		return "", err
	}
	build := exec.CommandContext(ctx, "go", "-C", "..", "build", "-o", binary, "./cmd/simdb")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build simdb: %w\n%s", err, out)
	}
	return binary, nil
}

// runProcess measures in a process of its own, on so many cores. The figures
// count only if it ends well.
func runProcess(ctx context.Context, o options, name string, n, cores int, raw io.Writer) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	args := []string{self, "-child", name, "-n", strconv.Itoa(n), "-cores", strconv.Itoa(cores), "-dir", o.env.dir,
		"-command", o.env.command, "-corpora", o.env.corpora, "-seed", strconv.FormatUint(o.env.seed, 10), "-cpuprofile", o.profile}
	if taskset, err := exec.LookPath("taskset"); err == nil && cores == 1 {
		args = append([]string{taskset, "-c", "0"}, args...)
	}
	var out bytes.Buffer
	limited, cancel := context.WithTimeout(ctx, o.limit)
	defer cancel()
	c := exec.CommandContext(limited, args[0], args[1:]...)
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) } // it ends what it started
	c.WaitDelay = 20 * time.Second
	c.Env = append(os.Environ(), "GOMAXPROCS="+strconv.Itoa(cores))
	c.Stdout, c.Stderr = &out, os.Stderr
	start := time.Now()
	fmt.Fprintf(os.Stderr, "%-12s %9d documents, %d cores ", name, n, cores)
	if err := c.Run(); err != nil {
		if ctx.Err() == nil && limited.Err() != nil {
			fmt.Fprintf(os.Stderr, "left out: it took longer than %v\n", o.limit)
			return nil
		}
		fmt.Fprintln(os.Stderr)
		return err
	}
	fmt.Fprintf(os.Stderr, "%7.1f s\n", time.Since(start).Seconds())
	_, err = raw.Write(out.Bytes())
	return err
}

// runChild is the other side of runProcess.
func runChild(ctx context.Context, o options) error {
	m, ok := find(o.child)
	if !ok {
		return errors.New("no measurement " + o.child)
	}
	stop, err := profile(o.profile, fmt.Sprintf("%s-%d-%d.prof", m.name, o.env.n, o.env.cores))
	if err != nil {
		return err
	}
	o.env.queries = 2000
	if err := m.run(ctx, &o.env); err != nil {
		return err
	}
	if err := stop(); err != nil {
		return err
	}
	return writeFigures(os.Stdout, o.env.figures)
}

func writeFigures(w io.Writer, figures []figure) error {
	lines := json.NewEncoder(w)
	for _, f := range figures {
		if err := lines.Encode(f); err != nil {
			return err
		}
	}
	return nil
}
