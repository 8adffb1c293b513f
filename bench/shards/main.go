// Command shards measures what a search costs in several stores that are asked together, beside one
// store with all documents. In come texts, out goes a table in Markdown.
//
//	go -C bench run ./shards [-stores 4] [-queries 200] [-seed 1] CORPUS.jsonl[.gz]
//
// The documents are dealt to the stores in turn. Stored documents, drawn at random, are looked
// for in both by turns; each answer is compared, and a difference ends the run.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/lab/corpora"
)

func main() {
	stores := flag.Int("stores", 4, "how many stores the documents are dealt to")
	queries := flag.Int("queries", 200, "searches of each kind")
	seed := flag.Uint64("seed", 1, "seed of what is drawn")
	flag.Parse()
	if flag.NArg() != 1 || *stores < 1 || *queries < 1 {
		flag.Usage()
		os.Exit(2)
	}
	docs, err := corpora.ReadJSONL(flag.Arg(0), 0)
	if err == nil {
		err = measure(os.Stdout, docs, *stores, *queries, *seed)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "shards:", err)
		os.Exit(1)
	}
}

// asked is a kind of search.
type asked struct {
	name string
	opts []simdb.SearchOption
}

var kinds = []asked{
	{"SIMILAR TO, sim >= 0.8", []simdb.SearchOption{simdb.MinSim(0.8)}},
	{"SIMILAR TO, sim >= 0.5", []simdb.SearchOption{simdb.MinSim(0.5)}},
	{"SIMILAR TO, NEAREST 10", []simdb.SearchOption{simdb.Nearest(10)}},
}

// measure writes the table.
func measure(out io.Writer, docs []corpora.Doc, stores, queries int, seed uint64) (err error) {
	dir, err := os.MkdirTemp("", "simdb-shards-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	one, paths := filepath.Join(dir, "one"), make([]string, stores)
	parts := make([][]corpora.Doc, stores)
	for i, d := range docs {
		parts[i%stores] = append(parts[i%stores], d)
	}
	if err := fill(one, docs); err != nil {
		return err
	}
	for i := range paths {
		paths[i] = filepath.Join(dir, fmt.Sprint("shard-", i))
		if err := fill(paths[i], parts[i]); err != nil {
			return err
		}
	}
	ctx := context.Background()
	start := time.Now()
	db, err := simdb.Open(one, &simdb.Options{ReadOnly: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	openOne := time.Since(start)
	start = time.Now()
	all, err := simdb.OpenShards(ctx, paths, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, all.Close()) }()
	openAll := time.Since(start)
	fmt.Fprintf(out, "%d documents, %d searches of each kind, %d processors; medians\n\n| | rows | one store | %d stores | times |\n| --- | --- | --- | --- | --- |\n",
		len(docs), queries, runtime.GOMAXPROCS(0), stores)
	write := func(name string, rows any, a, b time.Duration) {
		fmt.Fprintf(out, "| %s | %v | %.2f ms | %.2f ms | %.1f |\n", name, rows, a.Seconds()*1e3, b.Seconds()*1e3, b.Seconds()/a.Seconds())
	}
	r := rand.New(rand.NewPCG(seed, 1))
	for _, kind := range kinds {
		var times [2][]time.Duration
		rows := 0
		for i := range queries {
			target := api.ByID(docs[r.IntN(len(docs))].ID)
			var found [2][]string
			for k := range 2 {
				k = (i + k) % 2 // who is second finds files in the system's memory
				start := time.Now()
				if k == 0 {
					found[k], err = read(db.Similar(ctx, target, kind.opts...))
				} else {
					found[k], err = read(all.Similar(ctx, target, kind.opts...))
				}
				if err != nil {
					return err
				}
				times[k] = append(times[k], time.Since(start))
			}
			if rows += len(found[0]); !slices.Equal(found[0], found[1]) {
				return fmt.Errorf("%s of %+v: one store finds %q, several find %q", kind.name, target, found[0], found[1])
			}
		}
		write(kind.name, rows, median(times[0]), median(times[1]))
	}
	write("open", "", openOne, openAll)
	return nil
}

// fill makes a store.
func fill(path string, docs []corpora.Doc) error {
	db, err := simdb.Open(path, nil)
	if err != nil {
		return err
	}
	var b simdb.Batch
	for i, d := range docs {
		b.Put(api.Document{ID: d.ID, Text: d.Text})
		if i%1000 == 999 || i == len(docs)-1 {
			if _, err = db.Commit(context.Background(), &b); err != nil {
				break
			}
			b = simdb.Batch{}
		}
	}
	if err == nil {
		err = db.Compact(context.Background())
	}
	return errors.Join(err, db.Close())
}

// read reads the rows of a search.
func read(rows iter.Seq2[api.Match, error]) (list []string, err error) {
	for m, err := range rows {
		if err != nil {
			return nil, err
		}
		list = append(list, fmt.Sprint(m.ID, " ", m.Shared, " of ", m.Union))
	}
	return list, nil
}

func median(times []time.Duration) time.Duration {
	slices.Sort(times)
	return times[len(times)/2]
}
