package record

// Features of one text: derived, stored, and turned into postings.

import (
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/internal/shingle"
)

// Derive adds the stored features of a text to f.
func (k *Kept) Derive(doc string, f *Features) {
	for _, x := range k.features {
		if x.in != nil {
			x.derive(k, doc, f)
		}
	}
}

// Reread adds the features that have postings but no record.
func (k *Kept) Reread(doc string, f *Features) {
	for _, x := range k.features {
		if x.in == nil {
			x.derive(k, doc, f)
		}
	}
}

// Encode returns the record for a key space: the parts of its features, one after another, with
// little-endian numbers.
func (k *Kept) Encode(in *KeySpace, f *Features) (b []byte) {
	for _, x := range k.features {
		if x.in == in {
			b = x.encode(b, f)
		}
	}
	return b
}

// Decode reads a record of a key space into f, which does not alias b. ErrCorrupt if it does not
// decode.
func (k *Kept) Decode(in *KeySpace, b []byte, f *Features) error {
	d := Decoder{B: b}
	for _, x := range k.features {
		if x.in == in {
			x.decode(k, &d, f)
		}
	}
	if d.Err != nil || len(d.B) > 0 {
		return fault.Corrupt("%s: a record of %d bytes does not decode", in.What, len(b))
	}
	return nil
}

// EachFeatureKey calls do with the feature keys of a set and their values.
func (c *Schema) EachFeatureKey(set uint32, f *Features, do doKey) error {
	for _, in := range KeySpaces {
		if !in.Ordered() && c.Kept.Has(in) {
			if err := do(in, c.Key(in.Space, set), c.Kept.Encode(in, f)); err != nil {
				return err
			}
		}
	}
	for _, x := range c.Kept.features {
		if x.order != nil {
			if err := x.order(c, set, f, do); err != nil {
				return err
			}
		}
	}
	return nil
}

// Posted is the input of a set's postings.
type Posted struct {
	Bag      shingle.Bag
	Features *Features // nil if the collection keeps none
}

// Postings calls yield with every posting of a set's features. The postings of its bag are
// separate.
func (k *Kept) Postings(f *Features, yield func(k index.Kind, key uint32, count int)) {
	for _, x := range k.features {
		if x.post != nil {
			x.post(f, yield)
		}
	}
}
