// Command gencorpus writes a generated corpus as JSONL, one document a line
// with what is known of it: id, text, kind, of, percent.
//
//	go -C bench run ./gencorpus -seed 1 -n 100000 > corpus.jsonl
//
// With -from it begins at a document, so that several files are parts of one corpus.
//
// With -forms it writes n pages of one template and n/10 of another.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"iter"
	"os"

	"github.com/simdb/simdb/internal/corpus"
)

func main() {
	seed := flag.Uint64("seed", 1, "seed of the corpus")
	n := flag.Int("n", 100_000, "number of documents")
	from := flag.Int("from", 0, "number of the first document")
	forms := flag.Bool("forms", false, "write pages of two templates: n of one, n/10 of another, 1 in 1,000 twice")
	flag.Parse()
	if flag.NArg() > 0 || *n < 0 || *from < 0 || *forms && *from > 0 {
		fmt.Fprintln(os.Stderr, "usage: gencorpus [-seed S] [-n N] [-from I | -forms] > FILE")
		os.Exit(2)
	}
	docs := generated(*seed, *from, *n)
	if *forms {
		docs = corpus.Forms(*seed, *n)
	}
	if err := write(os.Stdout, docs); err != nil {
		fmt.Fprintln(os.Stderr, "gencorpus:", err)
		os.Exit(1)
	}
}

// generated yields n documents of a corpus, beginning at a number.
func generated(seed uint64, from, n int) iter.Seq[corpus.Doc] {
	return func(yield func(corpus.Doc) bool) {
		for i := from; i < from+n && yield(corpus.At(seed, i)); i++ {
		}
	}
}

func write(w io.Writer, docs iter.Seq[corpus.Doc]) error {
	buffered := bufio.NewWriterSize(w, 1<<20)
	lines := json.NewEncoder(buffered)
	for d := range docs {
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
