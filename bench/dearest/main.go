// Command dearest searches for the statements that cost a server most. It makes a store of real
// and adversarial texts, sends statements to the handler of simdb serve with its default limits,
// and mutates them. For each class it keeps the statements with the most CPU time, the highest
// peak of the heap, and the latest end after the time limit.
//
//	go -C bench run ./dearest [-time 10m] [-seed N] [-limit 10s] [-only REGEXP] [-late FILE] STORE
//
// STORE is made if it does not exist, from nsf.jsonl.gz in SIMDB_CORPORA.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"runtime/debug"
	"time"

	"github.com/simdb/simdb"
	_ "github.com/simdb/simdb/code"
	"github.com/simdb/simdb/internal/slack"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "dearest:", err)
		os.Exit(1)
	}
}

// besideMemory is the number of bytes by which the soft limit of the command exceeds --memory.
const besideMemory = 48 << 20

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("dearest", flag.ContinueOnError)
	most := flags.Duration("time", 10*time.Minute, "duration of the search")
	seed := flags.Uint64("seed", 1, "seed of the search")
	limit := flags.Duration("limit", 10*time.Second, "time limit of a statement; the default of simdb serve is 1m")
	only := flags.String("only", "", "only the classes whose names match this regular expression")
	late := flags.String("late", "", "file for the stacks of statements that run on after their time limit")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() != 1 {
		return errors.New("want one STORE")
	}
	if err := fill(ctx, flags.Arg(0)); err != nil {
		return err
	}
	debug.SetTraceback("all") // of a statement that does not end
	memory := simdb.DefaultMemoryBytes()
	defer slack.Bound(memory + besideMemory)()
	t, err := newTrials(ctx, flags.Arg(0), memory, *limit, *late)
	if err != nil {
		return err
	}
	names, err := regexp.Compile(*only)
	if err != nil {
		return err
	}
	var chosen []class
	for _, c := range classes {
		if names.MatchString(c.name) {
			chosen = append(chosen, c)
		}
	}
	h := newHunt(*seed, chosen)
	err = h.climb(ctx, t, time.Now().Add(*most))
	h.print(out)
	return errors.Join(err, t.close())
}
