// Package record is what is stored of a document, a set and a collection: structs
// become bytes here, and bytes structs. It is pure. It knows nothing of files, locks
// and Pebble.
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

// OrDefault is the name of a collection, where "" means docs.
func OrDefault(collection string) string { return cmp.Or(collection, api.DefaultCollection) }

// Schema is what never changes of a collection: its name, its number, and how its
// texts are read.
type Schema struct {
	Number    uint32
	Name      string
	Settings  api.Settings // as given, defaults filled in
	Analysis  shingle.Analysis
	Intervals index.Intervals
	Unique    api.Threshold // resemblance that no two documents may reach; the zero value means that they may
	Kept      Kept
	Fields    []Field // of metadata that are indexed
	unicode   string  // version of the tables that texts are read with
	extractor string  // name of the extractor of entities that it was made with; "" is the built-in one
}

const maxNameBytes = 200

// CheckCollectionName refuses names that no collection can have.
func CheckCollectionName(name string) error {
	if name == "" || len(name) > maxNameBytes || !utf8.ValidString(name) || strings.ContainsFunc(name, func(r rune) bool { return r < ' ' }) {
		return fault.Invalid("collection name %.210q: want 1 to %d bytes of printable text", name, maxNameBytes)
	}
	return nil
}

// NewSchema checks the settings and fills in their defaults. unicode is the version
// of the tables that texts are read with.
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
			return nil, fault.Invalid("unique_sim = 0: every two documents are as similar as that; leave it out to store all")
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

// collectionRecord is what the store and the log keep of a collection. Unicode
// is the version of the tables its texts were read with.
type collectionRecord struct {
	Name     string       `json:"name"`
	Settings api.Settings `json:"settings"`
	Unicode  string       `json:"unicode"`
	Entities string       `json:"entities,omitempty"` // name of the extractor, where its findings are kept
}

// Encode is what the store keeps of the schema.
func (c *Schema) Encode() ([]byte, error) {
	return json.Marshal(collectionRecord{Name: c.Name, Settings: c.Settings, Unicode: c.unicode, Entities: c.extractor})
}

// DecodeSchema reads what the store or the log has of a collection, as one that is
// read with the tables of this version of Unicode. was is the version that it was read
// with.
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

// Layout says how postings of the collection are laid out in an order.
func (c *Schema) Layout(o *index.Order) index.Layout {
	return index.Layout{Order: o, Intervals: c.Intervals, Lists: c.Kept.kinds()}
}

// Key is a key of the collection in a key space.
func (c *Schema) Key(s keys.Space, numbers ...uint32) []byte {
	return append(keys.Of(s, c.Number), keys.Of(s, numbers...)[1:]...)
}

// SegmentSets is how many sets wait in the tail before they become a posting
// segment, unless options say otherwise. A signature scan of so many takes about
// 40 µs.
const SegmentSets = 4096

// Cut is how many sets become a posting segment, given how many do where nothing
// of texts is kept. Where a search reads much of each set of the tail, the tail is
// shorter.
func (c *Schema) Cut(sets uint32) uint32 {
	if c.Kept.reads() {
		return max(sets/4, 1)
	}
	return sets
}

// Derived is what is stored of a text beside itself.
type Derived struct {
	Bag      shingle.Bag
	Set      Set
	Features Features // as far as the collection keeps them
}

// Derive does the analysis of a content. It depends on nothing but that and the schema:
// after a crash it is done again.
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

// Describe is the function Describe for a collection, where equal contents may count rather
// than equal bags.
func (c *Schema) Describe(bag shingle.Bag, content string) Set {
	r := Describe(bag)
	if c.Kept.Texts() {
		r.Digest = c.textDigest(content)
	}
	return r
}

// textDigest tells texts apart, and one text as read with other Unicode tables:
// its set is another.
func (c *Schema) textDigest(doc string) (d [16]byte) {
	h := sha256.New()
	h.Write([]byte(c.unicode)) // which never fails
	h.Write([]byte{0})
	h.Write([]byte(doc))
	copy(d[:], h.Sum(nil))
	return d
}

// FingerprintOf computes the SimHash of a text as a collection of these settings
// does.
func FingerprintOf(text string, s api.Settings) (uint64, error) {
	c, err := NewSchema("", 0, api.DefaultCollection, s)
	if err != nil {
		return 0, err
	}
	if !c.FromText() {
		return 0, fault.Invalid("a text has no fingerprint by unit = '%s': its tokens are not read from it alone", s.Unit)
	}
	return sketch.SimHash(c.Bag(text).Set), nil
}
