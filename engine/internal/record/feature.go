package record

// What a collection can keep of a text beside its bag, for the measures of texts, and
// the record of it (docs/decisions/0014).

import (
	"encoding/binary"
	"slices"
	"strings"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/internal/entity"
	"github.com/simdb/simdb/internal/sketch"
	"github.com/simdb/simdb/internal/text"
)

// maxSI is how many similarity indexes a collection may keep.
const maxSI = 4

// Kept says what a collection keeps of texts beside their bags.
type Kept struct {
	SI                                  []sketch.SI
	Versions, Entities, Words, Patricia bool
	extractor                           entity.Extractor // what finds the names in paragraphs
	form                                text.Form        // how sentences and passages are read
}

func parseKept(s *api.Settings) (k Kept, err error) {
	k = Kept{Versions: s.Versions, Entities: s.Entities, Words: s.Words, Patricia: s.Patricia}
	if k.extractor, err = listedEntities(s.Gazetteer, s.Synonyms); err != nil {
		return k, err
	}
	var names []string
	for name := range strings.SplitSeq(s.SI, ",") {
		if strings.TrimSpace(name) == "" {
			continue
		}
		si, err := sketch.ParseSI(name)
		if err != nil {
			return k, fault.Invalid("si: %w", err)
		}
		if slices.Contains(k.SI, si) {
			return k, fault.Invalid("si: %s is named twice", si)
		}
		if len(k.SI) == maxSI {
			return k, fault.Invalid("si: a collection keeps at most %d similarity indexes", maxSI)
		}
		k.SI = append(k.SI, si)
		names = append(names, si.String())
	}
	s.SI = strings.Join(names, ", ")
	return k, nil
}

// Texts reports whether sets are of equal texts rather than of equal bags:
// texts with one bag may differ in what else is kept of them.
func (k *Kept) Texts() bool { return k.Record() || k.Words || k.Patricia }

// Record reports whether a set has a record of features.
func (k *Kept) Record() bool { return len(k.SI) > 0 || k.Versions || k.Entities }

// kinds are the kinds of posting that this takes.
func (k *Kept) kinds() (out []index.Kind) {
	add := func(keep bool, kinds ...index.Kind) {
		if keep {
			out = append(out, kinds...)
		}
	}
	add(k.Versions, index.Sentence0, index.Sentence16)
	add(k.Entities, index.Entity0, index.Entity16, index.EntityTF0, index.EntityTF16)
	add(k.Words, index.Word)
	add(k.Patricia, index.Gram)
	return out
}

// Features are what a set's record keeps of its text. A list that the
// collection does not keep is nil.
type Features struct {
	SI                              []api.SIValue // in the order of the settings
	Sentences, Entities, EntitiesTF []uint32      // fingerprints, ascending and distinct
	Grams                           sketch.Grams  // a record of their own
}

// EntitiesOf returns the fingerprints of what the paragraphs of a text name.
func (k *Kept) EntitiesOf(doc string, tf bool) []uint32 {
	return entity.Fingerprints(k.extractor, doc, tf)
}

// FeaturesOf derives from a text what is kept of it.
func (k *Kept) FeaturesOf(doc string) (f Features) {
	for _, si := range k.SI {
		f.SI = append(f.SI, SIOf(si, doc))
	}
	if k.Versions {
		f.Sentences = sketch.Reading{Form: k.form}.Chunks(doc)
	}
	if k.Entities {
		f.Entities, f.EntitiesTF = entity.Both(k.extractor, doc)
	}
	if k.Patricia {
		f.Grams = sketch.ChooseGrams(k.form.Chars(doc))
	}
	return f
}

// A features record is, for each similarity index, a byte (1: there is one) and
// its value; then of each list that is kept its length as a varint and its
// fingerprints. Numbers are little-endian.
func (k *Kept) EncodeFeatures(f Features) []byte {
	var b []byte
	for _, v := range f.SI {
		valid := byte(0)
		if v.Valid {
			valid = 1
		}
		b = append(b, valid)
		b = binary.LittleEndian.AppendUint64(b, uint64(v.Value))
	}
	for _, list := range k.recorded(&f) {
		b = binary.AppendUvarint(b, uint64(len(*list)))
		for _, c := range *list {
			b = binary.LittleEndian.AppendUint32(b, c)
		}
	}
	return b
}

// recorded are the lists of the record, in its order.
func (k *Kept) recorded(f *Features) (lists []*[]uint32) {
	if k.Versions {
		lists = append(lists, &f.Sentences)
	}
	if k.Entities {
		lists = append(lists, &f.Entities, &f.EntitiesTF)
	}
	return lists
}

// DecodeFeatures reads a record of features. ErrCorrupt if it does not decode.
func (k *Kept) DecodeFeatures(b []byte) (f Features, err error) {
	d := Decoder{B: b}
	for range k.SI {
		ok := d.Bytes(1)
		v := api.SIValue{Value: int64(d.fixed64())}
		v.Valid = d.Err == nil && ok[0] == 1
		f.SI = append(f.SI, v)
	}
	for _, list := range k.recorded(&f) {
		n := d.Uvarint()
		if n > uint64(len(d.B)) {
			d.fail()
		}
		bytes := d.Bytes(4 * n)
		if d.Err != nil {
			break
		}
		*list = make([]uint32, n)
		for i := range *list {
			(*list)[i] = binary.LittleEndian.Uint32(bytes[4*i:])
		}
	}
	if d.Err != nil || len(d.B) > 0 {
		return Features{}, fault.Corrupt("features: a record of %d bytes does not decode", len(b))
	}
	return f, nil
}

// SIOf computes a similarity index of a text.
func SIOf(si sketch.SI, doc string) api.SIValue {
	v, ok := si.Value(doc)
	return api.SIValue{Value: v, Valid: ok}
}
