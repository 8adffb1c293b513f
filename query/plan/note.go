package plan

// Notes about short or empty texts, and about an assumed threshold.

import (
	"context"
	"fmt"
	"strings"

	"github.com/simdb/simdb/api"

	"github.com/simdb/simdb/query/syntax"
)

// longestShort bounds the bytes of a text that may have fewer than k tokens. Longer texts
// need no check.
const longestShort = 64 << 10

// Ended completes the notes of a plan after its rows have been read. rows counts the
// output, kept the records that passed the WHERE.
func (p *Plan) Ended(ctx context.Context, rows, kept int64) {
	p.hint(rows)
	// Only an empty answer to a text needs an explanation.
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

// ChainNotes returns notes about the groups of CLUSTERS with members that are not similar.
func ChainNotes(plan *api.Plan) (notes []string) {
	for _, c := range plan.Chains {
		notes = append(notes, fmt.Sprintf("cluster %s of %d documents is a chain: the sim of %s and %s is %.4g, and %d or more similar pairs lead from one to the other",
			syntax.Quote(c.Cluster), c.Size, syntax.Quote(c.A), syntax.Quote(c.B), c.Sim, c.Steps))
	}
	if notes != nil {
		notes = append(notes, "SELECT DUPLICATES and CREATE GROUPS … STARS require similarity to one document; IGNORING MORE THAN n DOCUMENTS disregards common templates")
	}
	return notes
}

// fewRows is the number of documents that lower searches for.
const fewRows = 3

// lower adds the threshold that would give rows to the notes of an answer without rows.
func (p *Plan) lower(ctx context.Context) {
	q := p.Search
	if !p.hints || len(p.notes) > 1 || !q.Measure.OfBags() || q.Min == (api.Threshold{}) {
		return
	}
	asked := q.Min.Float64()
	// Without a threshold the best rows come first, whatever their score.
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
	// Rounded down, so that the suggested threshold does return the rows.
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

// short returns the note for an answer without rows because the target's text is too short
// for the collection; "" if the text is long enough.
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

// noContent is the wording of paper 002 for a text without content.
const noContent = "This object has no content."

// Empty returns a note if one of the targets has an empty text.
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

// textOf returns the text of a target. It reports false if the target has none, or is not
// in the collection.
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

// isShort reports whether a text has fewer than k tokens; a k of 0 means that of the
// collection. The test compares the text with its own repetition: a text of k or more
// tokens is contained in it, but the only shingle of a shorter text, which stands for the
// whole, is not.
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

// hint extends the note about an assumed threshold: NEAREST would return as many rows as
// the LIMIT.
func (p *Plan) hint(out int64) {
	s, ok := p.stmt.(*syntax.Similar)
	if !ok || !p.assumed || s.Limit == nil || p.Count || out >= p.Limit {
		return
	}
	which := "most similar"
	if p.Limit > 1 {
		which = itoa(p.Limit) + " " + which
	}
	// The first note is the one about the threshold; see Plan.assumed.
	p.notes[0] += fmt.Sprintf("; NEAREST %d finds the %s", p.Limit, which)
}
