package query

// A note about texts that are too short: a text of fewer than k tokens is one shingle of its
// own, and so is similar to the same tokens alone.

import (
	"context"
	"fmt"

	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/internal/measure"
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
		text := s.target.Text
		if !s.target.ByText {
			doc, err := snap.Get(c, s.target.ID)
			if err != nil {
				continue
			}
			text = doc.Text
		}
		unit := map[string]string{"word": "words", "char": "characters"}[info.Settings.Unit]
		if short, err := isShort(ctx, snap, c, text); err == nil && short {
			p.notes = append(p.notes, fmt.Sprintf("the text has fewer than %d %s (k of %s), so only a text of the same %s is similar to it", info.Settings.K, unit, c, unit))
			return
		}
	}
}

// isShort reports whether a text has fewer than k tokens. A text of k or more is contained in
// itself said twice. The one shingle of a shorter text stands for the whole, and is not.
func isShort(ctx context.Context, snap reader, collection, text string) (bool, error) {
	if len(text) > longestShort {
		return false, nil
	}
	twice := engine.ByText(text + "\n\n" + text)
	found, err := snap.CompareBy(ctx, engine.ByText(text), twice, []string{collection}, []engine.Method{{Measure: measure.ContainmentOfQuery}})
	if err != nil {
		return false, err
	}
	return found[0].None || found[0].Shared == 0, nil
}
