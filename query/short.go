package query

// A note about texts that are too short: a text of fewer than k tokens is one shingle of its
// own, and so is similar to the same tokens alone.

import (
	"context"
	"fmt"
	"strings"

	"github.com/simdb/simdb/api"
)

// longestShort bounds the bytes of a text that may have fewer than k tokens.
const longestShort = 64 << 10

// noteShort adds a note to an answer without rows if the text looked for is why.
func (p *plan) noteShort(ctx context.Context, snap reader) {
	s, ok := p.source.(similarSource)
	if !ok || p.search.Measure.OfTexts() || s.target.ByFingerprint || s.target.ByTokens {
		return
	}
	for _, c := range p.search.In {
		info, err := snap.Collection(c)
		if err != nil || info.Settings.Unit == "token" {
			continue
		}
		text, ok := textOf(snap, s.target, c)
		if !ok {
			continue
		}
		if strings.TrimSpace(text) == "" {
			p.notes = append(p.notes, noContent)
			return
		}
		unit := map[string]string{"word": "words", "char": "characters"}[info.Settings.Unit]
		if short, err := isShort(ctx, snap, c, text, p.search.Args.K); err == nil && short {
			k, of := info.Settings.K, c
			if p.search.Args.K != 0 {
				k, of = p.search.Args.K, "the method"
			}
			p.notes = append(p.notes, fmt.Sprintf("the text has fewer than %d %s (k of %s), so only a text of the same %s is similar to it", k, unit, of, unit))
			return
		}
	}
}

// noContent is what paper 002's page says of a text with nothing in it.
const noContent = "This object has no content."

// noteEmpty notes that one of two texts has nothing to compare.
func (pl *planner) noteEmpty(in []string, targets ...api.Target) []string {
	for _, t := range targets {
		for _, c := range in {
			if text, ok := textOf(pl.snap, t, c); ok && strings.TrimSpace(text) == "" {
				return []string{noContent}
			}
		}
	}
	return nil
}

// textOf is the text of a target; false if it has none, or is not in the collection.
func textOf(snap reader, t api.Target, collection string) (string, bool) {
	switch {
	case t.ByFingerprint, t.ByTokens:
		return "", false
	case t.ByText:
		return t.Text, true
	}
	doc, err := snap.Get(collection, t.ID)
	return doc.Text, err == nil && doc.Tokens == nil
}

// isShort reports whether a text has fewer than k tokens; 0 means the collection's k. A text of k or more is contained in
// itself said twice. The one shingle of a shorter text stands for the whole, and is not.
func isShort(ctx context.Context, snap reader, collection, text string, k int) (bool, error) {
	if len(text) > longestShort {
		return false, nil
	}
	twice := api.ByText(text + "\n\n" + text)
	found, err := snap.CompareBy(ctx, api.ByText(text), twice, []string{collection}, []api.Method{{Measure: api.ContainmentOfQuery, Args: api.Args{K: k}}})
	if err != nil {
		return false, err
	}
	return found[0].None || found[0].Shared == 0, nil
}
