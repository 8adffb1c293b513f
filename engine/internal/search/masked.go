package search

// Ignored shingles in the texts themselves: the measures skip the bytes of an ignored
// shingle.

import (
	"bytes"
	"context"
	"unicode/utf8"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/text"
)

// mask overwrites the ignored shingles of a text in normal form with the byte blank and returns
// the number of characters overwritten. The two texts of a comparison use different blanks, so
// that no blank of one matches the other; blanks in the original text are replaced too.
func mask(v *view.View, r *measure.Reading, norm []byte, blank byte) (gone int) {
	if r == nil || r.Ignores == nil {
		return 0
	}
	// Work on a copy: Places reads norm below.
	masked := bytes.Clone(norm)
	for i, c := range norm {
		if c == ofQuery || c == ofDoc {
			masked[i] = blank
		}
	}
	end := 0 // end of the masked range
	v.Analysis.Places(norm, func(shingle uint64, at text.Token) {
		if !r.Ignores(shingle) {
			return
		}
		// Shingles overlap: mask and count each character once.
		from := max(at.Start, end)
		end = max(at.End, end)
		gone += utf8.RuneCount(norm[from:end])
		for i := from; i < end; i++ {
			masked[i] = blank
		}
	})
	copy(norm, masked)
	return gone
}

// The blanks of the two sides are control characters, which ordinary texts do not contain.
const (
	ofQuery = 1
	ofDoc   = 2
)

// cut returns a text without the ignored shingles, with blank lines in their place.
func cut(v *view.View, r *measure.Reading, doc string) string {
	const blank = 1
	whole := v.Analysis.Form.Align(doc)
	norm := bytes.Clone(whole.Norm)
	if mask(v, r, norm, blank) == 0 {
		return doc
	}
	var out []byte
	at := 0
	for i := 0; i < len(norm); i++ {
		if norm[i] != blank {
			continue
		}
		from := i
		for i < len(norm) && norm[i] == blank {
			i++
		}
		start, end := whole.Raw(from, i)
		out = append(append(out, doc[at:max(start, at)]...), "\n\n"...)
		at = max(end, at)
	}
	return string(append(out, doc[at:]...))
}

// cutProbe compares texts from which ignored shingles are cut. No index covers such texts.
type cutProbe struct {
	textProbe
	cut func(doc string) string
}

// score cuts the ignored shingles out of doc first.
func (p *cutProbe) score(ctx context.Context, doc string) (measure.Score, error) {
	return p.textProbe.score(ctx, p.cut(doc))
}

// scoreSet reads the text, because stored features include the ignored shingles.
func (p *cutProbe) scoreSet(ctx context.Context, r *view.Reader, set uint32) (measure.Score, error) {
	doc, err := r.Text(set)
	if err != nil {
		return measure.Score{}, err
	}
	return scoreApart(ctx, r.Snapshot, p, 0, doc)
}

// evidence cuts the ignored shingles out of doc first.
func (p *cutProbe) evidence(ctx context.Context, doc string) (api.Evidence, error) {
	return evidenceOf(ctx, p.textProbe, p.cut(doc))
}
