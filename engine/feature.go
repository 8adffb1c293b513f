package engine

import (
	"crypto/sha256"
	"encoding/binary"
	"iter"
	"slices"
	"strings"

	"github.com/cockroachdb/pebble/v2"

	"github.com/simdb/simdb/entity"
	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/keys"
	"github.com/simdb/simdb/sketch"
	"github.com/simdb/simdb/text"
)

// maxSI is how many similarity indexes a collection may keep.
const maxSI = 4

// kept says what a collection keeps of texts beside their bags.
type kept struct {
	si                                  []sketch.SI
	versions, entities, words, patricia bool
}

func parseKept(s *Settings) (k kept, err error) {
	k = kept{versions: s.Versions, entities: s.Entities, words: s.Words, patricia: s.Patricia}
	var names []string
	for name := range strings.SplitSeq(s.SI, ",") {
		if strings.TrimSpace(name) == "" {
			continue
		}
		si, err := sketch.ParseSI(name)
		if err != nil {
			return k, invalid("si: %w", err)
		}
		if slices.Contains(k.si, si) {
			return k, invalid("si: %s is named twice", si)
		}
		k.si = append(k.si, si)
		names = append(names, si.String())
	}
	if len(k.si) > maxSI {
		return k, invalid("si: %d similarity indexes, a collection keeps at most %d", len(k.si), maxSI)
	}
	s.SI = strings.Join(names, ", ")
	return k, nil
}

// texts reports whether sets are of equal texts rather than of equal bags:
// texts with one bag may differ in what else is kept of them.
func (k *kept) texts() bool { return k.record() || k.words || k.patricia }

// record reports whether a set has a record of features.
func (k *kept) record() bool { return len(k.si) > 0 || k.versions || k.entities }

// kinds are the kinds of posting that this takes.
func (k *kept) kinds() (out []index.Kind) {
	add := func(keep bool, kinds ...index.Kind) {
		if keep {
			out = append(out, kinds...)
		}
	}
	add(k.versions, index.Sentence0, index.Sentence16)
	add(k.entities, index.Entity0, index.Entity16, index.EntityTF0, index.EntityTF16)
	add(k.words, index.Word)
	add(k.patricia, index.Gram)
	return out
}

// textDigest tells texts apart, and one text as read with other Unicode tables:
// its set is another.
func (c *collection) textDigest(doc string) (d [16]byte) {
	h := sha256.New()
	h.Write([]byte(c.unicode)) // which never fails
	h.Write([]byte{0})
	h.Write([]byte(doc))
	copy(d[:], h.Sum(nil))
	return d
}

// features are what a set's record keeps of its text. A list that the
// collection does not keep is nil.
type features struct {
	si                              []SI         // in the order of the settings
	sentences, entities, entitiesTF []uint32     // fingerprints, ascending and distinct
	grams                           sketch.Grams // a record of their own
}

var extractor entity.Extractor = entity.BuiltIn{}

func (k *kept) featuresOf(doc string) (f features) {
	for _, si := range k.si {
		f.si = append(f.si, valueOf(si, doc))
	}
	if k.versions {
		f.sentences = sketch.Chunks(doc)
	}
	if k.entities {
		f.entities, f.entitiesTF = entity.Both(extractor, doc)
	}
	if k.patricia {
		f.grams = sketch.ChooseGrams(text.Char.Normalize(nil, doc))
	}
	return f
}

// A features record is, for each similarity index, a byte (1: there is one) and
// its value; then of each list that is kept its length as a varint and its
// fingerprints. Numbers are little-endian.
func (k *kept) encodeFeatures(f features) []byte {
	var b []byte
	for _, v := range f.si {
		b = append(b, byte(b2i(v.Valid)))
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
func (k *kept) recorded(f *features) (lists []*[]uint32) {
	if k.versions {
		lists = append(lists, &f.sentences)
	}
	if k.entities {
		lists = append(lists, &f.entities, &f.entitiesTF)
	}
	return lists
}

func (k *kept) decodeFeatures(b []byte) (f features, err error) {
	d := decoder{b: b}
	for range k.si {
		ok := d.bytes(1)
		v := SI{Value: int64(d.fixed64())}
		v.Valid = d.err == nil && ok[0] == 1
		f.si = append(f.si, v)
	}
	for _, list := range k.recorded(&f) {
		n := d.uvarint()
		if n > uint64(len(d.b)) {
			d.fail()
		}
		bytes := d.bytes(4 * n)
		if d.err != nil {
			break
		}
		*list = make([]uint32, n)
		for i := range *list {
			(*list)[i] = binary.LittleEndian.Uint32(bytes[4*i:])
		}
	}
	if d.err != nil || len(d.b) > 0 {
		return features{}, corrupt("features: a record of %d bytes does not decode", len(b))
	}
	return f, nil
}

// writeFeatures stores the features of a new set.
func (c *collection) writeFeatures(b *pebble.Batch, set uint32, f features) error {
	if c.kept.patricia {
		if err := b.Set(c.key(keys.Grams, set), f.grams, nil); err != nil {
			return err
		}
	}
	if !c.kept.record() {
		return nil
	}
	for i, v := range f.si {
		if !v.Valid {
			continue
		}
		if err := b.Set(c.siKey(i, v.Value, set), nil, nil); err != nil {
			return err
		}
	}
	return b.Set(c.key(keys.Features, set), c.kept.encodeFeatures(f), nil)
}

// removeFeatures deletes those of a set that has ended.
func (c *collection) removeFeatures(b *pebble.Batch, r pebble.Reader, set uint32) error {
	if c.kept.patricia {
		if err := b.Delete(c.key(keys.Grams, set), nil); err != nil {
			return err
		}
	}
	if !c.kept.record() {
		return nil
	}
	f, err := readFeatures(r, c, set)
	if err != nil {
		return err
	}
	for i, v := range f.si {
		if !v.Valid {
			continue
		}
		if err := b.Delete(c.siKey(i, v.Value, set), nil); err != nil {
			return err
		}
	}
	return b.Delete(c.key(keys.Features, set), nil)
}

func readFeatures(r pebble.Reader, c *collection, set uint32) (features, error) {
	b, err := get(r, c.key(keys.Features, set))
	if err != nil {
		return features{}, err
	}
	if b == nil {
		return features{}, corrupt("features of set %d are missing", set)
	}
	f, err := c.kept.decodeFeatures(b)
	if err != nil {
		return f, corrupt("set %d: %w", set, err)
	}
	return f, nil
}

func (c *collection) siKey(which int, value int64, set uint32) []byte {
	return binary.BigEndian.AppendUint32(keys.OfSI(c.number, uint32(which), value), set)
}

// wordKey is what postings know of a word.
func wordKey(hash uint64) uint32 { return uint32(hash >> 32) }

// postings calls yield with every posting that a set's text has beside those of
// its bag.
func (k *kept) postings(p posted, yield func(k index.Kind, key uint32, count int)) {
	index.EachChunk(index.Sentence0, p.features.sentences, yield)
	index.EachChunk(index.Entity0, p.features.entities, yield)
	index.EachChunk(index.EntityTF0, p.features.entitiesTF, yield)
	for i, code := range weightCodes(p.words) {
		yield(index.Word, wordKey(p.words[i].Hash), code)
	}
	for key, n := range countGrams(p.features.grams) {
		yield(index.Gram, key, n)
	}
}

// countGrams yields the keys of grams, ascending, with how often each occurs.
func countGrams(grams sketch.Grams) iter.Seq2[uint32, int] {
	return func(yield func(uint32, int) bool) {
		var keys []uint32
		for _, key := range grams.All() {
			keys = append(keys, key)
		}
		slices.Sort(keys)
		for len(keys) > 0 {
			n := 1
			for n < len(keys) && keys[n] == keys[0] {
				n++
			}
			if !yield(keys[0], n) {
				return
			}
			keys = keys[n:]
		}
	}
}
