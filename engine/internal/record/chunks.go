package record

// Fingerprints of chunks: sentences, and the entities of each paragraph. They are lists in the
// features record and have postings.

import (
	"encoding/binary"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/internal/entity"
	"github.com/simdb/simdb/internal/sketch"
	"github.com/simdb/simdb/internal/text"
)

var ofSentences = feature{
	kept: func(k *Kept, s *api.Settings) (bool, error) {
		if s.Versions && k.texts.Unit >= text.Own {
			return false, fault.Invalid("versions also compares shingles of texts, which unit = '%s' does not provide", k.texts.Unit)
		}
		return s.Versions, nil
	},
	derive: func(k *Kept, doc string, f *Features) { f.Sentences = sketch.Reading{Form: k.texts.Form}.Chunks(doc) },
	in:     InFeatures,
	encode: func(b []byte, f *Features) []byte { return appendChunks(b, f.Sentences) },
	decode: func(_ *Kept, d *Decoder, f *Features) { f.Sentences = d.chunks() },
	kinds:  []index.Kind{index.Sentence0, index.Sentence16},
	post: func(f *Features, yield func(k index.Kind, key uint32, count int)) {
		index.EachChunk(index.Sentence0, f.Sentences, yield)
	},
}

var ofEntities = feature{
	kept:   func(_ *Kept, s *api.Settings) (bool, error) { return s.Entities, nil },
	derive: func(k *Kept, doc string, f *Features) { f.Entities, f.EntitiesTF = entity.Both(k.extractor, doc) },
	in:     InFeatures,
	encode: func(b []byte, f *Features) []byte { return appendChunks(appendChunks(b, f.Entities), f.EntitiesTF) },
	decode: func(_ *Kept, d *Decoder, f *Features) { f.Entities, f.EntitiesTF = d.chunks(), d.chunks() },
	kinds:  []index.Kind{index.Entity0, index.Entity16, index.EntityTF0, index.EntityTF16},
	post: func(f *Features, yield func(k index.Kind, key uint32, count int)) {
		index.EachChunk(index.Entity0, f.Entities, yield)
		index.EachChunk(index.EntityTF0, f.EntitiesTF, yield)
	},
}

// EntitiesOf returns the fingerprints of a text's paragraphs by their entities; paragraphs with
// too few entities have none. With tf, each occurrence of an entity counts.
func (k *Kept) EntitiesOf(doc string, tf bool) []uint32 {
	return entity.Fingerprints(k.extractor, doc, tf)
}

// appendChunks appends the length of a list as a varint, then the fingerprints.
func appendChunks(b []byte, list []uint32) []byte {
	b = binary.AppendUvarint(b, uint64(len(list)))
	for _, c := range list {
		b = binary.LittleEndian.AppendUint32(b, c)
	}
	return b
}

// chunks reads a list that appendChunks wrote.
func (d *Decoder) chunks() []uint32 {
	n := d.Uvarint()
	if n > uint64(len(d.B)) {
		d.fail()
	}
	bytes := d.Bytes(4 * n)
	if d.Err != nil {
		return nil
	}
	list := make([]uint32, n)
	for i := range list {
		list[i] = binary.LittleEndian.Uint32(bytes[4*i:])
	}
	return list
}
