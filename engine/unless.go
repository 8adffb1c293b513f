package engine

// Conditional puts, as callers see them: search and put in one step (docs/decisions/0032).

import (
	"cmp"
	"context"
	"errors"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/condition"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/engine/internal/search"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/wal"
)

// PutUnlessSimilar adds a document unless another document is similar to it: a document
// stored when the commit reaches this put, or put by an earlier operation of the batch. It
// replaces a document with an equal id. q contains the measure and the threshold. The
// default measure is Jaccard; the default threshold is the unique_sim of the collection, or
// 0.8. It accepts SimHash and the measures of sets with the collection's own k. With an
// asymmetric measure the new document is the query. Dropped lists the refused documents.
func (b *Batch) PutUnlessSimilar(d api.Document, q Search) {
	b.Put(d)
	b.ops[len(b.ops)-1].wants.Unless = &q
}

// PutNewUnlessSimilar is PutUnlessSimilar for a new id. If the id exists when the
// commit reaches this put, the commit refuses the whole batch with ErrExists.
func (b *Batch) PutNewUnlessSimilar(d api.Document, q Search) {
	b.PutUnlessSimilar(d, q)
	b.ops[len(b.ops)-1].wants.New = true
}

// PutNew adds a document with a new id. If the id exists when the commit reaches this put,
// the commit refuses the whole batch with ErrExists.
func (b *Batch) PutNew(d api.Document) {
	b.Put(d)
	b.ops[len(b.ops)-1].wants.New = true
}

// PutReplacingSimilar adds a document and deletes the documents similar to it, in the sense
// of PutUnlessSimilar. With onlyLonger it does so only if the text is longer, in bytes,
// than each of theirs; otherwise the document is dropped. Evicted lists the deleted
// documents.
func (b *Batch) PutReplacingSimilar(d api.Document, q Search, onlyLonger bool) {
	b.Put(d)
	b.ops[len(b.ops)-1].wants = condition.Wants{Unless: &q, Replace: true, IfLonger: onlyLonger}
}

// Dropped returns the refused puts, in the order of the batch. It is valid after Commit, or
// once Load has acknowledged the batch.
func (b *Batch) Dropped() []api.Dropped { return b.dropped }

// Evicted returns the documents that puts of the batch have replaced by similarity, in the
// order of the batch, then by id. Op is the index of the put, ID the deleted document, and
// Match the new one. It is valid when Dropped is.
func (b *Batch) Evicted() []api.Dropped { return b.evicted }

// PutUnlessSimilar stores a document, durably, unless another one is similar to it; see
// Batch.PutUnlessSimilar. Search and put are atomic: of several concurrent calls with
// mutually similar texts, only one stores its document. The match of a refused document is
// the most similar document that caused the refusal, and is durable. shared, unless nil,
// receives the passages that the two documents share, as of the moment of the decision.
func (db *DB) PutUnlessSimilar(ctx context.Context, d api.Document, q Search, shared *[]api.Passage) (api.Match, api.Outcome, error) {
	b := Batch{shared: shared}
	b.PutUnlessSimilar(d, q)
	return db.commitOne(ctx, &b)
}

// PutNewUnlessSimilar is PutUnlessSimilar for a new id, or returns ErrExists.
func (db *DB) PutNewUnlessSimilar(ctx context.Context, d api.Document, q Search, shared *[]api.Passage) (api.Match, api.Outcome, error) {
	b := Batch{shared: shared}
	b.PutNewUnlessSimilar(d, q)
	return db.commitOne(ctx, &b)
}

// commitOne commits a batch of one put, and returns the outcome.
func (db *DB) commitOne(ctx context.Context, b *Batch) (api.Match, api.Outcome, error) {
	stats, err := db.Commit(ctx, b)
	switch {
	case err != nil:
		return api.Match{}, "", err
	case len(b.dropped) > 0:
		return b.dropped[0].Match, api.OutcomeRefused, nil
	case stats.Replaced > 0:
		return api.Match{}, api.OutcomeReplaced, nil
	}
	return api.Match{}, api.OutcomeStored, nil
}

// showShared sets shared to the passages that a refused document shares with its match.
func showShared(ctx context.Context, m *view.Snapshot, d api.Document, out condition.Outcome, shared *[]api.Passage) (err error) {
	if shared == nil {
		return nil
	}
	*shared = nil
	for _, dropped := range out.Dropped {
		*shared, err = search.Passages(ctx, m, api.Target{Text: &d.Text, Tokens: d.Tokens, Name: d.ID, Lexed: d.Lexed}, api.ByID(dropped.Match.ID), []string{dropped.Match.Collection}, api.Args{}, api.Ignoring{})
	}
	return err
}

// PutNew stores documents with new ids, all or none, durably, or returns ErrExists.
func (db *DB) PutNew(ctx context.Context, docs ...api.Document) error {
	return commitFor(ctx, db, docs, (*Batch).PutNew)
}

// IsNew reports whether PutUnlessSimilar would store the document now, and if not, the
// match that would refuse it. It stores nothing, and the result may be outdated at once.
// Without an id the document is compared with all others. In a collection that does not
// exist every document is new.
func (db *DB) IsNew(ctx context.Context, d api.Document, q Search, shared *[]api.Passage) (isNew bool, m api.Match, err error) {
	if err := db.lifecycle.enter(); err != nil {
		return false, m, err
	}
	defer db.lifecycle.leave()
	c, missing := db.collection(record.OrDefault(d.Collection))
	if err := q.CanGuard(); err != nil || errors.Is(missing, api.ErrNotFound) {
		return err == nil, m, err
	}
	if int64(len(d.Text)) > db.opts.MaxDocBytes {
		return false, m, tooLong(d.ID, len(d.Text), db.opts.MaxDocBytes)
	}
	o := put{document: document{of{c}, d.ID}}
	if err := db.derive(ctx, &o, &d, db.opts.MaxDocBytes); err != nil {
		return false, m, err
	}
	var b condition.Batch
	if err := b.Add(new(prepared).conditionOp(&o, condition.Wants{Unless: &q})); err != nil {
		return false, m, err
	}
	s := db.snapshot()
	out, err := b.Decide(ctx, s.view)
	if err == nil {
		err = showShared(ctx, s.view, d, out, shared)
	}
	if err = errors.Join(err, s.close()); err != nil {
		return false, m, err
	}
	if len(out.Dropped) == 0 {
		return true, m, nil
	}
	return false, out.Dropped[0].Match, db.isDurable(ctx, s.log)
}

// The extra step of a conditional commit. The conditions decide outside of the commit mutex
// which operations take effect, and again under it if another commit came in between
// (docs/decisions/0032).

// conditionOp returns an operation in the form that conditions evaluate.
func (p *prepared) conditionOp(o operation, wants condition.Wants) condition.Op {
	r, c := o.record(), o.in()
	op := condition.Op{Operation: &r, Wants: wants, Watches: p.watches[c]}
	if c != nil {
		op.Schema = c.Schema
	}
	if o, ok := o.(*put); ok {
		op.Place, op.Derived, op.TextBytes, op.Hash = o.place, o.Derived, o.textBytes, o.hash
	}
	return op
}

// lookAhead searches for conflicts in advance, so that little is left to compare when the
// batches are committed.
func (db *DB) lookAhead(ctx context.Context, conditional []prepared) error {
	batches := make([]*condition.Batch, len(conditional))
	for i, p := range conditional {
		batches[i] = p.conditions
	}
	s := db.snapshot()
	return errors.Join(condition.Look(ctx, s.view, batches...), s.close())
}

// commitConditional commits the operations that take effect, and records the others in the
// batch. It decides on a snapshot, and again under the commit mutex if another commit came
// since. The ticket is that of the last record that the outcome depends on.
func (db *DB) commitConditional(ctx context.Context, b *Batch, p prepared) (wal.Ticket, api.BatchStats, error) {
	for {
		if err := db.shared.Interrupted(ctx); err != nil {
			return wal.Ticket{}, api.BatchStats{}, err
		}
		s := db.snapshot()
		out, err := p.conditions.Decide(ctx, s.view)
		if err == nil {
			err = b.show(ctx, s.view, out)
		}
		if err = errors.Join(err, s.close()); err != nil {
			return wal.Ticket{}, api.BatchStats{}, db.onceDurable(ctx, s.log, err)
		}
		b.dropped, b.evicted = out.Dropped, out.Evicted
		if len(out.Kept)+len(out.Falls) == 0 {
			return s.log, api.BatchStats{Dropped: len(out.Dropped)}, db.onceDurable(ctx, s.log, out.Refused)
		}
		if ticket, stats, ok, err := db.commitDecided(ctx, b, p, out, s.seq); ok || err != nil {
			return ticket, stats, db.onceDurable(ctx, ticket, err)
		}
	}
}

// commitDecided commits a decision if it is current, and otherwise decides again. It
// returns false if the new decision would have to read the text of a document stored since,
// because reading must not block other commits.
func (db *DB) commitDecided(ctx context.Context, b *Batch, p prepared, out condition.Outcome, seq uint64) (_ wal.Ticket, _ api.BatchStats, ok bool, err error) {
	var now *Snapshot
	defer func() {
		if now != nil {
			if err == nil {
				err = b.show(ctx, now.view, out)
			}
			err = errors.Join(err, now.close())
		}
	}()
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.seq != seq {
		now = db.snapshotNow()
		if out, ok, err = p.conditions.DecideAgain(ctx, now.view); !ok || err != nil {
			return db.last, api.BatchStats{}, ok, err
		}
		b.dropped, b.evicted = out.Dropped, out.Evicted
	}
	if len(out.Kept)+len(out.Falls) == 0 {
		return db.last, api.BatchStats{Dropped: len(out.Dropped)}, true, out.Refused
	}
	ticket, stats, err := db.commitNow(p.by(out))
	stats.Dropped = len(out.Dropped)
	return ticket, stats, true, cmp.Or(err, out.Refused)
}

// show sets b.shared, if the caller requested it.
func (b *Batch) show(ctx context.Context, m *view.Snapshot, out condition.Outcome) error {
	if b.shared == nil {
		return nil
	}
	return showShared(ctx, m, b.ops[0].doc, out, b.shared)
}

// by returns the batch with only the operations that take effect, and with the deletions of
// replaced documents.
func (p prepared) by(out condition.Outcome) prepared {
	p.superseded = out.Superseded
	for i, alike := range out.Alike {
		p.ops[i].(*put).alike = alike
	}
	for _, f := range out.Falls {
		c := p.ops[f.Op].in()
		p.falls = append(p.falls, fall{c, f.Row, c.Number})
	}
	if len(out.Kept) == len(p.ops) && len(out.Deleted) == 0 {
		return p
	}
	kept := p
	kept.ops, kept.record, kept.ends = make([]operation, 0, len(out.Kept)+len(out.Deleted)), make([]byte, 0, len(p.record)), nil
	for _, i := range out.Kept {
		begin := 0
		if i > 0 {
			begin = p.ends[i-1]
		}
		kept.ops, kept.record = append(kept.ops, p.ops[i]), append(kept.record, p.record[begin:p.ends[i]]...)
	}
	for _, d := range out.Deleted {
		kept.add(&removal{document{of{p.ops[d.Op].in()}, d.ID}})
	}
	return kept
}

// onceDurable returns err once the records that it refers to are durable.
func (db *DB) onceDurable(ctx context.Context, last wal.Ticket, err error) error {
	if err == nil {
		return nil
	}
	return cmp.Or(db.isDurable(ctx, last), err)
}
