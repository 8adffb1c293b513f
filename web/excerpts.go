package web

// POST /api/v1/excerpts: an excerpt of each of some documents, for rows that would only show ids.
// With a target, an excerpt surrounds the longest common passage and marks the common parts;
// otherwise it is the beginning of the document.

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
)

const (
	maxExcerpts    = 100 // maximum number of documents of a request
	defaultExcerpt = 240 // bytes; excerpts begin and end between words
	maxExcerpt     = 4000
	maxWord        = 30              // bytes before a cut that are searched for the start of a word
	excerptsTime   = 2 * time.Second // for comparing; the remaining excerpts are beginnings
)

type excerptsRequest struct {
	ID         string      `json:"id"`
	Store      string      `json:"store"`
	Text       *string     `json:"text"`
	Collection string      `json:"collection"`
	Of         []excerptOf `json:"of"`
	Size       int         `json:"size"`
	Ignoring   ignoring    `json:"ignoring"`
}

type excerptOf struct {
	Store      string `json:"store"`
	Collection string `json:"collection"`
	ID         string `json:"id"`
}

type excerptsAnswer struct {
	Excerpts []excerpt `json:"excerpts"`
	Notes    []string  `json:"notes"`
	Elapsed  float64   `json:"elapsed_ms"`
}

// excerpt is the result for one document. Text is null if the document is missing or unreadable.
type excerpt struct {
	Text     *string `json:"text"`
	Begins   int     `json:"begins"` // offset in the document, in bytes
	Size     int     `json:"size"`   // of the document, in bytes
	Marks    []span  `json:"marks"`
	Passages int     `json:"passages"`
	Chars    int     `json:"chars"` // of all passages
	Overlap  *share  `json:"overlap"`
}

// share is the share of the smaller text that the other contains. It is null without a target, and its
// sim is null if a text is too short.
type share struct {
	Sim    *float64 `json:"sim"`
	Shared uint64   `json:"shared"`
	Of     uint64   `json:"of"`
}

// excerpts answers with one excerpt per document. When the time for comparing is up, the rest are
// beginnings, so that the page always has text to show.
func excerpts(c *call) error {
	req := excerptsRequest{Size: defaultExcerpt}
	if err := c.decode(&req); err != nil {
		return err
	}
	if err := within("size", req.Size, 1, maxExcerpt); err != nil {
		return err
	}
	if err := within("the number of documents in of", len(req.Of), 0, maxExcerpts); err != nil {
		return err
	}
	all, err := c.snapshots()
	if err != nil {
		return err
	}
	a := excerptsAnswer{Excerpts: []excerpt{}, Notes: []string{}}
	target, err := req.target(c.ctx, all)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(c.ctx, excerptsTime)
	defer cancel()
	for _, of := range req.Of {
		e, err := of.excerpt(ctx, all, target, req.Ignoring, req.Size)
		if errors.Is(err, context.DeadlineExceeded) && c.ctx.Err() == nil {
			a.Notes = append(a.Notes, fmt.Sprintf("only the first %d documents were compared within %v; the other excerpts are beginnings", len(a.Excerpts), excerptsTime))
			target, ctx = nil, c.ctx
			e, err = of.excerpt(ctx, all, nil, req.Ignoring, req.Size)
		}
		if err != nil {
			return err
		}
		a.Excerpts = append(a.Excerpts, e)
	}
	a.Elapsed = c.elapsed()
	return c.respond(a)
}

// target returns the target, nil if the request has none.
func (r excerptsRequest) target(ctx context.Context, all snapshots) (*api.Target, error) {
	if r.ID == "" && r.Text == nil {
		return nil, nil
	}
	var text sideText
	var notes []string
	t, snap, err := side{ID: r.ID, Store: r.Store, Text: r.Text, Collection: collectionOf(r.Collection)}.find(ctx, all, &text, &notes)
	if err == nil && snap != nil {
		t, err = elsewhere(ctx, snap, t, collectionOf(r.Collection))
	}
	return &t, err
}

// excerpt reads a document and its passages in common with the target.
func (of excerptOf) excerpt(ctx context.Context, all snapshots, target *api.Target, ignored ignoring, size int) (e excerpt, err error) {
	e.Marks = []span{}
	snap, err := all.store(of.Store)
	if err != nil {
		return e, err
	}
	in := collectionOf(of.Collection)
	doc, err := snap.Get(ctx, in, of.ID)
	if _, ok := errors.AsType[*api.UnreadableError](err); ok || errors.Is(err, api.ErrNotFound) {
		return e, nil
	}
	if err != nil {
		return e, err
	}
	var found []api.Passage
	if target != nil {
		found, err = snap.Passages(ctx, *target, api.ByID(of.ID), ignored.with(simdb.In(in))...)
		if err != nil && !errors.Is(err, api.ErrInvalid) { // no passages in this collection: use the beginning
			return e, err
		}
		scores, err := snap.Compare(ctx, *target, api.ByID(of.ID), ignored.with(simdb.In(in), simdb.Using(api.Overlap))...)
		if err != nil {
			return e, err
		}
		e.Overlap = &share{Shared: scores[0].Shared, Of: scores[0].Of}
		if !scores[0].None {
			e.Overlap.Sim = &scores[0].Sim
		}
	}
	e.cut(doc.Text, found, size)
	return e, nil
}

// cut selects the excerpt around the longest passage.
func (e *excerpt) cut(text string, found []api.Passage, size int) {
	from := 0
	var longest api.Passage
	for _, p := range found {
		e.Chars += p.Chars
		if p.Chars > longest.Chars {
			longest = p
		}
	}
	e.Passages, e.Size = len(found), len(text)
	if longest.BEndByte > size {
		from = max(0, longest.BStartByte-max(size/4, (size-(longest.BEndByte-longest.BStartByte))/2))
	}
	from, to := wordAt(text, from), wordAt(text, min(len(text), from+size))
	piece := text[from:to]
	e.Text, e.Begins = &piece, from
	at := newPlaces(piece)
	var marks [][2]int
	for _, p := range found {
		if a, b := max(p.BStartByte, from), min(p.BEndByte, to); a < b {
			marks = append(marks, [2]int{a - from, b - from})
			at.add(a-from, b-from)
		}
	}
	at.measure()
	for _, m := range marks {
		e.Marks = append(e.Marks, at.span(m[0], m[1]))
	}
}

// wordAt returns the start of the word at i, or of the character if the word starts more than
// maxWord bytes before.
func wordAt(text string, i int) int {
	if i == len(text) {
		return i
	}
	if space := strings.LastIndexAny(text[max(0, i-maxWord):i], " \t\n"); space >= 0 {
		return max(0, i-maxWord) + space + 1
	}
	for i > 0 && !utf8.RuneStart(text[i]) {
		i--
	}
	return i
}
