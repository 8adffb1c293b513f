package engine

// What is done with a batch before the commit mutex: it is checked, its texts are
// analysed, and its log record is made.

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/condition"
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/engine/internal/view"
)

// maxBatchBytes bounds the stored bytes of one batch: half of it fills a
// memtable, and a log record holds it whole.
const maxBatchBytes = 64 << 20

// prepare checks a batch and derives all it needs: everything that can be done
// before the commit mutex. It returns the operations that count, the log
// record, and how many operations others override.
func (db *DB) prepare(ctx context.Context, b *Batch, maxText int64) (p prepared, err error) {
	in := db.resolve(b, &p)
	p.expected, p.falls = b.expected, b.falls
	size, err := db.screen(b, maxText, &p)
	if err != nil {
		return p, err
	}
	if p.ops, err = db.withoutVain(p.ops); err != nil {
		return p, err
	}
	for i := range p.ops {
		o := &p.ops[i]
		if o.ofDocument() {
			if in[o.collection] == nil {
				return p, fmt.Errorf("collection %q %w", o.collection, api.ErrNoCollection)
			}
			o.of(in[o.collection])
		}
		if o.Kind == record.OpPut {
			if err := db.derive(ctx, o, maxText); err != nil {
				return p, fmt.Errorf("document %q: %w", o.Name, err)
			}
			size += len(o.Text)
			o.doc = api.Document{}
		}
		if p.conditions != nil {
			asked := o.asked()
			asked.Watches = p.watches[o.c]
			if err := p.conditions.Add(asked); err != nil {
				return p, fmt.Errorf("document %q: %w", o.Name, err)
			}
		}
	}
	if size > maxBatchBytes {
		return p, fmt.Errorf("%w: batch of %d bytes, the limit is %d", api.ErrTooLarge, size, maxBatchBytes)
	}
	p.record = make([]byte, 0, size)
	for i := range p.ops {
		p.record = p.ops[i].Encode(p.record)
		p.ops[i].end = len(p.record)
	}
	return p, nil
}

// resolve finds the collections of a batch by name. It begins the conditions if a put has
// any: whether an operation takes effect depends then on those before it.
func (db *DB) resolve(b *Batch, p *prepared) map[string]*collection {
	in := map[string]*collection{}
	db.mu.Lock()
	defer db.mu.Unlock()
	for i := range b.ops {
		o := &b.ops[i]
		if !o.ofDocument() {
			continue
		}
		c := db.collections[o.collection]
		in[o.collection] = c
		var s *record.Schema
		if c != nil {
			s = c.Schema
		}
		if o.Kind == record.OpPut && !b.again && (o.wants.Asked(s) || c != nil && len(c.groupings) > 0) {
			p.conditions = &condition.Batch{}
		}
		if c != nil && len(c.groupings) > 0 {
			if p.watches == nil {
				p.watches = map[*collection][]condition.Watch{}
			}
			p.watches[c] = c.watched()
		}
	}
	return in
}

// derive does the analysis of a put.
func (db *DB) derive(ctx context.Context, o *operation, maxText int64) error {
	c := o.c
	content, err := view.Apart(ctx, db.shared, int64(len(o.doc.Text)), func() (string, error) { return c.Content(&o.doc) })
	if err != nil {
		return err
	}
	if int64(len(content)) > maxText {
		return fmt.Errorf("%w: %d bytes of text and tokens, the limit is %d", api.ErrTooLarge, len(content), maxText)
	}
	done, err := db.shared.Analysing(ctx, int64(len(content)))
	if err != nil {
		return err
	}
	defer done()
	o.textBytes = int64(len(content))
	o.Derived, err = view.Apart(ctx, db.shared, o.textBytes, func() (*record.Derived, error) { return c.Derive(content) })
	if err != nil {
		return err
	}
	o.Text = db.shared.Codec.Encode(content, o.c.dictionaries.Load())
	if o.fields, err = o.c.FieldValues(o.Meta); err == nil && c.Settings.Ledger {
		o.hash, err = c.TextHash(content)
	}
	return err
}

// withoutVain leaves out deletions in docs as long as that is implied: it has no
// documents.
func (db *DB) withoutVain(ops []operation) ([]operation, error) {
	_, err := db.collection(api.DefaultCollection)
	if err == nil {
		return ops, nil
	}
	kept := ops[:0]
	for _, o := range ops {
		switch {
		case !o.Deletes() && o.Kind != record.OpMeta || o.collection != api.DefaultCollection:
			kept = append(kept, o)
		case o.mustExist:
			return nil, fmt.Errorf("document %q %w", o.Name, api.ErrNotFound)
		}
	}
	return kept, nil
}

// screen finds the operations that count, refuses those that no collection
// could take, and returns about how long the log record will be without texts.
func (db *DB) screen(b *Batch, maxText int64, p *prepared) (size int, err error) {
	for i := range b.ops {
		b.ops[i].place = i
	}
	ops := b.ops
	if b.metas > 0 {
		if ops, err = joinMetas(ops); err != nil {
			return 0, err
		}
	}
	last := map[[2]string]int{}
	erased := map[[2]string]bool{}
	for i, o := range ops {
		if key := [2]string{o.collection, o.Name}; o.Kind == record.OpErase {
			erased[key] = true
		} else if o.ofDocument() && erased[key] {
			return 0, fault.Invalid("document %q is erased, and changed behind that: use two batches", o.Name)
		}
		if o.ofDocument() && p.conditions == nil {
			if _, again := last[[2]string{o.collection, o.Name}]; again {
				p.superseded++
			}
			last[[2]string{o.collection, o.Name}] = i
		}
	}
	p.ops = make([]operation, 0, len(ops))
	for i, o := range ops {
		if o.ofDocument() {
			if p.conditions == nil && last[[2]string{o.collection, o.Name}] != i {
				continue
			}
			if err := record.CheckID(o.Name); err != nil {
				return 0, err
			}
		}
		if o.wants.Unless != nil {
			if err := o.wants.Unless.CanGuard(); err != nil {
				return 0, err
			}
		}
		if o.Kind == record.OpPut && int64(len(o.doc.Text)) > maxText {
			return 0, tooLong(o.Name, len(o.doc.Text), maxText)
		}
		if o.Kind == record.OpPut || o.Kind == record.OpMeta {
			if o.Meta, err = record.EncodeMeta(o.doc.Meta); err != nil {
				return 0, fmt.Errorf("document %q: %w", o.Name, err)
			}
		}
		size += len(o.Name) + len(o.Meta) + len(o.Value) + 32
		p.ops = append(p.ops, o)
	}
	return size, nil
}

func tooLong(id string, bytes int, limit int64) error {
	return fmt.Errorf("%w: document %q has %d bytes of text, the limit is %d", api.ErrTooLarge, id, bytes, limit)
}

// prepared is a batch ready to commit.
type prepared struct {
	ops        []operation
	record     []byte
	superseded int
	conditions *condition.Batch // nil: none, and each id is there once
	watches    map[*collection][]condition.Watch
	expected   []expected
	falls      []fall // rows of ledgers
}

// single prepares an operation that is alone in its batch.
func single(o operation) prepared {
	return prepared{ops: []operation{o}, record: o.Encode(nil)}
}

// createMissing makes the collections that a batch puts into. It makes none for
// a batch that would be refused, unless that is for its size, which only prepare
// tells.
func (db *DB) createMissing(ctx context.Context, b *Batch) error {
	missing := db.missing(b)
	if len(missing) == 0 {
		return nil
	}
	if _, err := db.screen(b, db.opts.MaxDocBytes, new(prepared)); err != nil {
		return err
	}
	for _, name := range missing {
		if _, err := record.NewSchema(db.opts.unicode, 0, name, api.Settings{}); err != nil {
			return err
		}
	}
	for _, o := range b.ops {
		if (o.Deletes() || o.Kind == record.OpMeta) && o.collection != api.DefaultCollection && !slices.Contains(missing, o.collection) {
			if _, err := db.collection(o.collection); err != nil {
				return err
			}
		}
	}
	for _, name := range missing {
		if err := db.createCollection(ctx, name, api.Settings{}); err != nil && !errors.Is(err, api.ErrExists) {
			return err
		}
	}
	return nil
}

// missing names the collections that a batch puts into and that are not there.
func (db *DB) missing(b *Batch) (names []string) {
	db.mu.Lock()
	defer db.mu.Unlock()
	for _, o := range b.ops {
		if o.Kind == record.OpPut && db.collections[o.collection] == nil && !slices.Contains(names, o.collection) {
			names = append(names, o.collection)
		}
	}
	return names
}
