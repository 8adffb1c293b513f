// Command dedupe finds files of a folder whose texts are similar, and deletes some of
// them if it is told to:
//
//	dedupe [-min 0.9] [-delete] FOLDER
//
// Every file that goes is similar to one that stays, and no two that stay are similar.
// The longest stays; of equally long ones that of the first name.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/load"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "dedupe:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("dedupe", flag.ContinueOnError)
	least := flags.Float64("min", 0.9, "how similar a file is that goes, from 0 to 1")
	remove := flags.Bool("delete", false, "delete the files that go")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() != 1 {
		return fmt.Errorf("want a folder, found %d arguments", flags.NArg())
	}
	folder, err := os.OpenRoot(flags.Arg(0))
	if err != nil {
		return err
	}
	defer folder.Close()
	gone, err := duplicates(ctx, folder, *least, *remove, out)
	if err != nil {
		return err
	}
	what := "can go; -delete deletes them"
	if *remove {
		what = "are deleted"
	}
	fmt.Fprintf(out, "%d files %s\n", gone, what)
	return nil
}

// duplicates imports the folder into a store that lives as long as the call. It prints
// which files stay and which go, deletes those that go if it is told to, and counts them.
func duplicates(ctx context.Context, folder *os.Root, least float64, remove bool, out io.Writer) (gone int, err error) {
	dir, err := os.MkdirTemp("", "dedupe-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	db, err := simdb.Open(filepath.Join(dir, "texts.simdb"), nil)
	if err != nil {
		return 0, err
	}
	defer db.Close()
	_, err = load.Import(ctx, db, []string{folder.Name()}, api.ImportOptions{
		Format:   "text", // each file is one text, also one of JSON lines
		OnReject: func(r api.Reject) { fmt.Fprintf(out, "%s is left out: %s\n", r.Source, r.Reason) },
	})
	if err != nil {
		return 0, err
	}
	for d, err := range db.Dedupe(ctx, api.DedupeOptions{Keep: api.KeepLongest}, simdb.MinSim(least)) {
		if err != nil {
			return gone, err
		}
		// The id of a file that comes from a folder is its path in there.
		name := filepath.FromSlash(d.ID)
		if d.Keep {
			fmt.Fprintf(out, "%s stays\n", name)
			continue
		}
		fmt.Fprintf(out, "  %s goes: like %s\n", name, filepath.FromSlash(d.Like))
		gone++
		if remove {
			if err := folder.Remove(name); err != nil {
				return gone, err
			}
		}
	}
	return gone, nil
}
