package main

// What a store ought to hold. It is plain maps: no index, no numbers of sets, no log.

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// A World is all collections of a store.
type World struct {
	Collections map[string]*Collection
	clock       int                   // of writes
	marks       map[int]int           // by the name of a mark: the clock when it was taken
	tokens      map[int]string        // by the name of a mark: what the store called it
	groupings   map[string]*Statement // by name: how they were created
	past        map[[2]string]string  // collections and ids of documents that are gone: deleted, refused, dropped or erased
	erased      map[[2]string]bool    // collections and ids: true if COMPACT has removed the traces
}

// A Collection has its settings as CREATE COLLECTION takes them.
type Collection struct {
	Name     string
	Settings map[string]string
	Docs     map[string]*Document
	ledger   []fallen
}

// A Document as it was last written.
type Document struct {
	ID     string   `json:",omitzero"`
	Text   string   `json:",omitzero"`
	Tokens []string `json:",omitzero"` // own tokens, in a collection with unit = 'token'
	Meta   fields   `json:",omitzero"`

	written int
	cache   map[reading]any
}

// MarshalJSON writes a text that is no UTF-8 as bytes.
func (d Document) MarshalJSON() ([]byte, error) {
	type plain Document
	doc := struct {
		plain
		Bytes []byte `json:",omitzero"`
	}{plain: plain(d)}
	if !utf8.ValidString(d.Text) {
		doc.Text, doc.Bytes = "", []byte(d.Text)
	}
	return json.Marshal(doc)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (d *Document) UnmarshalJSON(b []byte) error {
	type plain Document
	doc := struct {
		*plain
		Bytes []byte
	}{plain: (*plain)(d)}
	if err := json.Unmarshal(b, &doc); err != nil {
		return err
	}
	d.Text += string(doc.Bytes)
	return nil
}

// reading names something that is derived of a document.
type reading struct {
	what string
	k    int
}

func newWorld() *World {
	return &World{Collections: map[string]*Collection{}, marks: map[int]int{}, tokens: map[int]string{}, groupings: map[string]*Statement{}, past: map[[2]string]string{}, erased: map[[2]string]bool{}}
}

// collection returns the collection of a name. docs is there from the start.
func (w *World) collection(name string) *Collection {
	if c := w.Collections[name]; c != nil || name != "docs" {
		return c
	}
	return newCollection(name, nil)
}

func newCollection(name string, settings map[string]string) *Collection {
	return &Collection{Name: name, Settings: settings, Docs: map[string]*Document{}}
}

// put writes a document, which is newer than all others then.
func (w *World) put(collection string, d Document) {
	c := w.Collections[collection]
	if c == nil {
		c = newCollection(collection, nil)
		w.Collections[collection] = c
	}
	w.mentioned(collection, d.ID)
	w.clock++
	d.written, d.cache = w.clock, nil
	c.Docs[d.ID] = &d
}

// sorted lists the documents by id.
func (c *Collection) sorted() []*Document {
	var out []*Document
	for _, id := range slices.Sorted(maps.Keys(c.Docs)) {
		out = append(out, c.Docs[id])
	}
	return out
}

func (c *Collection) setting(name string) string { return strings.Trim(c.Settings[name], "'") }

func (c *Collection) unit() string {
	if u := c.setting("unit"); u != "" {
		return u
	}
	return "word"
}

// normalize are the names of that setting in one order.
func (c *Collection) normalize() string {
	given := strings.Split(c.setting("normalize"), ", ")
	return strings.Join(slices.DeleteFunc(slices.Clone(normalizeNames), func(name string) bool { return !slices.Contains(given, name) }), ", ")
}

// reading is the unit and the normal form, and for code how it is read.
func (c *Collection) reading() string {
	reading := c.unit() + "/" + c.normalize()
	if c.unit() == "code" {
		reading += "/" + c.setting("fold") + "/" + c.setting("language")
	}
	return reading
}

// readsTexts says whether shingles are read from texts and nothing else.
func (c *Collection) readsTexts() bool { return c.unit() != "token" && c.unit() != "code" }

// keeps says whether a collection has what a measure of texts needs.
func (c *Collection) keeps(measure string) bool {
	if measure == "quotes" {
		return c.unit() == "word"
	}
	return c.Settings[measure] != ""
}

// keepsTexts says whether documents of equal shingles and other texts are kept apart.
func (c *Collection) keepsTexts() bool {
	return slices.ContainsFunc([]string{"si", "versions", "entities", "words", "patricia"}, c.keeps)
}

func (c *Collection) k() int {
	if k := c.setting("k"); k != "" {
		return atoi(k)
	}
	switch c.unit() {
	case "char":
		return 5
	case "code":
		return 2
	}
	return 3
}

// alike says whether two collections read texts alike.
func (c *Collection) alike(o *Collection) bool {
	return c.unit() == o.unit() && c.k() == o.k() && c.reading() == o.reading()
}

// fields are the metadata that some document has.
func (c *Collection) fields() []string {
	var out []string
	for _, d := range c.Docs {
		out = append(out, slices.Collect(maps.Keys(d.Meta))...)
	}
	return names(out)
}

// derived returns what of makes of a document, and makes it once.
func derived[T any](d *Document, what string, k int, of func() T) T {
	key := reading{what, k}
	if v, ok := d.cache[key]; ok {
		return v.(T)
	}
	if d.cache == nil {
		d.cache = map[reading]any{}
	}
	v := of()
	d.cache[key] = v
	return v
}
