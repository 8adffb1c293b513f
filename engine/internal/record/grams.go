package record

// Selected grams. They have postings, and a record of their own because a passage search reads
// nothing else.

import (
	"slices"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/internal/sketch"
)

var ofGrams = feature{
	kept:   func(_ *Kept, s *api.Settings) (bool, error) { return s.Patricia, nil },
	derive: func(k *Kept, doc string, f *Features) { f.Grams = sketch.ChooseGrams(k.texts.Form.Chars(doc)) },
	in:     InGrams,
	encode: func(_ []byte, f *Features) []byte { return f.Grams }, // the only part of its record, so no copy
	decode: func(_ *Kept, d *Decoder, f *Features) {
		if f.Grams = slices.Clone(sketch.Grams(d.B)); len(d.B)%4 != 0 {
			d.fail()
		}
		d.B = nil
	},
	kinds: []index.Kind{index.Gram},
	post: func(f *Features, yield func(k index.Kind, key uint32, count int)) {
		var keys []uint32
		for _, key := range f.Grams.All() {
			keys = append(keys, key)
		}
		slices.Sort(keys)
		for len(keys) > 0 {
			n := 1
			for n < len(keys) && keys[n] == keys[0] {
				n++
			}
			yield(index.Gram, keys[0], n) // its number of occurrences in the text
			keys = keys[n:]
		}
	},
	reads: true,
}
