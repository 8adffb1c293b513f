package record

// What a collection can keep of a text beside its bag, for the measures of texts
// (docs/decisions/0014). The features stand in si.go, chunks.go, words.go and grams.go.

import (
	"slices"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/internal/entity"
	"github.com/simdb/simdb/internal/keys"
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/shingle"
	"github.com/simdb/simdb/internal/sketch"
)

// feature derives, encodes and posts one thing that a collection keeps of its texts. Storing,
// checking and rebuilding iterate over the table of features. Functions that a feature does not
// need are nil.
type feature struct {
	kept   func(k *Kept, s *api.Settings) (bool, error) // reads the setting
	derive func(k *Kept, doc string, f *Features)

	// A record of the set has it. If in is nil, nothing is stored, and postings are derived from
	// the text again.
	in     *KeySpace
	encode func(b []byte, f *Features) []byte // appends to the record
	decode func(k *Kept, d *Decoder, f *Features)

	// order calls do with the keys that order sets by the feature.
	order func(c *Schema, set uint32, f *Features, do doKey) error

	kinds []index.Kind // of its postings
	post  func(f *Features, yield func(k index.Kind, key uint32, count int))
	reads bool // a search by it reads much of each set that has no postings
}

// doKey is called with a key of a set and its value.
type doKey func(in *KeySpace, key, value []byte) error

// features is the table of all features. Their parts of a record stand in this order.
var features = [...]*feature{&ofSI, &ofSentences, &ofEntities, &ofWords, &ofGrams}

// Features are what is kept of a text. What the collection does not keep is nil.
type Features struct {
	SI                              []api.SIValue // in the order of the settings
	Sentences, Entities, EntitiesTF []uint32      // fingerprints, ascending and distinct
	Grams                           sketch.Grams
	Words                           measure.Vector // of Reread
}

// KeySpace is a key space in which sets have features.
type KeySpace struct {
	Space keys.Space
	What  string                                 // it has of a set
	SetOf func(key []byte) (set uint32, _ error) // reads a key, where keys are in the order of values; nil: each set has one record
}

// InFeatures is the record that several features share, InGrams that of grams, and InSI has the
// values of similarity indexes in their order.
var (
	InFeatures = &KeySpace{Space: keys.Features, What: "features"}
	InGrams    = &KeySpace{Space: keys.Grams, What: "grams"}
	InSI       = &KeySpace{Space: keys.SI, What: "values of similarity indexes", SetOf: setOfSI}

	KeySpaces = []*KeySpace{InFeatures, InGrams, InSI}
)

// Ordered reports whether keys are in the order of values.
func (in *KeySpace) Ordered() bool { return in.SetOf != nil }

// Kept lists what a collection keeps of texts beside their bags.
type Kept struct {
	SI        []sketch.SI
	features  []*feature
	extractor entity.Extractor // finds the names in paragraphs
	texts     shingle.Analysis // how texts are read
}

// parseKept reads the settings of features, and writes them as they are shown.
func parseKept(s *api.Settings, texts shingle.Analysis) (k Kept, err error) {
	k.texts = texts
	if k.extractor, err = listedEntities(s.Gazetteer, s.Synonyms); err != nil {
		return k, err
	}
	for _, x := range features {
		kept, err := x.kept(&k, s)
		if err != nil {
			return k, err
		}
		if kept {
			k.features = append(k.features, x)
		}
	}
	return k, nil
}

func (k *Kept) any(is func(x *feature) bool) bool { return slices.ContainsFunc(k.features, is) }

// Texts reports whether sets are of equal texts rather than of equal bags:
// texts with one bag may differ in what else is kept of them.
func (k *Kept) Texts() bool { return len(k.features) > 0 }

// Has reports whether sets have a record in a key space.
func (k *Kept) Has(in *KeySpace) bool {
	return k.any(func(x *feature) bool { return x.in == in })
}

// Rereads reports whether postings are derived from texts again, by Reread.
func (k *Kept) Rereads() bool { return k.Has(nil) }

// Posts reports whether segments have postings of a kind.
func (k *Kept) Posts(kind index.Kind) bool {
	return k.any(func(x *feature) bool { return slices.Contains(x.kinds, kind) })
}

// reads reports whether a search reads much of each set that has no postings.
func (k *Kept) reads() bool { return k.any(func(x *feature) bool { return x.reads }) }

// kinds are the kinds of posting that this takes.
func (k *Kept) kinds() (out []index.Kind) {
	for _, x := range k.features {
		out = append(out, x.kinds...)
	}
	return out
}
