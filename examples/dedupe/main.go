// Command dedupe finds texts of a folder that are nearly the same, and deletes all
// but one of each group if it is told to:
//
//	dedupe [-min 0.9] [-delete] FOLDER
//
// The longest file of a group stays; of equally long ones that of the first name.
package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"

	"github.com/simdb/simdb"
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
	least := flags.Float64("min", 0.9, "how similar the texts of a group are, from 0 to 1")
	remove := flags.Bool("delete", false, "delete all but one of each group")
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
	groups, err := groupsOf(ctx, folder, *least, out)
	if err != nil {
		return err
	}
	gone := 0
	for _, group := range groups {
		fmt.Fprintf(out, "%s stays\n", group[0].name)
		for _, f := range group[1:] {
			fmt.Fprintf(out, "  %s goes\n", f.name)
			gone++
			if *remove {
				if err := folder.Remove(f.name); err != nil {
					return err
				}
			}
		}
	}
	what := "can go; -delete deletes them"
	if *remove {
		what = "are deleted"
	}
	fmt.Fprintf(out, "%d files %s\n", gone, what)
	return nil
}

// file is a text of a group.
type file struct {
	name string
	size int64
}

// groupsOf imports the folder into a store that lives as long as the call, and
// returns the groups that similar pairs tie together, each with the file that stays
// at its head.
func groupsOf(ctx context.Context, folder *os.Root, least float64, out io.Writer) (groups [][]file, err error) {
	dir, err := os.MkdirTemp("", "dedupe-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	db, err := simdb.Open(filepath.Join(dir, "texts.simdb"), nil)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	stats, err := db.Import(ctx, []string{folder.Name()}, simdb.ImportOptions{
		Format:   "text", // each file is one text, also one of JSON lines
		OnReject: func(r simdb.Reject) { fmt.Fprintf(out, "%s is left out: %s\n", r.Source, r.Reason) },
	})
	if err != nil || stats.Imported == 0 {
		return nil, err
	}
	last := ""
	for m, err := range db.Clusters(ctx, simdb.MinSim(least)) {
		if err != nil {
			return nil, err
		}
		if len(groups) == 0 || m.Cluster != last {
			groups, last = append(groups, nil), m.Cluster
		}
		// The id of a file that comes from a folder is its path in there.
		name := filepath.FromSlash(m.ID)
		info, err := folder.Lstat(name)
		if err != nil {
			return nil, err
		}
		g := &groups[len(groups)-1]
		*g = append(*g, file{name, info.Size()})
	}
	for _, g := range groups {
		slices.SortFunc(g, func(a, b file) int {
			return cmp.Or(cmp.Compare(b.size, a.size), cmp.Compare(a.name, b.name))
		})
	}
	return groups, nil
}
