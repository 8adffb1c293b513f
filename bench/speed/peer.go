package main

// This file is simdb as one of the peers: it answers from the same inputs and
// leaves answers in the same form.

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/bench/disk"
	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/lab/corpora"
)

// asked is what a peer is asked: where its inputs are, where its answers go, and
// what simdb is to do with them.
type asked struct {
	dir, out    string
	containment bool // searches by containment and the nearest, instead of those at 0.8
}

// answerAsPeer does with the inputs that export wrote what every peer does: it
// stores all and answers. Figures go to w. Without more it searches by some at 0.8
// and joins all:
//
//	pairs.bin    of each pair: u32 and u32, the numbers of its documents
//	queries.bin  of each search: u32 count, then so many u32 numbers
func answerAsPeer(ctx context.Context, a asked, w io.Writer) (err error) {
	docs, err := corpora.ReadJSONL(filepath.Join(a.dir, "texts.jsonl"), 0)
	if err != nil {
		return err
	}
	packed, err := os.ReadFile(filepath.Join(a.dir, "queries.bin"))
	if err != nil {
		return err
	}
	if err := os.MkdirAll(a.out, 0o755); err != nil {
		return err
	}
	numbers := map[string]uint32{}
	for i, d := range docs {
		numbers[d.ID] = uint32(i)
	}
	e := &env{}
	store := filepath.Join(a.out, "peer.simdb")
	defer os.RemoveAll(store)
	db, err := e.storeAsPeer(ctx, store, docs)
	if err != nil {
		return err
	}
	defer func() { err = closing(db, err) }()
	var ids []string
	for ; len(packed) >= 4; packed = packed[4:] {
		ids = append(ids, docs[binary.LittleEndian.Uint32(packed)].ID)
	}
	if len(ids) == 0 {
		return errors.New("no queries")
	}
	if a.containment {
		err = e.answerStatements(ctx, db, a.out, ids, numbers)
	} else {
		err = e.answerAt80(ctx, db, a.out, ids, numbers)
	}
	if err != nil {
		return err
	}
	bytes, err := disk.Bytes(store)
	if err != nil {
		return err
	}
	e.add("disk", float64(bytes)/1e6, "MB")
	return writeFigures(w, e.figures)
}

// storeAsPeer loads all into a new store.
func (e *env) storeAsPeer(ctx context.Context, store string, docs []corpora.Doc) (*simdb.DB, error) {
	db, err := simdb.Open(store, nil)
	if err != nil {
		return nil, err
	}
	start := time.Now()
	if err := db.Load(ctx, batches(func(yield func(api.Document) bool) {
		for _, d := range docs {
			if !yield(api.Document{ID: d.ID, Text: d.Text}) {
				return
			}
		}
	}), nothing); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	e.add("load and index", float64(len(docs))/time.Since(start).Seconds(), "docs/s")
	return db, nil
}

func (e *env) answerAt80(ctx context.Context, db *simdb.DB, out string, ids []string, numbers map[string]uint32) error {
	if err := writeNumbers(filepath.Join(out, "queries.bin"), func(put func(...uint32)) error {
		return e.answerQueries(ctx, db, byIDs(ids), numbers, put)
	}); err != nil {
		return err
	}
	return writeNumbers(filepath.Join(out, "pairs.bin"), func(put func(...uint32)) error {
		return e.answerPairs(ctx, db, numbers, put)
	})
}

func (e *env) answerQueries(ctx context.Context, db *simdb.DB, targets []api.Target, numbers map[string]uint32, put func(...uint32)) error {
	var took []time.Duration
	for warm := range 2 {
		took = took[:0]
		for _, target := range targets {
			var found []uint32
			start := time.Now()
			for m, err := range db.Similar(ctx, target, simdb.MinSim(0.8)) {
				if err != nil {
					return err
				}
				found = append(found, numbers[m.ID])
			}
			took = append(took, time.Since(start))
			if warm == 1 {
				put(uint32(len(found)))
				put(found...)
			}
		}
	}
	slices.Sort(took)
	e.add("query, median", micros(at(took, 50)), "µs")
	e.add("query, 99 of 100", micros(at(took, 99)), "µs")
	return nil
}

func (e *env) answerPairs(ctx context.Context, db *simdb.DB, numbers map[string]uint32, put func(...uint32)) error {
	start := time.Now()
	for p, err := range db.Pairs(ctx, simdb.MinSim(0.8)) {
		if err != nil {
			return err
		}
		put(numbers[p.A], numbers[p.B])
	}
	e.add("pairs", time.Since(start).Seconds(), "s")
	return nil
}

// writeNumbers writes what f puts, little-endian.
func writeNumbers(name string, f func(put func(...uint32)) error) error {
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	defer file.Close()
	w := bufio.NewWriter(file)
	var packed []byte
	if err := f(func(numbers ...uint32) {
		packed = packed[:0]
		for _, n := range numbers {
			packed = binary.LittleEndian.AppendUint32(packed, n)
		}
		w.Write(packed) // a failure shows in Flush
	}); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return file.Close()
}

// answerByFingerprints is answerAsPeer for fingerprints: far.bin has the
// documents within 12 bits of each query, near.bin those within 3.
func answerByFingerprints(a asked, w io.Writer) error {
	packed, err := os.ReadFile(filepath.Join(a.dir, "fingerprints.bin"))
	if err != nil {
		return err
	}
	var hashes []uint64
	for ; len(packed) >= 8; packed = packed[8:] {
		hashes = append(hashes, binary.LittleEndian.Uint64(packed))
	}
	if packed, err = os.ReadFile(filepath.Join(a.dir, "queries.bin")); err != nil {
		return err
	}
	var queries []uint64
	for ; len(packed) >= 4; packed = packed[4:] {
		queries = append(queries, hashes[binary.LittleEndian.Uint32(packed)])
	}
	if err := os.MkdirAll(a.out, 0o755); err != nil {
		return err
	}
	e := &env{}
	start := time.Now()
	view := tableOf(hashes)
	segments, err := segmentsOf(hashes)
	if err != nil {
		return err
	}
	e.add("load and index", float64(len(hashes))/time.Since(start).Seconds(), "docs/s")
	if err := e.answerFingerprints(filepath.Join(a.out, "far.bin"), "12 bits", queries, func(q uint64, found []uint32) ([]uint32, error) {
		return index.ScanNear(view, 0, view.Len(), q, farBits, found), nil
	}); err != nil {
		return err
	}
	if err := e.answerFingerprints(filepath.Join(a.out, "near.bin"), "3 bits", queries, func(q uint64, found []uint32) ([]uint32, error) {
		return nearIn(segments, view, q, found)
	}); err != nil {
		return err
	}
	var took []time.Duration
	for qs := range slices.Chunk(queries, batchProbes) {
		var lists [batchProbes][]uint32
		start := time.Now()
		index.ScanNearBatch(view, 0, view.Len(), qs, farBits, lists[:len(qs)])
		took = append(took, time.Since(start)/time.Duration(len(qs)))
	}
	e.add("12 bits, each of 8", micros(median(took)), "µs")
	return writeFigures(w, e.figures)
}

func (e *env) answerFingerprints(name, what string, queries []uint64, search func(q uint64, found []uint32) ([]uint32, error)) error {
	return writeNumbers(name, func(put func(...uint32)) error {
		var took []time.Duration
		var found []uint32
		for _, q := range queries {
			var err error
			start := time.Now()
			if found, err = search(q, found[:0]); err != nil {
				return err
			}
			took = append(took, time.Since(start))
			put(uint32(len(found)))
			put(found...)
		}
		e.add(what+", median", micros(median(took)), "µs")
		return nil
	})
}
