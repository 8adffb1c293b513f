package web

// POST /api/v1/compare: the scores of two texts by every measure, with the positions of their
// common passages and near sentences.

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
)

// maxPieces is the maximum number of passages of a response, and of sentences.
const maxPieces = 1000

type compareRequest struct {
	A        side            `json:"a"`
	B        side            `json:"b"`
	Min      json.RawMessage `json:"min"`
	Bits     json.RawMessage `json:"bits"`
	Ignoring ignoring        `json:"ignoring"`
}

// side is one of the two texts in the request.
type side struct {
	ID         string  `json:"id"`
	Store      string  `json:"store"`
	Text       *string `json:"text"`
	Collection string  `json:"collection"`
}

type compareAnswer struct {
	A             sideText   `json:"a"`
	B             sideText   `json:"b"`
	Measures      []score    `json:"measures"`
	Passages      []piece    `json:"passages"`
	MorePassages  bool       `json:"more_passages"`
	Sentences     []sentence `json:"sentences"`
	MoreSentences bool       `json:"more_sentences"`
	Notes         []string   `json:"notes"`
	Elapsed       float64    `json:"elapsed_ms"`
}

type sideText struct {
	ID         *string `json:"id"`
	Store      string  `json:"store,omitempty"` // of several
	Collection *string `json:"collection"`
	Text       string  `json:"text"`
	Size       int     `json:"size"`
	Content    bool    `json:"content"`
}

type score struct {
	Measure string   `json:"measure"`
	Sim     *float64 `json:"sim"`
	Shared  *uint64  `json:"shared"`
	Union   *uint64  `json:"union"`
	Of      *uint64  `json:"of"` // sim is shared of this
	Dist    *int     `json:"dist"`
}

type piece struct {
	A     span `json:"a"`
	B     span `json:"b"`
	Chars int  `json:"chars"`
}

type sentence struct {
	piece
	Dist int `json:"dist"`
}

// compare answers for two texts of one database or of two.
func compare(c *call, req compareRequest) error {
	passages, err := arguments{"min": req.Min}.args(api.Patricia)
	if err != nil {
		return err
	}
	sentences, err := arguments{"bits": req.Bits}.args(api.Versions)
	if err != nil {
		return err
	}
	all, err := c.snapshots()
	if err != nil {
		return err
	}
	ans := compareAnswer{Measures: []score{}, Passages: []piece{}, Sentences: []sentence{}, Notes: []string{}}
	a, inA, err := req.A.find(c.ctx, all, &ans.A, &ans.Notes)
	if err != nil {
		return err
	}
	b, inB, err := req.B.find(c.ctx, all, &ans.B, &ans.Notes)
	if err != nil {
		return err
	}
	in, snap := collectionOf(req.A.Collection), inA
	switch other := collectionOf(req.B.Collection); { // both texts are read with the settings of one collection of one database, the first of two
	case inA == nil && inB != nil:
		in, snap = other, inB
	case other != in:
		b = api.ByText(ans.B.Text)
	case inB != nil && inB != inA:
		if b, err = elsewhere(c.ctx, inB, b, in); err != nil {
			return err
		}
	}
	if snap == nil {
		if snap, err = all.having(in); err != nil {
			return err
		}
	}
	if err := ans.compare(c, snap, a, b, in, req.Ignoring, passages, sentences); err != nil {
		return err
	}
	ans.Elapsed = c.elapsed()
	return c.respond(ans)
}

// compare fills the scores, passages and sentences.
func (ans *compareAnswer) compare(c *call, snap *simdb.Snapshot, a, b api.Target, in string, left ignoring, passages, sentences api.Args) error {
	scores, err := snap.Compare(c.ctx, a, b, left.with(simdb.In(in), simdb.Using(api.Overlap))...) // the leading number
	if err != nil {
		return err
	}
	others, err := snap.Compare(c.ctx, a, b, left.with(simdb.In(in))...)
	if err != nil {
		return err
	}
	for _, s := range append(scores, others...) {
		has := s.Measure.Counts() && !s.None
		ans.Measures = append(ans.Measures, score{
			Measure: s.Measure.Describe(s.Args), Sim: of(!s.None, s.Sim),
			Shared: of(has, s.Shared), Union: of(has, s.Union), Of: of(has, s.Of), Dist: of(s.Measure.OfFingerprints() && !s.None, s.Dist),
		})
	}
	found, err := snap.Passages(c.ctx, a, b, left.with(simdb.In(in), simdb.Using(api.Patricia, passages))...)
	if err := ans.without("passages", err); err != nil {
		return err
	}
	near, err := snap.Sentences(c.ctx, a, b, simdb.In(in), simdb.Using(api.Versions, sentences))
	if err := ans.without("sentences", err); err != nil {
		return err
	}
	if left != (ignoring{}) {
		ans.Notes = append(ans.Notes, "nothing is left out of sentences")
	}
	if ans.MorePassages = len(found) > maxPieces; ans.MorePassages {
		found = found[:maxPieces]
	}
	if ans.MoreSentences = len(near) > maxPieces; ans.MoreSentences {
		near = near[:maxPieces]
	}
	inA, inB := newPlaces(ans.A.Text), newPlaces(ans.B.Text)
	for _, p := range found {
		inA.add(p.AStartByte, p.AEndByte)
		inB.add(p.BStartByte, p.BEndByte)
	}
	for _, p := range near {
		inA.add(p.AStartByte, p.AEndByte)
		inB.add(p.BStartByte, p.BEndByte)
	}
	inA.measure()
	inB.measure()
	for _, p := range found {
		ans.Passages = append(ans.Passages, piece{inA.span(p.AStartByte, p.AEndByte), inB.span(p.BStartByte, p.BEndByte), p.Chars})
	}
	for _, p := range near {
		ans.Sentences = append(ans.Sentences, sentence{piece{inA.span(p.AStartByte, p.AEndByte), inB.span(p.BStartByte, p.BEndByte), p.Chars}, p.Dist})
	}
	return nil
}

// without turns ErrInvalid into a note, because some collections have no passages or sentences,
// such as collections of own tokens.
func (ans *compareAnswer) without(pieces string, err error) error {
	if errors.Is(err, api.ErrInvalid) {
		ans.Notes = append(ans.Notes, "no "+pieces+": "+oneLine(err))
		return nil
	}
	return err
}

// elsewhere returns a document as a target for another database.
func elsewhere(ctx context.Context, snap *simdb.Snapshot, t api.Target, collection string) (api.Target, error) {
	doc, err := snap.Get(ctx, collection, t.ID)
	return api.Target{Text: &doc.Text, Tokens: doc.Tokens, Name: doc.ID, Lexed: doc.Lexed}, err
}

// find reads the text of a side. The snapshot is that of its database, nil for a text in the
// request.
func (s side) find(ctx context.Context, all snapshots, into *sideText, notes *[]string) (t api.Target, snap *simdb.Snapshot, err error) {
	switch {
	case (s.ID == "") == (s.Text == nil):
		return t, nil, bad("name each side as id or as text, not both")
	case s.Text != nil && s.Store != "":
		return t, nil, bad("a text is of no store: leave store out")
	case s.Text != nil:
		t, into.Text = api.ByText(*s.Text), *s.Text
	default:
		if snap, err = all.store(s.Store); err != nil {
			return t, nil, err
		}
		doc, err := snap.Get(ctx, s.Collection, s.ID)
		if err != nil {
			return t, nil, err
		}
		t, into.Text = api.ByID(s.ID), doc.Text
		into.ID, into.Store, into.Collection = &doc.ID, s.Store, &doc.Collection
	}
	into.Size, into.Content = len(into.Text), hasContent(into.Text)
	if !into.Content {
		*notes = append(*notes, noContent)
	}
	return t, snap, nil
}
