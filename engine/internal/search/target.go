package search

// Search targets: a stored document, a text, tokens or a fingerprint, analysed as each
// collection requires.

import (
	"context"
	"errors"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/engine/internal/segment"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/index"

	"github.com/simdb/simdb/internal/shingle"
)

// Probe is a text or stored set, prepared for a measure: facts for SimHash, the bag for
// measures of bags, the text for measures of texts. If the search has a k of its own, the bag
// has that k, but the facts have the k of the collection.
type Probe struct {
	bag   shingle.Bag
	facts index.Facts
	text  string

	of  *view.View // the collection of the set; nil if it is not stored
	set uint32
}

// ProbeOfSet reads a set of the reader's collection as a probe. It returns the reader's
// memory to the budget.
func ProbeOfSet(r *view.Reader, set uint32, m api.Measure) (p Probe, err error) {
	defer segment.CatchUnreadable(&err)()
	defer r.Free()
	p.facts, p.of, p.set = r.View.Facts(set), r.View, set
	switch {
	case m.OfBags():
		p.bag, err = r.Bag(set)
	case m.OfTexts():
		p.text, err = r.Text(set)
	}
	return p, err
}

// factsOf derives the facts of a bag; zero for an empty bag, since a search may ignore all
// shingles of a text.
func factsOf(bag shingle.Bag) index.Facts {
	if len(bag.Set) == 0 {
		return index.Facts{}
	}
	return record.Describe(bag).Facts
}

// target is a resolved Target. It caches texts and must be used from one goroutine.
type target struct {
	v    *view.View // the document's collection; nil for a text
	id   string     // of the document, or the name of a text
	set  uint32
	text string // given, or read on first use
	read bool

	tokens  []string // tokens given with the text; nil: none
	lexed   []byte   // result of a lexer, or nil
	hasText bool     // it has a text or is a document

	analysed *view.View // the view of the cached probe
	probe    Probe

	fingerprint uint64
	bare        bool // only the fingerprint is known
}

// resolve looks up the collections named, and each target's document in the first of them
// that has it.
func resolve(m *view.Snapshot, in []string, targets ...api.Target) ([]*view.View, []target, error) {
	views, err := m.ViewsOf(in)
	out := make([]target, len(targets))
	for i := 0; i < len(targets) && err == nil; i++ {
		out[i], err = resolveOne(m, targets[i], views)
	}
	return views, out, err
}

// resolveOne looks up one target; ErrNotFound if no view has its document.
func resolveOne(m *view.Snapshot, t api.Target, views []*view.View) (target, error) {
	switch {
	case t.Text != nil:
		return target{set: record.NoSet, id: t.Name, text: *t.Text, tokens: t.Tokens, lexed: t.Lexed, read: true, hasText: true}, nil
	case t.Tokens != nil:
		return target{set: record.NoSet, tokens: t.Tokens, read: true}, nil
	case t.Fingerprint != nil:
		return target{set: record.NoSet, fingerprint: uint64(*t.Fingerprint), bare: true}, nil
	}
	if t.Collection != "" {
		of, err := m.View(t.Collection)
		if err != nil {
			return target{}, err
		}
		views = []*view.View{of}
	}
	var err error
	for _, v := range views {
		var r record.DocumentRecord
		if r, err = m.Record(v, t.ID); err == nil {
			return target{v: v, id: t.ID, set: r.Set, hasText: true}, nil
		}
		if !errors.Is(err, api.ErrNotFound) {
			return target{}, err
		}
	}
	return target{}, err
}

// probeFor prepares the target as a probe for a method, with the analysis of a collection.
func (t *target) probeFor(ctx context.Context, m *view.Snapshot, v *view.View, by api.Method) (Probe, error) {
	r := m.Reader(v)
	p, err := t.probeBy(ctx, r, by)
	return p, errors.Join(err, r.Close())
}

// probeBy is probeFor with an open reader.
func (t *target) probeBy(ctx context.Context, r *view.Reader, by api.Method) (p Probe, err error) {
	if t.bare || !r.View.OtherK(by.Args.K) {
		return t.probeAsKept(ctx, r, by.Measure)
	}
	if p, err = t.probeAsKept(ctx, r, api.SimHash); err != nil { // for the facts
		return p, err
	}
	p.bag, err = t.bagAt(ctx, r.Snapshot, r.View, by.Args.K)
	return p, err
}

// probeAsKept is probeBy with the shingles that the collection keeps.
func (t *target) probeAsKept(ctx context.Context, r *view.Reader, m api.Measure) (p Probe, err error) {
	defer segment.CatchUnreadable(&err)()
	r.Heed(ctx)
	v := r.View
	if t.bare {
		if !m.OfFingerprints() {
			return p, fault.Invalid("a fingerprint is compared by simhash alone, not by %s", m)
		}
		p.facts.SimHash, p.facts.Distinct = t.fingerprint, 1
		return p, nil
	}
	if t.v == v {
		p.facts, p.of, p.set = v.Facts(t.set), v, t.set
		switch {
		case m.OfTexts(): // the text of this document: r.Text may return that of another in the set
			p.text, err = t.readText(r.Snapshot)
		case m.OfBags():
			p.bag, err = r.Bag(t.set)
		}
		return p, err
	}
	if err := t.readable(r.Snapshot, v, m); err != nil {
		return p, err
	}
	if t.analysed != v {
		p.text = t.text
		content, err := view.Apart(ctx, r.Snapshot.Shared, int64(len(t.text)), func() (string, error) { return t.content(v) })
		if err != nil {
			return p, err
		}
		done, err := r.Snapshot.Analysing(ctx, int64(len(content)))
		if err != nil {
			return p, err
		}
		defer done()
		analysed, err := view.Apart(ctx, r.Snapshot.Shared, int64(len(content)), func() (p Probe, _ error) {
			p.bag = v.Bag(content)
			p.facts = factsOf(p.bag)
			return p, nil
		})
		if err != nil {
			return p, err
		}
		p.bag, p.facts = analysed.bag, analysed.facts
		t.analysed, t.probe = v, p
	}
	return t.probe, nil
}

// readable reads the target. It returns api.ErrInvalid if the collection cannot apply the
// measure to it.
func (t *target) readable(m *view.Snapshot, v *view.View, by api.Measure) error {
	if _, err := t.readText(m); err != nil {
		return err
	}
	switch {
	case v.OwnTokens() && t.tokens == nil:
		return fault.Invalid("collection %q has unit = 'token': look for one of its documents, or ByTokens", v.Name)
	case !t.hasText && (by.OfTexts() || !v.OwnTokens()):
		return fault.Invalid("tokens without a text can be searched for only in collections with unit = 'token', and not by a measure of texts")
	}
	return nil
}

// content returns the content that a collection would store for the target.
func (t *target) content(v *view.View) (string, error) {
	d := api.Document{ID: t.id, Text: t.text, Lexed: t.lexed}
	if t.v != nil && t.v.Settings.Language != v.Settings.Language {
		d.Lexed = nil // of another language
	}
	if v.OwnTokens() {
		d.Tokens = t.tokens
	}
	return v.Content(&d)
}

// readText returns the text of a target other than a fingerprint. It reads the text once.
func (t *target) readText(m *view.Snapshot) (string, error) {
	if !t.read {
		content, err := m.Content(t.v, t.set, t.id)
		if err != nil {
			return "", err
		}
		var d api.Document
		if err := t.v.Open(content, &d); err != nil {
			return "", err
		}
		t.text, t.tokens, t.lexed, t.read = d.Text, d.Tokens, d.Lexed, true
	}
	return t.text, nil
}
