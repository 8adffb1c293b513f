package record

// The features of one text, on their way into the store, to postings and back.

import (
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/internal/shingle"
)

// Derive adds what is stored of a text.
func (k *Kept) Derive(doc string, f *Features) {
	for _, x := range k.features {
		if x.in != nil {
			x.derive(k, doc, f)
		}
	}
}

// Reread adds what is posted of a text and not stored.
func (k *Kept) Reread(doc string, f *Features) {
	for _, x := range k.features {
		if x.in == nil {
			x.derive(k, doc, f)
		}
	}
}

// Encode returns the record of a key space: the parts of the features that it has, one after
// another. Numbers are little-endian.
func (k *Kept) Encode(in *KeySpace, f *Features) (b []byte) {
	for _, x := range k.features {
		if x.in == in {
			b = x.encode(b, f)
		}
	}
	return b
}

// Decode reads a record of a key space. Features do not alias it. ErrCorrupt if it does not
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

// EachFeatureKey calls do with the keys of the features of a set, and their values.
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

// Posted is what the postings of a set are made of.
type Posted struct {
	Bag      shingle.Bag
	Features *Features // nil where the collection keeps none
}

// Postings calls yield with every posting that a set's text has beside those of
// its bag.
func (k *Kept) Postings(f *Features, yield func(k index.Kind, key uint32, count int)) {
	for _, x := range k.features {
		if x.post != nil {
			x.post(f, yield)
		}
	}
}
