package plan

// Notes about texts that are too short, or empty, and about a threshold that was assumed.

import (
	"context"
	"fmt"
	"strings"

	"github.com/simdb/simdb/api"

	"github.com/simdb/simdb/query/syntax"
)

// longestShort bounds the bytes of a text that may have fewer than k tokens.
const longestShort = 64 << 10

// Ended completes the notes of a plan whose rows have been read: so many came out, of so many
// records that the WHERE kept.
func (p *Plan) Ended(ctx context.Context, rows, kept int64) {
	p.hint(rows)
	if kept > 0 || p.target == nil || p.Search.Measure.OfTexts() || p.target.Fingerprint != nil || p.target.Tokens != nil {
		return
	}
	defer p.lower(ctx)
	for _, c := range p.Search.In {
		if note := p.short(ctx, c); note != "" {
			p.notes = append(p.notes, note)
			return
		}
	}
}

// fewRows is how many documents the note of an empty answer looks for.
const fewRows = 3

// lower notes of an answer without rows from which threshold on there would be some.
func (p *Plan) lower(ctx context.Context) {
	q := p.Search
	if !p.hints || len(p.notes) > 1 || !q.Measure.OfBags() || q.Min == (api.Threshold{}) {
		return
	}
	asked := q.Min.Float64()
	q.Min, q.Limit = api.Threshold{}, fewRows
	if p.keep != nil {
		q.Limit = FirstLimit(fewRows)
	}
	in, _, err := p.Start(ctx, q)
	if err != nil {
		return
	}
	found, least := 0, 0.0
	for rec, err := range in {
		if err != nil || found == fewRows {
			break
		}
		if keep, err := p.Keeps(ctx, rec); keep && err == nil {
			found, least = found+1, rec.simFloat
		}
	}
	percent := int(least*100 + 1e-9)
	if found == 0 || percent == 0 || least >= asked {
		return
	}
	note := fmt.Sprintf("nothing at %.4g %%; %d at %d %%", asked*100, found, percent)
	if grade := api.Grade(least); grade != "" && q.Measure == api.Jaccard {
		note += " (" + grade + ")"
	}
	p.notes = append(p.notes, note)
}

// short is the note of an answer without rows if the text looked for is why, as a collection
// reads it; "" if it is not.
func (p *Plan) short(ctx context.Context, collection string) string {
	info, err := p.all.Collection(collection)
	if err != nil || info.Settings.Unit == "token" || info.Settings.Unit == "code" {
		return ""
	}
	text, ok := textOf(p.all, *p.target, collection)
	if !ok {
		return ""
	}
	if strings.TrimSpace(text) == "" {
		return noContent
	}
	if short, err := isShort(ctx, p.all, collection, text, p.Search.Args.K); err != nil || !short {
		return ""
	}
	unit := map[string]string{"word": "words", "char": "characters"}[info.Settings.Unit]
	k, of := info.Settings.K, collection
	if p.Search.Args.K != 0 {
		k, of = p.Search.Args.K, "the method"
	}
	return fmt.Sprintf("the text has fewer than %d %s (k of %s), so only a text of the same %s is similar to it", k, unit, of, unit)
}

// noContent is what paper 002's page says of a text with nothing in it.
const noContent = "This object has no content."

// Empty notes that one of two texts has nothing to compare.
func (pl *Planner) Empty(in []string, targets ...api.Target) []string {
	for _, t := range targets {
		for _, c := range in {
			if text, ok := textOf(pl.all, t, c); ok && strings.TrimSpace(text) == "" {
				return []string{noContent}
			}
		}
	}
	return nil
}

// textOf is the text of a target; false if it has none, or is not in the collection.
func textOf(snap Reader, t api.Target, collection string) (string, bool) {
	switch {
	case t.Fingerprint != nil, t.Tokens != nil:
		return "", false
	case t.Text != nil:
		return *t.Text, true
	}
	doc, err := snap.Get(collection, t.ID)
	return doc.Text, err == nil && doc.Tokens == nil
}

// isShort reports whether a text has fewer than k tokens; 0 means the collection's k. A text of k or more is contained in
// itself said twice. The one shingle of a shorter text stands for the whole, and is not.
func isShort(ctx context.Context, snap Reader, collection, text string, k int) (bool, error) {
	if len(text) > longestShort {
		return false, nil
	}
	twice := api.ByText(text + "\n\n" + text)
	found, err := snap.CompareBy(ctx, api.ByText(text), twice, []string{collection}, []api.Method{{Measure: api.ContainmentOfQuery, Args: api.Args{K: k}}}, api.Ignoring{})
	if err != nil {
		return false, err
	}
	return found[0].None || found[0].Shared == 0, nil
}

// hint adds to the note of a threshold that was assumed how to have as many rows as were
// asked for.
func (p *Plan) hint(out int64) {
	s, ok := p.stmt.(*syntax.Similar)
	if !ok || !p.assumed || s.Limit == nil || p.Count || out >= p.Limit {
		return
	}
	which := "most similar"
	if p.Limit > 1 {
		which = itoa(p.Limit) + " " + which
	}
	p.notes[0] += fmt.Sprintf("; NEAREST %d finds the %s", p.Limit, which)
}
