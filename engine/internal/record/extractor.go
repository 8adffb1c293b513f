package record

// The extractor of entities that a caller brings. What it finds in texts is kept, and
// compared with what it finds in others, so a collection is opened only with the one that
// it was made with (docs/decisions/0029).

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

// extracting makes an entity.Extractor of a function.
type extracting func(string) []string

func (f extracting) Entities(paragraph string) []string { return f(paragraph) }

// MadeWith gives a new collection its extractor, unless it has lists of its own.
func (c *Schema) MadeWith(x *api.EntityExtractor) {
	if x == nil || c.hasLists() {
		return
	}
	c.Kept.extractor = extracting(x.Entities)
	if c.Kept.Posts(index.Entity0) {
		c.extractor = x.Name
	}
}

// OpenedWith gives a stored collection its extractor. ErrInvalid if it keeps what another
// one has found.
func (c *Schema) OpenedWith(x *api.EntityExtractor) error {
	name := ""
	if x != nil {
		name = x.Name
	}
	if c.Kept.Posts(index.Entity0) && !c.hasLists() && c.extractor != name {
		return fault.Invalid("collection %q keeps entities that %s found, and Options.Entities is %s: open it with the same",
			c.Name, extractorName(c.extractor), extractorName(name))
	}
	c.MadeWith(x)
	return nil
}

func extractorName(name string) string {
	if name == "" {
		return "the built-in extractor"
	}
	return "extractor \"" + name + "\""
}

// hasLists reports whether the collection's settings say which names and synonyms it knows.
func (c *Schema) hasLists() bool { return c.Settings.Gazetteer != "" || c.Settings.Synonyms != "" }

// KnowsAs reports whether two collections have the same names and synonyms.
func (c *Schema) KnowsAs(o *Schema) bool {
	return c.Settings.Gazetteer == o.Settings.Gazetteer && c.Settings.Synonyms == o.Settings.Synonyms
}

// listedEntities is the built-in extractor with the lists of a collection.
func listedEntities(gazetteer, synonyms string) (b entity.BuiltIn, err error) {
	for name, list := range map[string]string{"gazetteer": gazetteer, "synonyms": synonyms} {
		if len(list) > maxListBytes {
			return b, fault.Invalid("%s: %d bytes: want at most %d", name, len(list), maxListBytes)
		}
		if !utf8.ValidString(list) {
			return b, fault.Invalid("%s: no valid UTF-8", name)
		}
	}
	return readLists(gazetteer, synonyms)
}

func readLists(gazetteer, synonyms string) (b entity.BuiltIn, err error) {
	if b.Gazetteer, err = entity.ReadGazetteer(strings.NewReader(gazetteer)); err == nil {
		b.Synonyms, err = entity.ReadSynonyms(strings.NewReader(synonyms))
	}
	if err != nil {
		return b, fault.Invalid("%w", err)
	}
	return b, nil
}

// BuiltInEntities is the built-in extractor with a list of names, one a line, and groups of
// terms for one thing, one group a line with commas between; either may be nil. Its name
// tells these lists from others.
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
