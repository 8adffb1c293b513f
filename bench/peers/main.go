// Command peers measures simdb beside what one would pick instead: the same
// inputs, in turn, each in a process of its own, on one core and on two.
//
//	go run . [-n 10000,100000] [-containment 10000,100000] [-fingerprints 1000000] [-rounds 3] [-only NAME,…] [-raw raw.jsonl]
//
// It is a module of its own, so that simdb does not depend on its peers. Those
// written in Python run in the environment that `make bench-peers` makes first.
// The exact answers at 0.8 are those of simdb; a sample of them is computed a
// second time by brute force, and so are all about containment and the nearest. A
// peer that fails, or takes more time or memory than it may, is reported so.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
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
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(1)
	}
}

type options struct {
	sizes, containment, fingerprints []int
	only                             []string
	rounds                           int
	raw, root, python                string
	dir                              string
	limits                           limits
}

func parse(args []string) (o options, self, in, out string, err error) {
	flags := flag.NewFlagSet("peers", flag.ContinueOnError)
	n := flags.String("n", "10000,100000", "numbers of documents; 0 for none")
	containment := flags.String("containment", "10000,100000", "numbers of documents searched by containment; 0 for none")
	fingerprints := flags.String("fingerprints", "1000000", "numbers of fingerprints; 0 for none")
	only := flags.String("only", "", "run only these beside simdb")
	flags.IntVar(&o.rounds, "rounds", 3, "how often everything is measured")
	flags.StringVar(&o.raw, "raw", "raw.jsonl", "file that the figures are appended to")
	flags.StringVar(&o.root, "root", "../..", "checkout of simdb")
	flags.StringVar(&o.python, "python", "venv/bin/python", "Python with the packages of requirements.txt")
	flags.StringVar(&o.dir, "dir", "", "folder for inputs and answers; default a temporary one")
	flags.DurationVar(&o.limits.time, "time", 15*time.Minute, "what a peer may take at most")
	flags.Int64Var(&o.limits.memory, "memory", 12e9, "bytes that a peer may hold at most")
	flags.StringVar(&self, "run", "", "be this peer: -run NAME INPUTS ANSWERS")
	if err := flags.Parse(args); err != nil {
		return o, "", "", "", err
	}
	if self != "" {
		if flags.NArg() != 2 {
			return o, "", "", "", fmt.Errorf("-run %s: want the folders of inputs and answers", self)
		}
		return o, self, flags.Arg(0), flags.Arg(1), nil
	}
	if o.sizes, err = numbers(*n); err != nil {
		return o, "", "", "", err
	}
	if o.containment, err = numbers(*containment); err != nil {
		return o, "", "", "", err
	}
	if o.fingerprints, err = numbers(*fingerprints); err != nil {
		return o, "", "", "", err
	}
	if *only != "" {
		o.only = strings.Split(*only, ",")
	}
	if o.python, err = filepath.Abs(o.python); err != nil {
		return o, "", "", "", err
	}
	return o, "", "", "", nil
}

// numbers reads a list; 0 stands for none.
func numbers(list string) (all []int, err error) {
	for s := range strings.SplitSeq(list, ",") {
		n, err := strconv.Atoi(s)
		if err != nil || n < 0 {
			return nil, fmt.Errorf("%s: want numbers", list)
		}
		if n > 0 {
			all = append(all, n)
		}
	}
	return all, nil
}

func run(ctx context.Context, args []string) error {
	o, self, in, out, err := parse(args)
	if err != nil {
		return err
	}
	switch self {
	case "":
	case "minhash-lsh":
		return runMinHashLSH(in, out)
	case "bleve":
		return runBleve(in, out)
	default:
		return fmt.Errorf("-run %s: no such peer", self)
	}
	if o.dir == "" {
		if o.dir, err = os.MkdirTemp("", "simdb-peers-"); err != nil {
			return err
		}
		defer os.RemoveAll(o.dir)
	}
	if o.dir, err = filepath.Abs(o.dir); err != nil {
		return err
	}
	speed, err := buildSpeed(ctx, o.root, o.dir)
	if err != nil {
		return err
	}
	r, err := newRunner(o, speed)
	if err != nil {
		return err
	}
	defer r.raw.Close()
	for _, n := range o.sizes {
		if err := r.compare(ctx, n, ofTexts); err != nil {
			return err
		}
	}
	for _, n := range o.containment {
		if err := r.compare(ctx, n, ofContainment); err != nil {
			return err
		}
	}
	for _, n := range o.fingerprints {
		if err := r.compare(ctx, n, ofFingerprints); err != nil {
			return err
		}
	}
	return r.raw.Close()
}

// wanted tells whether a peer is to run.
func (o options) wanted(p peer) bool {
	return len(o.only) == 0 || p.isSimdb() || slices.Contains(o.only, p.name)
}
