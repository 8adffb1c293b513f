package record

// Features: data kept of each text in addition to its bag, for the measures of texts
// (docs/decisions/0014). Start with type feature; si.go, chunks.go, words.go and grams.go define
// the features.

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

// feature derives, encodes and posts one kind of data. Storing, checking and rebuilding iterate
// over the table of features. A nil function means that the feature has no such step.
type feature struct {
	kept   func(k *Kept, s *api.Settings) (bool, error) // parses the setting; reports whether the collection keeps it
	derive func(k *Kept, doc string, f *Features)

	// in is the key space of the record that stores the feature. With nil in, nothing is stored
	// and the postings are derived from the text again.
	in     *KeySpace
	encode func(b []byte, f *Features) []byte // appends to the record
	decode func(k *Kept, d *Decoder, f *Features)

	// order calls do with the keys that sort sets by the value of the feature.
	order func(c *Schema, set uint32, f *Features, do doKey) error

	kinds []index.Kind // of postings
	post  func(f *Features, yield func(k index.Kind, key uint32, count int))
	reads bool // a search reads much of each set in the tail
}

// doKey receives a key of a set with its value.
type doKey func(in *KeySpace, key, value []byte) error

// features lists all features, in the order of their parts of a record. The order is part of the
// format.
var features = [...]*feature{&ofSI, &ofSentences, &ofEntities, &ofWords, &ofGrams}

// Features are the derived data of a text. Fields that the collection does not keep are nil.
type Features struct {
	SI                              []api.SIValue // in the order of Settings.SI
	Sentences, Entities, EntitiesTF []uint32      // fingerprints, ascending and distinct
	Grams                           sketch.Grams
	Words                           measure.Vector // set by Reread
}

// KeySpace is a key space with features of sets.
type KeySpace struct {
	Space keys.Space
	What  string                                 // names the data, for messages
	SetOf func(key []byte) (set uint32, _ error) // extracts the set from a key ordered by value; nil if each set has one record
}

// InFeatures is the record that most features share, InGrams the record of grams, and InSI the
// values of similarity indexes, as keys in their order.
var (
	InFeatures = &KeySpace{Space: keys.Features, What: "features"}
	InGrams    = &KeySpace{Space: keys.Grams, What: "grams"}
	InSI       = &KeySpace{Space: keys.SI, What: "values of similarity indexes", SetOf: setOfSI}

	KeySpaces = []*KeySpace{InFeatures, InGrams, InSI}
)

// Ordered reports whether the keys are in the order of values.
func (in *KeySpace) Ordered() bool { return in.SetOf != nil }

// Kept lists the features that a collection keeps. It is immutable once the collection is open.
type Kept struct {
	SI        []sketch.SI
	features  []*feature
	extractor entity.Extractor // finds the entities of a paragraph
	texts     shingle.Analysis // analysis of texts
}

// parseKept parses the settings of features and writes them back in canonical form.
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

// any reports whether a kept feature satisfies a condition.
func (k *Kept) any(is func(x *feature) bool) bool { return slices.ContainsFunc(k.features, is) }

// Texts reports whether a set holds equal texts rather than equal bags. It does if the collection
// keeps features, because texts with one bag may differ in their features.
func (k *Kept) Texts() bool { return len(k.features) > 0 }

// Has reports whether sets have a record in a key space.
func (k *Kept) Has(in *KeySpace) bool {
	return k.any(func(x *feature) bool { return x.in == in })
}

// Rereads reports whether Reread must derive some postings from the text.
func (k *Kept) Rereads() bool { return k.Has(nil) }

// Posts reports whether segments have postings of a kind.
func (k *Kept) Posts(kind index.Kind) bool {
	return k.any(func(x *feature) bool { return slices.Contains(x.kinds, kind) })
}

// reads reports whether a search reads much of each set that has no postings.
func (k *Kept) reads() bool { return k.any(func(x *feature) bool { return x.reads }) }

// kinds returns the kinds of posting of the kept features.
func (k *Kept) kinds() (out []index.Kind) {
	for _, x := range k.features {
		out = append(out, x.kinds...)
	}
	return out
}
