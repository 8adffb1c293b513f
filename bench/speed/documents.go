package main

// This file generates the documents that are measured, as a stream, so that ten
// million of them need no memory.

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"iter"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/internal/corpus"
)

// documents yields the generated corpus with so many equal documents spread
// evenly among the others.
func (e *env) documents(equal int) iter.Seq[api.Document] { return documents(e.seed, e.n, equal) }

func documents(seed uint64, n, equal int) iter.Seq[api.Document] {
	return func(yield func(api.Document) bool) {
		same, copies := corpus.At(seed+1, 0).Text, 0
		for i := range n {
			for ; copies < equal*(i+1)/n; copies++ {
				if !yield(api.Document{ID: fmt.Sprintf("equal-%05d", copies), Text: same}) {
					return
				}
			}
			d := corpus.At(seed, i)
			if !yield(api.Document{ID: d.ID, Text: d.Text}) {
				return
			}
		}
	}
}

// batchDocuments is how many documents a load commits together.
const batchDocuments = 500

// batches puts documents into batches for simdb.DB.Load.
func batches(docs iter.Seq[api.Document]) iter.Seq2[*simdb.Batch, error] {
	return func(yield func(*simdb.Batch, error) bool) {
		b := &simdb.Batch{}
		for d := range docs {
			b.Put(d)
			if b.Len() == batchDocuments {
				if !yield(b, nil) {
					return
				}
				b = &simdb.Batch{}
			}
		}
		if b.Len() > 0 {
			yield(b, nil)
		}
	}
}

// nothing is told of each batch that Load has committed.
func nothing(*simdb.Batch, api.BatchStats) {}

// writeCorpus writes the generated corpus as JSONL.
func writeCorpus(w io.Writer, seed uint64, n, equal int) error {
	buffered := bufio.NewWriterSize(w, 1<<20)
	lines := json.NewEncoder(buffered)
	for d := range documents(seed, n, equal) {
		if err := lines.Encode(struct {
			ID   string `json:"id"`
			Text string `json:"text"`
		}{d.ID, d.Text}); err != nil {
			return err
		}
	}
	return buffered.Flush()
}
