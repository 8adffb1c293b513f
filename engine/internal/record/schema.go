// Package record encodes and decodes all stored data of documents, sets and collections. It is
// pure: it uses no file, lock or clock, and does not import Pebble. Decoders return ErrCorrupt
// for any damage and never panic. Begin with Schema, the settings of a collection, and its
// Derive, the path from a content to all derived data.
package record

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/internal/keys"

	"github.com/simdb/simdb/internal/shingle"
	"github.com/simdb/simdb/internal/sketch"
	"github.com/simdb/simdb/internal/text"
)

// OrDefault returns the name of a collection, or "docs" for "".
func OrDefault(collection string) string { return cmp.Or(collection, api.DefaultCollection) }

// Schema is the immutable part of a collection: number, name and settings. It is safe for
// concurrent use once the collection is open.
type Schema struct {
	Number    uint32
	Name      string
	Settings  api.Settings // with defaults filled in
	Analysis  shingle.Analysis
	Intervals index.Intervals
	Unique    api.Threshold // resemblance that no two documents may reach; the zero value disables the constraint
	Kept      Kept
	Fields    []Field // indexed metadata fields
	unicode   string  // version of the Unicode tables of the analysis
	extractor string  // name of the entity extractor; "" is the built-in one
}

const maxNameBytes = 200

// CheckCollectionName returns ErrInvalid for a name that is empty, too long or not printable.
func CheckCollectionName(name string) error {
	if name == "" || len(name) > maxNameBytes || !utf8.ValidString(name) || strings.ContainsFunc(name, func(r rune) bool { return r < ' ' }) {
		return fault.Invalid("collection name %.210q: want 1 to %d bytes of printable text", name, maxNameBytes)
	}
	return nil
}

// NewSchema checks settings and fills in their defaults. unicode is the version of the Unicode
// tables. ErrInvalid names the setting at fault.
func NewSchema(unicode string, number uint32, name string, s api.Settings) (*Schema, error) {
	if err := CheckCollectionName(name); err != nil {
		return nil, err
	}
	c := &Schema{Number: number, Name: name}
	s.Unit = cmp.Or(s.Unit, text.Word.String())
	unit, err := text.ParseUnit(s.Unit)
	if err != nil {
		return nil, fault.Invalid("%w", err)
	}
	if s.K == 0 {
		s.K = 3
		switch unit {
		case text.Char:
			s.K = 5
		case text.Code:
			s.K = 2
		}
	}
	if s.K < 1 || s.K > api.MaxK {
		return nil, fault.Invalid("k = %d: want 1 to %d", s.K, api.MaxK)
	}
	c.Analysis = shingle.Analysis{Unit: unit, K: s.K}
	if c.Analysis.Form, err = text.ParseForm(s.Normalize); err != nil {
		return nil, fault.Invalid("normalize: %w", err)
	}
	s.Normalize = c.Analysis.Form.String()
	if err := c.codeSettings(&s); err != nil {
		return nil, err
	}
	if s.UniqueSim != "" {
		if c.Unique, err = api.ParseThreshold(s.UniqueSim); err != nil {
			return nil, fault.Invalid("unique_sim: %w", err)
		}
		if c.Unique == (api.Threshold{}) {
			return nil, fault.Invalid("unique_sim = 0: any two documents are that similar; leave it out to store all")
		}
		s.UniqueSim = c.Unique.String()
	}
	if c.Intervals, err = index.ParseIntervals(s.Intervals); err != nil {
		return nil, fault.Invalid("intervals: %w", err)
	}
	s.Intervals = c.Intervals.String()
	if c.Kept, err = parseKept(&s, c.Analysis); err != nil {
		return nil, err
	}
	if c.Fields, err = parseIndex(&s); err != nil {
		return nil, err
	}
	c.Settings, c.unicode = s, unicode
	return c, nil
}

// collectionRecord is the stored form of a schema. Unicode is the version of the tables with
// which the texts were read.
type collectionRecord struct {
	Name     string       `json:"name"`
	Settings api.Settings `json:"settings"`
	Unicode  string       `json:"unicode"`
	Entities string       `json:"entities,omitempty"` // name of the extractor whose findings are stored
}

// Encode returns the stored form of the schema.
func (c *Schema) Encode() ([]byte, error) {
	return json.Marshal(collectionRecord{Name: c.Name, Settings: c.Settings, Unicode: c.unicode, Entities: c.extractor})
}

// DecodeSchema decodes a stored schema for the given version of the Unicode tables. was is the
// version that the texts were read with: if it differs, sets have to be derived again. ErrCorrupt
// if the record does not decode.
func DecodeSchema(unicode string, number uint32, b []byte) (s *Schema, was string, err error) {
	var r collectionRecord
	if err := json.Unmarshal(b, &r); err != nil {
		return nil, "", fault.Corrupt("settings of collection %d: %w", number, err)
	}
	if s, err = NewSchema(unicode, number, r.Name, r.Settings); err != nil {
		return nil, "", fault.Corrupt("settings of collection %d: %w", number, err)
	}
	s.extractor = r.Entities
	return s, r.Unicode, nil
}

// Layout returns the layout of the collection's postings in an order.
func (c *Schema) Layout(o *index.Order) index.Layout {
	return index.Layout{Order: o, Intervals: c.Intervals, Lists: c.Kept.kinds()}
}

// Key returns a key of the collection in a key space.
func (c *Schema) Key(s keys.Space, numbers ...uint32) []byte {
	return append(keys.Of(s, c.Number), keys.Of(s, numbers...)[1:]...)
}

// SegmentSets is the default number of sets in the tail that become a posting segment. A
// signature scan of that many takes about 40 µs.
const SegmentSets = 4096

// Cut returns the number of sets in the tail that become a posting segment: sets, or a quarter of
// it if searches read much of each set in the tail.
func (c *Schema) Cut(sets uint32) uint32 {
	if c.Kept.reads() {
		return max(sets/4, 1)
	}
	return sets
}

// Derived is the stored data of a text that derives from its content.
type Derived struct {
	Bag      shingle.Bag
	Set      Set
	Features Features // the features that the collection keeps
}

// Derive analyses a content. The result depends only on the content and the schema, so that a
// replay after a crash derives the same.
func (c *Schema) Derive(content string) (*Derived, error) {
	d := &Derived{Bag: c.Bag(content)}
	text, err := c.Text(content)
	if err != nil {
		return d, err
	}
	c.Kept.Derive(text, &d.Features)
	d.Set = c.Describe(d.Bag, content)
	return d, nil
}

// Describe derives the record of a set like the function Describe. In a collection with features,
// the digest is that of the content instead of the bag.
func (c *Schema) Describe(bag shingle.Bag, content string) Set {
	r := Describe(bag)
	if c.Kept.Texts() {
		r.Digest = c.textDigest(content)
	}
	return r
}

// textDigest hashes a content together with the version of the Unicode tables, because another
// version derives another set from the same content.
func (c *Schema) textDigest(content string) (d [16]byte) {
	h := sha256.New()
	h.Write([]byte(c.unicode)) // never fails
	h.Write([]byte{0})
	h.Write([]byte(content))
	copy(d[:], h.Sum(nil))
	return d
}

// FingerprintOf returns the SimHash that a collection with settings s computes for a text.
// ErrInvalid if the settings read shingles from more than the text.
func FingerprintOf(text string, s api.Settings) (uint64, error) {
	c, err := NewSchema("", 0, api.DefaultCollection, s)
	if err != nil {
		return 0, err
	}
	if !c.FromText() {
		return 0, fault.Invalid("a text alone has no fingerprint with unit = '%s': its tokens do not depend on the text only", s.Unit)
	}
	return sketch.SimHash(c.Bag(text).Set), nil
}
