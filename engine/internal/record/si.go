package record

// Similarity indexes: one number per text and index, in the features record and as keys in
// numerical order.

import (
	"encoding/binary"
	"slices"
	"strings"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/internal/keys"
	"github.com/simdb/simdb/internal/sketch"
)

// maxSI is the maximum number of similarity indexes of a collection.
const maxSI = 4

var ofSI = feature{
	kept: parseSI,
	derive: func(k *Kept, doc string, f *Features) {
		for _, si := range k.SI {
			f.SI = append(f.SI, SIOf(si, doc))
		}
	},
	in: InFeatures,
	// For each index one byte, 1 if the text has a value, then the value in 8 bytes.
	encode: func(b []byte, f *Features) []byte {
		for _, v := range f.SI {
			valid := byte(0)
			if v.Valid {
				valid = 1
			}
			b = append(b, valid)
			b = binary.LittleEndian.AppendUint64(b, uint64(v.Value))
		}
		return b
	},
	decode: func(k *Kept, d *Decoder, f *Features) {
		for range k.SI {
			ok := d.Bytes(1)
			v := api.SIValue{Value: int64(d.fixed64())}
			v.Valid = d.Err == nil && ok[0] == 1
			f.SI = append(f.SI, v)
		}
	},
	order: func(c *Schema, set uint32, f *Features, do doKey) error {
		for i, v := range f.SI {
			if v.Valid {
				if err := do(InSI, c.SIKey(i, v.Value, set), nil); err != nil {
					return err
				}
			}
		}
		return nil
	},
}

// parseSI parses the names of similarity indexes and writes them back in canonical form.
func parseSI(k *Kept, s *api.Settings) (bool, error) {
	var names []string
	for name := range strings.SplitSeq(s.SI, ",") {
		if strings.TrimSpace(name) == "" {
			continue
		}
		si, err := sketch.ParseSI(name)
		if err != nil {
			return false, fault.Invalid("si: %w", err)
		}
		if slices.Contains(k.SI, si) {
			return false, fault.Invalid("si: %s occurs twice", si)
		}
		if len(k.SI) == maxSI {
			return false, fault.Invalid("si: a collection keeps at most %d similarity indexes", maxSI)
		}
		k.SI = append(k.SI, si)
		names = append(names, si.String())
	}
	s.SI = strings.Join(names, ", ")
	return len(k.SI) > 0, nil
}

// SIKey returns the key of a value of the which-th similarity index.
func (c *Schema) SIKey(which int, value int64, set uint32) []byte {
	return binary.BigEndian.AppendUint32(keys.OfSI(c.Number, uint32(which), value), set)
}

// setOfSI returns the set of a key of SIKey.
func setOfSI(key []byte) (uint32, error) {
	_, set, err := keys.SIEntry(key)
	return set, err
}

// SIOf computes a similarity index of a text; the value is not Valid if the text has none.
func SIOf(si sketch.SI, doc string) api.SIValue {
	v, ok := si.Value(doc)
	return api.SIValue{Value: v, Valid: ok}
}
