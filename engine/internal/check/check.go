// Package check finds inconsistencies in a snapshot of a store. It derives all derived data again
// from the documents and compares the result with the stored data. It changes nothing and may run
// while the store is in use. Begin with All and then check.document, which derives one document.
package check

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/engine/internal/host"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/engine/internal/segment"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/internal/keys"
	"github.com/simdb/simdb/internal/progress"
)

// All checks a snapshot and reports every difference. progress, called from one goroutine at a
// time, receives the number of checked documents and the number of all. An error means that the
// check did not finish; problems are in the report instead.
func All(ctx context.Context, m *view.Snapshot, progress func(done, total int64)) (*api.CheckReport, error) {
	c := &check{m: m, progress: progress}
	for _, v := range m.Views {
		c.total += v.Documents
	}
	for _, v := range m.Views {
		if err := c.collection(ctx, v); err != nil {
			return nil, err
		}
	}
	if err := c.orphans(ctx); err != nil {
		return nil, err
	}
	sortProblems(&c.report)
	return &c.report, nil
}

// check is the state of one run. mu guards the report, which all workers extend.
type check struct {
	m        *view.Snapshot
	progress func(done, total int64)
	total    int64

	mu     sync.Mutex
	done   int64
	values int64 // indexed metadata values of the collection's documents
	report api.CheckReport

	ordered map[*record.KeySpace]int64 // verified keys of each space ordered by feature value
}

// orphans reports collections with keys but no record.
func (c *check) orphans(ctx context.Context) error {
	known := map[uint32]bool{}
	for _, v := range c.m.Views {
		known[v.Number] = true
	}
	found, err := view.Orphans(c.m.Pebble, known, keys.PerCollection...)
	if err := c.reportError(ctx, noCollection, at{kind: KindCollection}, err); err != nil {
		return err
	}
	for _, o := range found {
		c.problem(noCollection, at{kind: KindCollection, place: fmt.Sprint("collection ", o.Number)}, "%v", o.Error())
	}
	return nil
}

// noCollection stands for a missing collection in problems.
var noCollection = &view.View{Schema: &record.Schema{}}

// at is the kind and the place of a problem.
type at struct{ kind, id, place string }

// ofDocument locates a problem at a document.
func ofDocument(id string) at { return at{kind: KindDocument, id: id} }

// ofSet locates a problem at a set.
func ofSet(set uint32) at { return at{kind: KindSet, place: fmt.Sprint("set ", set)} }

// problem adds a problem to the report. It is safe for concurrent use.
func (c *check) problem(v *view.View, at at, format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	note(&c.report, api.Problem{Kind: at.kind, Collection: v.Name, ID: at.id, What: fmt.Sprintf(format, args...), Place: at.place})
}

// reportError reports a read error as a problem, because one damaged key must not hide others. It
// returns the error only if the context ended or the store closed.
func (c *check) reportError(ctx context.Context, v *view.View, at at, err error) error {
	if err == nil {
		return nil
	}
	if stop := c.m.Interrupted(ctx); stop != nil {
		return stop
	}
	c.problem(v, at, "%v", err)
	return nil
}

// checkedSet is the state of a set as derived from its documents.
type checkedSet struct {
	seen      atomic.Bool // a document has it, and its data was derived
	documents atomic.Uint32
	sums      [index.Kinds]uint64 // sums of its postings
}

// collection checks one collection. It skips the other checks if width rules them out.
func (c *check) collection(ctx context.Context, v *view.View) error {
	if ok, err := c.width(ctx, v); err != nil || !ok {
		return err
	}
	sets := make([]checkedSet, v.Table.Len())
	c.ordered = map[*record.KeySpace]int64{}
	if err := c.documents(ctx, v, sets); err != nil {
		return err
	}
	if err := c.sets(ctx, v, sets); err != nil {
		return err
	}
	for _, look := range []func(context.Context, *view.View) error{c.facts, c.countFields, c.ledger} {
		if err := look(ctx, v); err != nil {
			return err
		}
	}
	return c.postings(ctx, v, sets)
}

// checkJob is a document record for a worker.
type checkJob struct {
	id string
	record.DocumentRecord
}

// documents checks every document, on all cores.
func (c *check) documents(ctx context.Context, v *view.View, sets []checkedSet) error {
	ctx, stage := progress.Begin(ctx, "documents checked", v.Documents)
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(host.Workers())
	var documents, textBytes, joined int64
	var part []checkJob
	look := func(part []checkJob) func() error {
		return func() error {
			for _, j := range part {
				if err := c.m.Interrupted(gctx); err != nil {
					return err
				}
				if err := c.reportError(gctx, v, ofDocument(j.id), c.document(gctx, v, j, sets)); err != nil {
					return err
				}
			}
			c.advance(int64(len(part)))
			stage.Add(len(part))
			return nil
		}
	}
	err := c.m.EachRecord(v, func(id string, r record.DocumentRecord, bad error) error {
		documents++
		if bad != nil { // damage to this document alone
			return c.reportError(gctx, v, ofDocument(id), bad)
		}
		textBytes += r.TextBytes
		if r.Joined {
			joined++
		}
		r.Meta = bytes.Clone(r.Meta)
		if part = append(part, checkJob{id, r}); len(part) == 64 {
			g.Go(look(part))
			part = nil
		}
		return c.m.Interrupted(gctx)
	})
	g.Go(look(part))
	if err := g.Wait(); err != nil {
		return err
	}
	if err := c.reportError(ctx, v, at{kind: KindDocument}, err); err != nil {
		return err
	}
	anything := func(_, _ []byte) error { return nil }
	if err := c.count(ctx, v, keys.Text, KindDocument, anything, KindSet, documents, "%d texts for %d documents"); err != nil {
		return err
	}
	// c.document has checked each of these entries; only their number remains.
	if err := c.count(ctx, v, keys.Joined, KindSet, c.valueBelow(v), KindDocument, joined, "%d documents are listed as having joined a set, there are %d"); err != nil {
		return err
	}
	if documents != v.Documents || textBytes != v.TextBytes {
		c.problem(v, at{kind: KindCounters}, "counters say %d documents with %d bytes of text, there are %d with %d", v.Documents, v.TextBytes, documents, textBytes)
	}
	return nil
}

// advance counts checked documents and reports progress.
func (c *check) advance(n int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.done += n
	c.report.Documents += n
	if c.progress != nil {
		c.progress(c.done, c.total)
	}
}

// document checks one document, and its set unless another document has done so.
func (c *check) document(ctx context.Context, v *view.View, j checkJob, sets []checkedSet) error {
	done, err := c.m.Analysing(ctx, j.TextBytes)
	if err != nil {
		return err
	}
	defer done()
	if err := c.fields(v, j); err != nil {
		return err
	}
	if err := c.written(v, j); err != nil {
		return err
	}
	content, err := c.m.Content(v, j.Set, j.id)
	if err != nil {
		return err
	}
	if int64(len(content)) != j.TextBytes {
		return fault.Corrupt("the text has %d bytes, the record says %d", len(content), j.TextBytes)
	}
	text, err := v.Text(content)
	if err != nil {
		return err
	}
	p, err := view.Apart(ctx, c.m.Shared, j.TextBytes, func() (record.Posted, error) { return record.Posted{Bag: v.Bag(content)}, nil })
	if err != nil {
		return err
	}
	// A damaged record may name any set; the slice of sets must not be indexed with it.
	if j.Set >= v.Table.Len() {
		return fault.Corrupt("set %d is not below the next number %d", j.Set, v.Table.Len())
	}
	sets[j.Set].documents.Add(1)
	stored, err := disk.GetSealed(c.m.Pebble, v.Key(keys.Set, j.Set))
	if err != nil {
		return err
	}
	if stored == nil {
		return fault.Corrupt("set %d is missing", j.Set)
	}
	r, err := record.DecodeSet(stored)
	if err != nil {
		return err
	}
	want := v.Describe(p.Bag, content)
	// Equal digests mean equal sets, so a difference means that the text or its place is wrong.
	if r.Digest != want.Digest {
		return fault.Corrupt("the text is not that of set %d", j.Set)
	}
	// Documents of one set have the same derived data, so the first worker to arrive checks it for all.
	if sets[j.Set].seen.Swap(true) {
		return nil
	}
	p.Features, err = view.Apart(ctx, c.m.Shared, j.TextBytes, func() (*record.Features, error) {
		f := new(record.Features)
		v.Kept.Derive(text, f)
		v.Kept.Reread(text, f)
		return f, nil
	})
	if err != nil {
		return err
	}
	// Any document of the set may come first, so name the same one in every run.
	if err := c.set(v, j.Set, p, want, stored, &sets[j.Set]); err != nil {
		where := ofSet(j.Set)
		where.id = c.someID(v, j.Set)
		return c.reportError(ctx, v, where, err)
	}
	return nil
}

// written checks the stored data of a document's last write.
func (c *check) written(v *view.View, j checkJob) error {
	if j.Written.Record > c.m.Applied {
		return fault.Corrupt("it was written by log record %d, the last is %d", j.Written.Record, c.m.Applied)
	}
	if !j.Joined {
		return nil
	}
	set, err := disk.Get(c.m.Pebble, keys.WithID(keys.OfJoined(v.Number, j.Written.Record), j.id))
	if err == nil && (len(set) != 4 || binary.BigEndian.Uint32(set) != j.Set) {
		err = fault.Corrupt("it joined set %d, but is not listed there", j.Set)
	}
	return err
}

// set compares the stored data of a set with the derived data.
func (c *check) set(v *view.View, set uint32, p record.Posted, want record.Set, stored []byte, out *checkedSet) (err error) {
	defer segment.CatchUnreadable(&err)()
	if !bytes.Equal(want.Encode(), stored) {
		return fault.Corrupt("record of set %d: sizes, SimHash or signature differ from the text", set)
	}
	if !sameFacts(v.Facts(set), want.Facts) {
		return fault.Corrupt("set %d in memory differs from the text", set)
	}
	if is, err := c.hasValue(keys.OfDigest(v.Number, want.Digest), binary.BigEndian.AppendUint32(nil, set)); err != nil || !is {
		return cmp.Or(err, fault.Corrupt("the digest of set %d does not lead to it", set))
	}
	err = v.EachFeatureKey(set, p.Features, func(in *record.KeySpace, key, value []byte) error {
		if is, err := c.hasValue(key, value); err != nil || !is {
			return cmp.Or(err, fault.Corrupt("%s of set %d differ from the text", in.What, set))
		}
		if in.Ordered() {
			c.mu.Lock()
			c.ordered[in]++
			c.mu.Unlock()
		}
		return nil
	})
	if err != nil {
		return err
	}
	if set < v.Postings.Built {
		c.expect(v, set, p, want.SimHash, out)
	}
	return nil
}

// hasValue reports whether the store has the value under the key.
func (c *check) hasValue(key, value []byte) (bool, error) {
	stored, err := disk.Get(c.m.Pebble, key)
	return stored != nil && bytes.Equal(stored, value), err
}

// sameFacts compares facts; a signature may be nil in both.
func sameFacts(a, b index.Facts) bool {
	return a.Size == b.Size && a.SimHash == b.SimHash && slices.Equal(a.Signature, b.Signature)
}
