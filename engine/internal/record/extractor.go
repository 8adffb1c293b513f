package record

// Entity extractor from a caller. A collection stores the findings of its extractor and compares
// them with the findings in other texts, so it opens only with the extractor that created it
// (docs/decisions/0029).

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/internal/entity"
)

// extractorFunc adapts a function to entity.Extractor.
type extractorFunc func(string) []string

func (f extractorFunc) Entities(paragraph string) []string { return f(paragraph) }

// MadeWith sets the extractor of a new collection. The lists of its settings, if any, take
// precedence over x.
func (c *Schema) MadeWith(x *api.EntityExtractor) {
	if x == nil || c.hasLists() {
		return
	}
	c.Kept.extractor = extractorFunc(x.Entities)
	if c.Kept.Posts(index.Entity0) {
		c.extractor = x.Name
	}
}

// OpenedWith sets the extractor of a stored collection. ErrInvalid if the collection holds
// findings of another extractor.
func (c *Schema) OpenedWith(x *api.EntityExtractor) error {
	name := ""
	if x != nil {
		name = x.Name
	}
	if c.Kept.Posts(index.Entity0) && !c.hasLists() && c.extractor != name {
		return fault.Invalid("collection %q holds entities found by %s, but the store opens with %s: use the same extractor",
			c.Name, extractorName(c.extractor), extractorName(name))
	}
	c.MadeWith(x)
	return nil
}

// extractorName returns the name for messages.
func extractorName(name string) string {
	if name == "" {
		return "the built-in extractor"
	}
	return "extractor \"" + name + "\""
}

// hasLists reports whether the settings contain a gazetteer or synonyms.
func (c *Schema) hasLists() bool { return c.Settings.Gazetteer != "" || c.Settings.Synonyms != "" }

// KnowsAs reports whether two collections recognise the same names and synonyms, so that their
// entities are comparable.
func (c *Schema) KnowsAs(o *Schema) bool {
	return c.Settings.Gazetteer == o.Settings.Gazetteer && c.Settings.Synonyms == o.Settings.Synonyms
}

// listedEntities returns the built-in extractor with a collection's lists.
func listedEntities(gazetteer, synonyms string) (b entity.BuiltIn, err error) {
	for name, list := range map[string]string{"gazetteer": gazetteer, "synonyms": synonyms} {
		if len(list) > maxListBytes {
			return b, fault.Invalid("%s: %d bytes: want at most %d", name, len(list), maxListBytes)
		}
		if !utf8.ValidString(list) {
			return b, fault.Invalid("%s: not valid UTF-8", name)
		}
	}
	return readLists(gazetteer, synonyms)
}

// readLists parses a gazetteer and synonyms; ErrInvalid if one does not parse.
func readLists(gazetteer, synonyms string) (b entity.BuiltIn, err error) {
	if b.Gazetteer, err = entity.ReadGazetteer(strings.NewReader(gazetteer)); err == nil {
		b.Synonyms, err = entity.ReadSynonyms(strings.NewReader(synonyms))
	}
	if err != nil {
		return b, fault.Invalid("%w", err)
	}
	return b, nil
}

// BuiltInEntities returns the built-in extractor with a gazetteer, one name per line, and
// synonyms, one group per line separated by commas. Either may be nil. Its name contains a hash
// of the lists, so that a store does not open with others.
func BuiltInEntities(gazetteer, synonyms io.Reader) (*api.EntityExtractor, error) {
	var lists [2]string
	sum := sha256.New()
	for i, r := range []io.Reader{gazetteer, synonyms} {
		if r != nil {
			list, err := io.ReadAll(r)
			if err != nil {
				return nil, fault.Invalid("%w", err)
			}
			lists[i] = string(list)
		}
		io.WriteString(sum, lists[i]+"\x00")
	}
	b, err := readLists(lists[0], lists[1])
	if err != nil {
		return nil, err
	}
	return &api.EntityExtractor{Name: "built-in " + hex.EncodeToString(sum.Sum(nil)[:8]), Entities: b.Entities}, nil
}
