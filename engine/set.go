package engine

import (
	"encoding/binary"
	"math"

	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/shingle"
	"github.com/simdb/simdb/sketch"
)

// setRecord is what the store keeps of a set under keys.Set: distinct, total
// and collisions as varints, SimHash (8 bytes), digest (16), then the words of
// the parity signature, little-endian.
type setRecord struct {
	index.Facts
	Digest [16]byte
}

// describe derives the record and the folded set of a non-empty bag.
func describe(bag shingle.Bag) (r setRecord, folded []byte) {
	folded, ids := shingle.AppendFolded(nil, bag.Set)
	r.Distinct, r.Total = uint64(len(bag.Set)), bag.Total
	r.Collisions = r.Distinct - uint64(ids)
	r.SimHash = sketch.SimHash(bag.Set)
	r.Signature = sketch.NewSignature(nil, bag.Set)
	r.Digest = bag.Digest()
	return r, folded
}

// describe is describe for a collection, where equal texts may count rather than
// equal bags.
func (c *collection) describe(bag shingle.Bag, text string) (r setRecord, folded []byte) {
	r, folded = describe(bag)
	if !c.folds {
		folded = nil
	}
	if c.kept.texts() {
		r.Digest = c.textDigest(text)
	}
	return r, folded
}

func (r *setRecord) encode() []byte {
	b := make([]byte, 0, 40+8*len(r.Signature))
	b = binary.AppendUvarint(b, r.Distinct)
	b = binary.AppendUvarint(b, r.Total)
	b = binary.AppendUvarint(b, r.Collisions)
	b = binary.LittleEndian.AppendUint64(b, r.SimHash)
	b = append(b, r.Digest[:]...)
	for _, w := range r.Signature {
		b = binary.LittleEndian.AppendUint64(b, w)
	}
	return b
}

func decodeSetRecord(b []byte) (r setRecord, err error) {
	err = r.decode(b)
	return r, err
}

// decode is decodeSetRecord into a record whose signature it may overwrite.
func (r *setRecord) decode(b []byte) error {
	d := decoder{b: b}
	r.Distinct, r.Total, r.Collisions = d.uvarint(), d.uvarint(), d.uvarint()
	r.SimHash = d.fixed64()
	copy(r.Digest[:], d.bytes(16))
	if d.err != nil {
		return corrupt("set record: %w", d.err)
	}
	// The table in memory keeps sizes in 32 bits. Checked before they are used.
	if r.Distinct == 0 || r.Distinct > r.Total || r.Total > math.MaxUint32 || r.Collisions >= r.Distinct ||
		len(d.b) != 8*sketch.SignatureWords(int(r.Distinct)) {
		return corrupt("set record: %d distinct, %d in all, %d collisions, %d signature bytes", r.Distinct, r.Total, r.Collisions, len(d.b))
	}
	r.Signature = r.Signature[:0]
	for b := d.b; len(b) > 0; b = b[8:] {
		r.Signature = append(r.Signature, binary.LittleEndian.Uint64(b))
	}
	return nil
}

// FingerprintOf computes the SimHash of a text as a collection of these settings
// does. It reports false for a text without shingles.
func FingerprintOf(text string, s Settings) (v uint64, ok bool, err error) {
	c, err := new(Options).newCollection(0, DefaultCollection, s)
	if err != nil {
		return 0, false, err
	}
	facts := probeOf(c.analysis.Bag(text))
	return facts.SimHash, facts.Distinct > 0, nil
}
