package main

// This file is the peer bleve, a full-text search engine.

import (
	"bufio"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/blevesearch/bleve/v2"
)

// bleveRows is how many of the best hits count as found.
const bleveRows = 10

// runBleve indexes the texts for full text search and takes the best hits of a
// whole text: what one has who makes a search engine find near-duplicates.
func runBleve(in, out string) error {
	f, err := os.Open(filepath.Join(in, "texts.jsonl"))
	if err != nil {
		return err
	}
	defer f.Close()
	var texts []string
	for lines := json.NewDecoder(bufio.NewReaderSize(f, 1<<20)); lines.More(); {
		var d struct{ Text string }
		if err := lines.Decode(&d); err != nil {
			return err
		}
		texts = append(texts, d.Text)
	}
	queries, err := readU32(filepath.Join(in, "queries.bin"))
	if err != nil {
		return err
	}
	sayVersion("github.com/blevesearch/bleve/v2")
	store := filepath.Join(out, "index.bleve")
	index, err := bleve.New(store, bleve.NewIndexMapping())
	if err != nil {
		return err
	}
	defer index.Close()
	start := time.Now()
	batch := index.NewBatch()
	for i, text := range texts {
		if err := batch.Index(strconv.Itoa(i), struct{ Text string }{text}); err != nil {
			return err
		}
		if batch.Size() == 500 || i == len(texts)-1 {
			if err := index.Batch(batch); err != nil {
				return err
			}
			batch.Reset()
		}
	}
	say("load and index", float64(len(texts))/time.Since(start).Seconds(), "docs/s")
	if err := answerQueries(out, queries, func(q uint32) (found []uint32, err error) {
		result, err := index.Search(bleve.NewSearchRequestOptions(bleve.NewMatchQuery(texts[q]), bleveRows, 0, false))
		if err != nil {
			return nil, err
		}
		for _, hit := range result.Hits {
			n, err := strconv.Atoi(hit.ID)
			if err != nil {
				return nil, err
			}
			found = append(found, uint32(n))
		}
		return found, nil
	}); err != nil {
		return err
	}
	var bytes int64
	err = filepath.WalkDir(store, func(_ string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if err == nil {
			bytes += info.Size()
		}
		return err
	})
	say("disk", float64(bytes)/1e6, "MB")
	return err
}
