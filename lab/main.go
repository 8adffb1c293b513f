// Command lab repeats the experiments of the papers that simdb is made after, on texts that you name. The report goes to
// standard output, and as RESULTS.md with CSV files to the folder -out.
//
//	go -C lab run . si DIR|FILE.jsonl.gz          the 14 similarity indexes on a collection of texts
//	go -C lab run . plagiarism FILE.jsonl.gz      shingles and the Patricia tree on composed texts
//	go -C lab run . content DIR OUT               copies and changed variants of files, and which of them are found
//	go -C lab run . repetition CORPORA            prefix buckets with and without intervals of repetition
//	go -C lab run . measures CORPORA              the versions and relations that each measure finds
//	go -C lab run . edits FILE.jsonl.gz           what each measure sees of the same change
//	go -C lab run . halves CORPORA                what simdb evaluate recommends, given half of what is known
//	go -C lab run . plagiarise FILE.jsonl.gz      texts composed from paragraphs of others, with their sources
//
// README.md says what each reads and tells.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"strings"

	"github.com/simdb/simdb/internal/report"
	"github.com/simdb/simdb/lab/content"
	"github.com/simdb/simdb/lab/edits"
	"github.com/simdb/simdb/lab/halves"
	"github.com/simdb/simdb/lab/measures"
	"github.com/simdb/simdb/lab/plagiarism"
	"github.com/simdb/simdb/lab/repetition"
	"github.com/simdb/simdb/lab/si"
)

// run makes a report of what the arguments name.
type run func(ctx context.Context, args []string, o report.Options) (*report.Report, error)

// experiment is one of the experiments: it may have flags, and has as many arguments as args names.
type experiment struct {
	args  string
	begin func(*flag.FlagSet) run
}

var experiments = map[string]experiment{
	"si":         {"DIR|FILE.jsonl.gz", of(si.Run)},
	"plagiarism": {"FILE.jsonl.gz", of(plagiarism.Run)},
	"content":    {"DIR OUT", loading},
	"repetition": {"CORPORA", of(repetition.Run)},
	"measures":   {"CORPORA", of(measures.Run)},
	"edits":      {"FILE.jsonl.gz", of(edits.Run)},
	"halves":     {"CORPORA", of(halves.Run)},
	"plagiarise": {"FILE.jsonl.gz", plagiarising},
}

// of makes an experiment of one that reads a path and has no flags.
func of(do func(ctx context.Context, from string, o report.Options) (*report.Report, error)) func(*flag.FlagSet) run {
	return func(*flag.FlagSet) run {
		return func(ctx context.Context, args []string, o report.Options) (*report.Report, error) {
			return do(ctx, args[0], o)
		}
	}
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := command(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "lab:", err)
		os.Exit(1)
	}
}

// command runs the experiment that the first argument names. It makes the folder of the report first: an experiment takes
// minutes, and a folder that cannot be written is better reported before them.
func command(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	name := strings.Join(args[:min(len(args), 1)], "")
	e, ok := experiments[name]
	if !ok {
		return fmt.Errorf("there is no experiment %q; see go doc, or README.md", name)
	}
	flags := flag.NewFlagSet(name, flag.ContinueOnError)
	flags.SetOutput(stderr)
	out := flags.String("out", "lab-"+name, "folder for the results")
	do := e.begin(flags)
	if err := flags.Parse(args[1:]); err != nil {
		return err
	}
	if want := len(strings.Fields(e.args)); flags.NArg() != want {
		return fmt.Errorf("%d arguments, want lab %s [flags] %s", flags.NArg(), name, e.args)
	}
	if _, err := os.Stat(flags.Arg(0)); err != nil {
		return fmt.Errorf("cannot read %s (%w); name the path that holds the texts of the experiment", flags.Arg(0), errors.Unwrap(err))
	}
	if err := os.MkdirAll(*out, 0o755); err != nil {
		return err
	}
	progress := func(format string, args ...any) {
		if isTerminal(stderr) {
			fmt.Fprintf(stderr, "\r\x1b[K"+format, args...) // over the step before
		}
	}
	r, err := do(ctx, flags.Args(), report.Options{Out: *out, Progress: progress})
	if err == nil {
		err = r.Write(*out)
	}
	if err == nil {
		_, err = io.WriteString(stdout, r.Markdown())
	}
	return err
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// loading is the experiment content.
func loading(f *flag.FlagSet) run {
	var l content.Loader
	f.Func("percent", "how many per cent to delete and insert, after commas (default 1,5,10,25)", func(list string) error {
		for part := range strings.SplitSeq(list, ",") {
			n, err := strconv.Atoi(part)
			if err != nil || n < 1 || n > 100 {
				return fmt.Errorf("%q is not from 1 to 100", part)
			}
			l.Percents = append(l.Percents, n)
		}
		return nil
	})
	f.BoolVar(&l.Pack, "pack", false, "also take each text compressed, as NAME.gz")
	f.BoolVar(&l.Force, "force", false, "write into a folder that is not empty")
	return func(ctx context.Context, args []string, o report.Options) (*report.Report, error) {
		l.OnLeftOut = func(name, why string) { o.Progressf("left out %q: %s", name, why) }
		if err := l.Load(ctx, args[0], args[1], o); err != nil {
			return nil, err
		}
		return content.Results(ctx, args[1], o)
	}
}

// plagiarising keeps texts composed from others, with the truth about them.
func plagiarising(f *flag.FlagSet) run {
	var g plagiarism.Generator
	whole := func(name string, to *int, byDefault, low, high int, usage string) {
		*to = byDefault
		f.Func(name, fmt.Sprintf("%s (default %d)", usage, byDefault), func(s string) (err error) {
			if *to, err = strconv.Atoi(s); err != nil || *to < low || *to > high {
				err = fmt.Errorf("%s is not from %d to %d", s, low, high)
			}
			return err
		})
	}
	whole("texts", &g.Texts, 100, 1, 1_000_000, "how many texts to compose")
	whole("sources", &g.Sources, 3, 1, 100, "sources of each text")
	whole("terms", &g.Terms, 300, 1, 1_000_000, "terms of each text, about: paragraphs stay whole")
	whole("replace", &g.Replace, 0, 0, 100, "per cent of the words that other words of the text replace")
	f.Uint64Var(&g.Seed, "seed", 1, "draw by this seed")
	f.BoolVar(&g.Force, "force", false, "write over plagiarised texts that are there")
	return func(ctx context.Context, args []string, o report.Options) (*report.Report, error) {
		return g.Keep(ctx, args[0], o)
	}
}
