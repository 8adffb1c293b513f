package web

// POST /api/v1/excerpts: a piece of each of some documents, for a row that would else show an id
// alone. Beside a target it is the piece around the longest passage that both have, with what is in
// the target marked; else it is the beginning.

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
	maxExcerpts  = 100 // documents of a request
	usualExcerpt = 240 // bytes of a piece, which begins and ends between words
	maxExcerpt   = 4000
	maxWord      = 30              // bytes before the end of a piece in which a word may begin
	excerptsTime = 2 * time.Second // for comparing; the rest show their beginnings
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

// excerpt is null for a document that is gone or cannot be read.
type excerpt struct {
	Text     *string `json:"text"`
	Begins   int     `json:"begins"` // byte of the document
	Size     int     `json:"size"`   // bytes of the document
	Marks    []span  `json:"marks"`
	Passages int     `json:"passages"`
	Chars    int     `json:"chars"` // of all passages
}

func excerpts(c *call) error {
	asked := excerptsRequest{Size: usualExcerpt}
	if err := c.asked(&asked); err != nil {
		return err
	}
	if err := within("size", asked.Size, 1, maxExcerpt); err != nil {
		return err
	}
	if err := within("the number of documents in of", len(asked.Of), 0, maxExcerpts); err != nil {
		return err
	}
	all, err := c.snapshots()
	if err != nil {
		return err
	}
	a := excerptsAnswer{Excerpts: []excerpt{}, Notes: []string{}}
	target, err := asked.target(c.ctx, all)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(c.ctx, excerptsTime)
	defer cancel()
	for _, of := range asked.Of {
		e, err := of.excerpt(ctx, all, target, asked.Ignoring, asked.Size)
		if errors.Is(err, context.DeadlineExceeded) && c.ctx.Err() == nil {
			a.Notes = append(a.Notes, fmt.Sprintf("passages in common were looked for in the first %d documents only: no more were compared in %v", len(a.Excerpts), excerptsTime))
			target, ctx = nil, c.ctx
			e, err = of.excerpt(ctx, all, nil, asked.Ignoring, asked.Size)
		}
		if err != nil {
			return err
		}
		a.Excerpts = append(a.Excerpts, e)
	}
	a.Elapsed = c.elapsed()
	return c.give(a)
}

// target is what the documents are compared with, nil if they are not.
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

// excerpt reads a document, and what it has of the target.
func (of excerptOf) excerpt(ctx context.Context, all snapshots, target *api.Target, left ignoring, size int) (e excerpt, err error) {
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
		found, err = snap.Passages(ctx, *target, api.ByID(of.ID), left.with(simdb.In(in))...)
		if err != nil && !errors.Is(err, api.ErrInvalid) { // where there are no passages, the beginning will do
			return e, err
		}
	}
	e.cut(doc.Text, found, size)
	return e, nil
}

// cut chooses the piece around the longest passage.
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

// wordAt is the place, or the begin of the word that it is in; of a very long one that of the
// character.
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
