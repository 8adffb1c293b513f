// Command checkin takes texts into a store, unless a similar one is there. Then it
// shows which, and the passages that both have:
//
//	checkin [-min 0.5] STORE FILE…
//
// It ends with 0 if all were taken in, with 1 if one was not, and with 2 if
// something went wrong; so a hook of a version control system can call it.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"strings"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	taken, err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, "checkin:", err)
		os.Exit(2)
	case !taken:
		os.Exit(1)
	}
}

// run reports whether all texts were taken in.
func run(ctx context.Context, args []string, out io.Writer) (taken bool, err error) {
	flags := flag.NewFlagSet("checkin", flag.ContinueOnError)
	least := flags.Float64("min", 0.5, "how similar a text may not be, from 0 to 1")
	if err := flags.Parse(args); err != nil {
		return false, err
	}
	if flags.NArg() < 2 {
		return false, fmt.Errorf("want a store and files, found %d arguments", flags.NArg())
	}
	db, err := simdb.Open(flags.Arg(0), nil)
	if err != nil {
		return false, err
	}
	defer func() {
		if e := db.Close(); err == nil {
			err = e
		}
	}()
	taken = true
	for _, name := range flags.Args()[1:] {
		text, err := os.ReadFile(name)
		if err != nil {
			return false, err
		}
		doc := api.Document{ID: name, Text: string(text)}
		// Looking and storing are one step. A new version of a document takes the
		// place of its older one, and is not held against it.
		var passages []api.Passage
		like, outcome, err := db.PutUnlessSimilar(ctx, doc, simdb.MinSim(*least), simdb.WithPassages(&passages))
		if err != nil {
			return false, fmt.Errorf("%s: %w", name, err)
		}
		if outcome != api.OutcomeRefused {
			fmt.Fprintf(out, "%s is taken in\n", name)
			continue
		}
		taken = false
		fmt.Fprintf(out, "%s is like %s: %d of %d shingles in common\n", name, like.ID, like.Shared, like.Union)
		if err := showPassages(ctx, db, doc, like.ID, passages, out); err != nil {
			return false, err
		}
	}
	return taken, nil
}

// showPassages prints where the same passages stand, as editors name places.
func showPassages(ctx context.Context, db *simdb.DB, doc api.Document, id string, passages []api.Passage, out io.Writer) error {
	stored, err := db.Get(ctx, "", id)
	if err != nil {
		return err
	}
	for _, p := range passages {
		fmt.Fprintf(out, "  %s:%d and %s:%d, %d characters: %s\n",
			doc.ID, lineOf(doc.Text, p.AStartByte), id, lineOf(stored.Text, p.BStartByte), p.Chars, firstWords(p.A))
	}
	return nil
}

func lineOf(text string, offset int) int { return 1 + strings.Count(text[:offset], "\n") }

// firstWords returns the beginning of a passage on one line, without what a
// terminal would obey.
func firstWords(passage string) string {
	words := strings.Fields(passage)
	if len(words) > 8 {
		words = append(words[:8], "…")
	}
	return strconv.Quote(strings.Join(words, " "))
}
