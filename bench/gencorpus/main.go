// Command gencorpus writes a generated corpus as JSONL, one document a line
// with what is known of it: id, text, kind, of, percent.
//
//	go -C bench run ./gencorpus -seed 1 -n 100000 > corpus.jsonl
//
// With -from it begins at a document, so that several files are parts of one corpus.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/simdb/simdb/internal/corpus"
)

func main() {
	seed := flag.Uint64("seed", 1, "seed of the corpus")
	n := flag.Int("n", 100_000, "number of documents")
	from := flag.Int("from", 0, "number of the first document")
	flag.Parse()
	if flag.NArg() > 0 || *n < 0 || *from < 0 {
		fmt.Fprintln(os.Stderr, "usage: gencorpus [-seed S] [-n N] [-from I] > FILE")
		os.Exit(2)
	}
	if err := write(os.Stdout, *seed, *from, *n); err != nil {
		fmt.Fprintln(os.Stderr, "gencorpus:", err)
		os.Exit(1)
	}
}

func write(w io.Writer, seed uint64, from, n int) error {
	buffered := bufio.NewWriterSize(w, 1<<20)
	lines := json.NewEncoder(buffered)
	for i := from; i < from+n; i++ {
		d := corpus.At(seed, i)
		err := lines.Encode(struct {
			ID      string      `json:"id"`
			Text    string      `json:"text"`
			Kind    corpus.Kind `json:"kind,omitempty"`
			Of      string      `json:"of,omitempty"`
			Percent int         `json:"percent,omitempty"`
		}(d))
		if err != nil {
			return err
		}
	}
	return buffered.Flush()
}
