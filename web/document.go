package web

// /api/v1/document: reading, and with Options.Writable putting and deleting, one document.

import (
	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
)

type documentAnswer struct {
	Store      string   `json:"store,omitempty"` // of several
	Collection string   `json:"collection"`
	ID         string   `json:"id"`
	Text       string   `json:"text"`
	Metadata   api.Meta `json:"metadata"`
	Path       *string  `json:"path"`
	Size       int64    `json:"size"`
	Shingles   int64    `json:"shingles"`
	SimHash    *string  `json:"simhash"`
	SI         []*int64 `json:"si"`
	Content    bool     `json:"content"`
}

// named returns the document that the URL names.
func (c *call) named() (store, collection, id string, err error) {
	req, err := c.parameters("store", "collection", "id")
	if err == nil && req["id"] == "" {
		err = bad("say which document: ?id=…")
	}
	return req["store"], collectionOf(req["collection"]), req["id"], err
}

// document answers with a document and its text.
func document(c *call) error {
	store, collection, id, err := c.named()
	if err != nil {
		return err
	}
	all, err := c.snapshots()
	if err != nil {
		return err
	}
	snap, err := all.store(store)
	if err != nil {
		return err
	}
	doc, err := snap.Get(c.ctx, collection, id)
	if err != nil {
		return err
	}
	info, err := snap.Info(c.ctx, collection, id)
	if err != nil {
		return err
	}
	a := documentAnswer{Store: store, Collection: doc.Collection, ID: doc.ID, Text: doc.Text, Metadata: doc.Meta, Path: pathOf(doc.Meta),
		Size: info.TextBytes, Shingles: info.Shingles, SI: []*int64{}, Content: hasContent(doc.Text) || info.Shingles > 0}
	a.SimHash = of(info.Shingles > 0, api.Fingerprint(info.SimHash).String())
	for _, si := range info.SI {
		a.SI = append(a.SI, of(si.Valid, si.Value))
	}
	return c.respond(a)
}

type documentPut struct {
	Text     *string  `json:"text"`
	Metadata api.Meta `json:"metadata"`
	Tokens   []string `json:"tokens"`

	UnlessSimilar *similarity `json:"unless_similar"`
}

type storedAnswer struct {
	Collection string `json:"collection"`
	ID         string `json:"id"`
	Stored     bool   `json:"stored"`
	Replaced   *bool  `json:"replaced"`
	Like       *like  `json:"like"`
}

// like is a document with its similarity to another document.
type like struct {
	ID     string  `json:"id"`
	Sim    float64 `json:"sim"`
	Shared *uint64 `json:"shared"`
	Union  *uint64 `json:"union"`
	Dist   *int    `json:"dist"`
}

// likeOf returns a like with the columns of the measure.
func likeOf(by api.Measure, id string, sim float64, shared, union uint64, dist int) like {
	return like{id, sim, of(by.Counts(), shared), of(by.Counts(), union), of(by.OfFingerprints(), dist)}
}

// putDocument stores a document, on request unless a similar document exists.
func putDocument(c *call) error {
	store, collection, id, err := c.named()
	if err == nil {
		_, err = snapshots{}.store(store)
	}
	if err != nil {
		return err
	}
	var req documentPut
	if err := c.decode(&req); err != nil {
		return err
	}
	if req.Text == nil {
		return bad("the document has no text; send it as {\"text\": \"…\"}")
	}
	doc := api.Document{Collection: collection, ID: id, Text: *req.Text, Meta: req.Metadata, Tokens: req.Tokens}
	if req.UnlessSimilar != nil {
		return c.putUnless(doc, *req.UnlessSimilar)
	}
	var b simdb.Batch
	b.Put(doc)
	stats, err := c.db.Commit(c.ctx, &b)
	if err != nil {
		return err
	}
	return c.respond(storedAnswer{Collection: collection, ID: id, Stored: true, Replaced: of(true, stats.Replaced > 0)})
}

// putUnless stores a document unless a similar document exists, which it returns otherwise.
func (c *call) putUnless(doc api.Document, s similarity) error {
	q, err := s.search()
	if err != nil {
		return err
	}
	opts := []simdb.SearchOption{simdb.Using(q.Measure, q.Args)}
	if scalar(s.Threshold) != "" { // otherwise the threshold of the collection
		opts = append(opts, simdb.Min(q.Min))
	}
	m, outcome, err := c.db.PutUnlessSimilar(c.ctx, doc, opts...)
	if err != nil {
		return err
	}
	stored := outcome != api.OutcomeRefused
	a := storedAnswer{Collection: doc.Collection, ID: doc.ID, Stored: stored, Replaced: of(stored, outcome == api.OutcomeReplaced)}
	if !stored {
		l := likeOf(q.Measure, m.ID, m.Sim, m.Shared, m.Union, m.Dist)
		a.Like = &l
	}
	return c.respond(a)
}

type deletedAnswer struct {
	Collection string `json:"collection"`
	ID         string `json:"id"`
	Deleted    bool   `json:"deleted"`
}

// deleteDocument deletes a document, and reports whether it existed.
func deleteDocument(c *call) error {
	store, collection, id, err := c.named()
	if err == nil {
		_, err = snapshots{}.store(store)
	}
	if err != nil {
		return err
	}
	var b simdb.Batch
	b.Delete(collection, id)
	stats, err := c.db.Commit(c.ctx, &b)
	if err != nil {
		return err
	}
	return c.respond(deletedAnswer{collection, id, stats.Deleted > 0})
}
