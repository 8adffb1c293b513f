package engine

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/keys"
	"github.com/simdb/simdb/measure"
)

// maxProblems bounds a report; Found goes on counting.
const maxProblems = 1000

// Problem is one thing that Check found; ID is empty where no single document
// is concerned.
type Problem struct{ Collection, ID, What string }

// CheckReport is what Check looked at and found.
type CheckReport struct {
	Documents, Sets, Postings int64
	Problems                  []Problem // the first 1,000, by collection and id
	Found                     int64
}

// Check recomputes everything derived from the documents, as of now, and says
// where the store differs. An error means that it could not look, not that it
// found something. progress, if not nil, is told how many documents are done.
func (db *DB) Check(ctx context.Context, progress func(done, total int64)) (*CheckReport, error) {
	if !db.gate.enter() {
		return nil, ErrClosed
	}
	defer db.gate.leave()
	ctx, cancel := db.bound(ctx)
	defer cancel()
	s := db.snapshot()
	defer s.close()
	c := &check{s: s, progress: progress}
	for _, v := range s.views {
		c.total += v.documents
	}
	for _, v := range s.views {
		if err := c.collection(ctx, v); err != nil {
			return nil, db.closedOr(err)
		}
	}
	slices.SortFunc(c.report.Problems, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Collection, b.Collection), cmp.Compare(a.ID, b.ID), cmp.Compare(a.What, b.What))
	})
	return &c.report, nil
}

type check struct {
	s        *Snapshot
	progress func(done, total int64)
	total    int64

	mu     sync.Mutex
	done   int64
	report CheckReport
}

func (c *check) problem(v *view, id, format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.report.Found++
	if len(c.report.Problems) < maxProblems {
		c.report.Problems = append(c.report.Problems, Problem{v.name, id, fmt.Sprintf(format, args...)})
	}
}

// found turns an error of reading into a problem, unless the caller gave up.
func (c *check) found(ctx context.Context, v *view, id string, err error) error {
	if err == nil {
		return nil
	}
	if stop := c.s.interrupted(ctx); stop != nil {
		return stop
	}
	c.problem(v, id, "%v", err)
	return nil
}

// checkedSet is what the documents say of a set, to hold against the store.
type checkedSet struct {
	seen      atomic.Bool // some document has it, and it was recomputed
	documents atomic.Uint32
	si        uint32              // similarity indexes it has
	sums      [index.Kinds]uint64 // of its postings
}

func (c *check) collection(ctx context.Context, v *view) error {
	sets := make([]checkedSet, v.next)
	if err := c.documents(ctx, v, sets); err != nil {
		return err
	}
	if err := c.sets(ctx, v, sets); err != nil {
		return err
	}
	if err := c.facts(ctx, v); err != nil {
		return err
	}
	return c.postings(ctx, v, sets)
}

// checkJob is a stored document record on its way to a worker.
type checkJob struct {
	id string
	documentRecord
}

// documents reads every text and recomputes what hangs on it.
func (c *check) documents(ctx context.Context, v *view, sets []checkedSet) error {
	jobs := make(chan []checkJob, workers())
	g, gctx := errgroup.WithContext(ctx)
	var documents, textBytes int64
	g.Go(func() error {
		defer close(jobs)
		var part []checkJob
		send := func() error {
			select {
			case jobs <- part:
			case <-gctx.Done():
				return gctx.Err()
			}
			part = nil
			return nil
		}
		err := v.records(c.s.pebble, func(id string, r documentRecord) error {
			documents++
			textBytes += r.textBytes
			r.meta = bytes.Clone(r.meta)
			if part = append(part, checkJob{id, r}); len(part) == 64 {
				return send()
			}
			return nil
		})
		return errors.Join(c.found(gctx, v, "", err), send())
	})
	for range workers() {
		g.Go(func() error {
			for part := range jobs {
				for _, j := range part {
					if err := c.s.interrupted(gctx); err != nil {
						return err
					}
					if err := c.found(gctx, v, j.id, c.document(v, j, sets)); err != nil {
						return err
					}
				}
				c.advance(int64(len(part)))
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	var texts int64
	err := scan(c.s.pebble, v.key(keys.Text), func(_, _ []byte) error { texts++; return nil })
	if err := c.found(ctx, v, "", err); err != nil {
		return err
	}
	if texts != documents {
		c.problem(v, "", "%d texts for %d documents", texts, documents)
	}
	if documents != v.documents || textBytes != v.textBytes {
		c.problem(v, "", "counters say %d documents with %d bytes of text, there are %d with %d", v.documents, v.textBytes, documents, textBytes)
	}
	return nil
}

func (c *check) advance(n int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.done += n
	c.report.Documents += n
	if c.progress != nil {
		c.progress(c.done, c.total)
	}
}

// document checks one document, and its set if no other document did.
func (c *check) document(v *view, j checkJob, sets []checkedSet) error {
	if _, err := decodeMeta(j.meta); err != nil {
		return err
	}
	text, err := c.s.text(v, j.set, j.id)
	if err != nil {
		return err
	}
	if int64(len(text)) != j.textBytes {
		return corrupt("the text has %d bytes, the record says %d", len(text), j.textBytes)
	}
	bag := v.analysis.Bag(text)
	if len(bag.Set) == 0 {
		if j.set != noSet {
			return corrupt("a text without shingles is in set %d", j.set)
		}
		return nil
	}
	if j.set >= v.next {
		return corrupt("set %d is not below the next number %d", j.set, v.next)
	}
	sets[j.set].documents.Add(1)
	stored, err := get(c.s.pebble, v.key(keys.Set, j.set))
	if err != nil {
		return err
	}
	if stored == nil {
		return corrupt("set %d is missing", j.set)
	}
	r, err := decodeSetRecord(stored)
	if err != nil {
		return err
	}
	want, folded := v.describe(bag, text)
	if r.Digest != want.Digest {
		return corrupt("the text is not that of set %d", j.set)
	}
	if sets[j.set].seen.Swap(true) {
		return nil
	}
	p := posted{bag: bag, features: v.kept.featuresOf(text)}
	if v.kept.words {
		p.words = measure.WordsOf(text)
	}
	return c.set(v, j.set, p, want, folded, stored, &sets[j.set])
}

// set checks what is derived from a text.
func (c *check) set(v *view, set uint32, p posted, want setRecord, folded, stored []byte, out *checkedSet) error {
	if !bytes.Equal(want.encode(), stored) {
		return corrupt("record of set %d: sizes, SimHash or signature differ from the text", set)
	}
	if !sameFacts(v.facts(set), want.Facts) {
		return corrupt("set %d in memory differs from the text", set)
	}
	got, err := get(c.s.pebble, v.key(keys.Folded, set))
	if err != nil {
		return err
	}
	if !bytes.Equal(got, folded) {
		return corrupt("folded set %d differs from the text", set)
	}
	number, err := get(c.s.pebble, keys.OfDigest(v.number, want.Digest))
	if err != nil {
		return err
	}
	if len(number) != 4 || binary.BigEndian.Uint32(number) != set {
		return corrupt("the digest of set %d does not lead to it", set)
	}
	if v.kept.record() {
		features, err := get(c.s.pebble, v.key(keys.Features, set))
		if err != nil {
			return err
		}
		if !bytes.Equal(features, v.kept.encodeFeatures(p.features)) {
			return corrupt("features of set %d differ from the text", set)
		}
	}
	if v.kept.patricia {
		grams, err := get(c.s.pebble, v.key(keys.Grams, set))
		if err != nil {
			return err
		}
		if grams == nil || !bytes.Equal(grams, p.features.grams) {
			return corrupt("grams of set %d differ from the text", set)
		}
	}
	for i, si := range p.features.si {
		if found, err := has(c.s.pebble, v.siKey(i, si.Value, set)); err != nil {
			return err
		} else if found != si.Valid {
			return corrupt("similarity index %s of set %d is not where its value is", v.kept.si[i], set)
		}
		out.si += uint32(b2i(si.Valid))
	}
	if set < v.index.built {
		c.expect(v, set, p, want.SimHash, out)
	}
	return nil
}

func sameFacts(a, b index.Facts) bool {
	return a.Size == b.Size && a.Collisions == b.Collisions && a.SimHash == b.SimHash && slices.Equal(a.Signature, b.Signature)
}

// expect sums the postings that the set must have in its segment.
func (c *check) expect(v *view, set uint32, p posted, simHash uint64, out *checkedSet) {
	seg := v.index.segmentOf(set)
	l := v.layout(v.index.order)
	v.kept.postings(p, func(k index.Kind, key uint32, count int) {
		out.sums[k] += postingSum(uint64(key), index.Counted(set-seg.Lo, count))
	})
	for k := range index.Sentence0 {
		if k >= index.Rotated0 {
			out.sums[k] = postingSum(bits.RotateLeft64(simHash, 16*int(k-index.Rotated0)), set-seg.Lo)
			continue
		}
		if k == index.Interval && len(v.intervals) == 0 {
			continue
		}
		l.Postings(k, p.bag, set-seg.Lo, func(key uint64, payload uint32) {
			out.sums[k] += postingSum(key, payload)
		})
	}
}

// postingSum mixes one posting; the sum over a set's postings does not depend
// on their order.
func postingSum(key uint64, payload uint32) uint64 {
	h, l := bits.Mul64(key^0x9e3779b97f4a7c15, uint64(payload)<<1|1<<40|1)
	return bits.RotateLeft64(h, 29) ^ l*0xd6e8feb86659fd93 ^ key
}

// sets holds the stored sets against those that documents have.
func (c *check) sets(ctx context.Context, v *view, sets []checkedSet) error {
	var live int64
	for space, what := range map[keys.Space]string{keys.Set: "record", keys.Folded: "folded set", keys.Features: "features", keys.Grams: "grams"} {
		err := c.eachSet(v, space, func(set uint32, _, _ []byte) {
			if !sets[set].seen.Load() {
				c.problem(v, "", "%s of set %d, which no document has", what, set)
			}
			if space == keys.Set {
				live++
			}
		})
		if err := c.found(ctx, v, "", err); err != nil {
			return err
		}
	}
	c.report.Sets += live
	if live != v.sets {
		c.problem(v, "", "counters say %d sets, there are %d", v.sets, live)
	}
	members := make([]uint32, len(sets))
	err := c.eachSet(v, keys.Text, func(set uint32, _, _ []byte) { members[set]++ })
	if err := c.found(ctx, v, "", err); err != nil {
		return err
	}
	shares := make([]uint32, len(sets))
	err = c.eachSet(v, keys.Shares, func(set uint32, _, value []byte) {
		if len(value) == 4 {
			shares[set] = binary.BigEndian.Uint32(value)
		}
	})
	if err := c.found(ctx, v, "", err); err != nil {
		return err
	}
	for set := range sets {
		n := sets[set].documents.Load()
		want := n
		if n < 2 {
			want = 0
		}
		if members[set] != n || shares[set] != want {
			c.problem(v, "", "set %d: %d documents have it, %d are listed, the count says %d", set, n, members[set], shares[set])
		}
	}
	var values, wantValues int64
	for set := range sets {
		wantValues += int64(sets[set].si)
	}
	err = scan(c.s.pebble, v.key(keys.SI), func(_, _ []byte) error { values++; return nil })
	if err := c.found(ctx, v, "", err); err != nil {
		return err
	}
	if values != wantValues {
		c.problem(v, "", "%d values of similarity indexes, the texts have %d", values, wantValues)
	}
	var digests int64
	err = scan(c.s.pebble, v.key(keys.Digest), func(_, _ []byte) error { digests++; return nil })
	if err := c.found(ctx, v, "", err); err != nil {
		return err
	}
	if digests != live {
		c.problem(v, "", "%d digests for %d sets", digests, live)
	}
	return nil
}

func (c *check) eachSet(v *view, space keys.Space, yield func(set uint32, key, value []byte)) error {
	return scan(c.s.pebble, v.key(space), func(key, value []byte) error {
		n, _, err := keys.Numbers(key, 2)
		if err != nil {
			return corrupt("%w", err)
		}
		if space == keys.Text && n[1] == noSet {
			return nil
		}
		if n[1] >= v.next {
			c.problem(v, "", "set %d is not below the next number %d", n[1], v.next)
			return nil
		}
		yield(n[1], key, value)
		return nil
	})
}

// facts holds the copies in the files of segments against the facts in memory,
// which have been held against the texts.
func (c *check) facts(ctx context.Context, v *view) error {
	ended, err := v.readEnded(c.s.pebble)
	if err := c.found(ctx, v, "", err); err != nil {
		return err
	}
	var buf []byte
	for _, s := range v.index.segments {
		for lo := s.Lo; lo < s.Hi; {
			hi := pieceEnd(lo, s.Hi)
			if err := c.s.interrupted(ctx); err != nil {
				return err
			}
			var table index.Table
			slab := table.NewSlab(lo / index.SlabSets)
			buf, err = s.file.putFacts(slab, lo, hi, buf, func(set uint32) bool { return ended[set] })
			if err := c.found(ctx, v, "", err); err != nil {
				return err
			}
			if err == nil {
				table.Append(slab)
				copied := view{table: table.View()}
				for set := lo; set < hi; set++ {
					if live := v.table.Size(set).Distinct > 0; !sameFacts(copied.facts(set), v.facts(set)) && (live || copied.table.Size(set).Distinct > 0) {
						c.problem(v, "", "facts of set %d in segment %d differ from those in memory", set, s.number)
					}
				}
			}
			lo = hi
		}
	}
	return nil
}

// postings reads every run and holds it against the sums.
func (c *check) postings(ctx context.Context, v *view, sets []checkedSet) error {
	for _, seg := range v.index.segments {
		if err := c.s.interrupted(ctx); err != nil {
			return err
		}
		for k, run := range seg.Runs {
			kind := index.Kind(k)
			if run == nil {
				continue
			}
			if err := c.found(ctx, v, "", c.run(ctx, v, seg, kind, run, sets)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *check) run(ctx context.Context, v *view, seg *segment, kind index.Kind, run *index.Run, sets []checkedSet) error {
	sums := make([]uint64, seg.Hi-seg.Lo)
	var entries, last uint64
	pages := inOrder{file: seg.file}.Pages(kind)
	err := index.Scan(run, pages, func(key uint64, payload uint32) error {
		if entries++; entries%4096 == 0 {
			if err := c.s.interrupted(ctx); err != nil {
				return err
			}
		}
		set := index.PayloadSet(kind, payload)
		if int(set) >= len(sums) || key < last {
			return corrupt("run %d of segment %d: entry %d is out of place", kind, seg.number, entries)
		}
		last = key
		sums[set] += postingSum(key, payload)
		return nil
	})
	if err != nil {
		return pageError(err)
	}
	c.report.Postings += int64(entries)
	if entries != run.Entries {
		return corrupt("run %d of segment %d has %d entries, its directory says %d", kind, seg.number, entries, run.Entries)
	}
	for rel, sum := range sums {
		set := seg.Lo + uint32(rel)
		if s := &sets[set]; s.seen.Load() && s.sums[kind] != sum {
			c.problem(v, c.someID(v, set), "its postings in run %d of segment %d differ from those of the text", kind, seg.number)
		}
	}
	return nil
}

// someID names a document of a set, for the message.
func (c *check) someID(v *view, set uint32) string {
	r := c.s.bags(v)
	defer r.close()
	ids, err := r.ids(set, nil)
	if err != nil || len(ids) == 0 {
		return ""
	}
	return ids[0]
}
