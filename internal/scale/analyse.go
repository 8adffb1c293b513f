package scale

// Stage analyse: documents become sets. Documents of one shard with equal sets share a set.
//
//	section 0    sets: number, members (u32 each), a text that has them, compressed; checksum (u32)
//	section 1    where each set begins in section 0, and where the last one ends (u64)
//	section 2    names: set, documents (u32 each), for each document its number, the length
//	             of its id (u32 each) and its id; checksum (u32)
//	section 3    where those of each set begin in section 2
//	section 4    the sets of several documents (u64)
//	section 5    counters of tokens (u16)
//	section 6    sizes, each with how many sets have it (u64 each)
//	from 7 on    for each partition, hashes of ids (16 bytes) with the document's number (u32)

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"math/bits"
	"slices"

	"github.com/simdb/simdb/internal/shingle"
)

const (
	setsSection = iota
	setPlaces
	namesSection
	namePlaces
	severalSection
	sketchSection
	sizesSection
	idsSection
)

const idBytes = 16 + 4

// Names of counts in a record of analyse.
const (
	countDocuments = "documents"
	countSets      = "sets"
)

// shardOf accumulates the sections after the first, which hold no texts and fit into memory.
type shardOf struct {
	byDigest map[[16]byte]uint32
	places   []uint64
	names    [][]byte // by set: its documents, in the form of section 2
	counters []uint16
	sizes    map[uint64]uint64
	ids      [][]byte // by partition: hashes and document numbers
	document uint32
}

// analyse reads the input of a shard once, and writes sets as it goes.
func (j *Job) analyse(ctx context.Context, task int, o *output, r *Record) error {
	s := shardOf{
		byDigest: map[[16]byte]uint32{},
		sizes:    map[uint64]uint64{},
		counters: make([]uint16, 1<<j.plan.SketchBits),
		ids:      make([][]byte, j.plan.Partitions),
	}
	var frame []byte
	rejects, err := j.source(ctx, j.plan.Inputs[task], func(id, text string) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		if s.document == math.MaxUint32 || len(s.names) == maxSets {
			return fmt.Errorf("%s: more than %d sets in one part of the input: use smaller parts", j.plan.Inputs[task].Path, maxSets)
		}
		number := s.document
		s.document++
		s.addID(id, number)
		set := j.rule.analysis.Bag(text).Set
		if len(set) == 0 {
			return nil
		}
		digest := shingle.Bag{Set: set, Total: uint64(len(set))}.Digest()
		known, ok := s.byDigest[digest]
		if !ok {
			known = uint32(len(s.names))
			s.byDigest[digest] = known
			s.names = append(s.names, nil)
			s.places = append(s.places, o.at)
			s.count(set)
			frame = binary.LittleEndian.AppendUint32(frame[:0], known)
			frame = binary.LittleEndian.AppendUint32(frame, uint32(len(set)))
			frame = packer().EncodeAll([]byte(text), frame)
			if err := o.frame(frame); err != nil {
				return err
			}
		}
		name := binary.LittleEndian.AppendUint32(s.names[known], number)
		name = binary.LittleEndian.AppendUint32(name, uint32(len(id)))
		s.names[known] = append(name, id...)
		return nil
	})
	if err != nil {
		return err
	}
	s.places = append(s.places, o.at)
	o.end()
	r.Rejects = rejects
	r.Counts[countDocuments], r.Counts[countSets] = int64(s.document), int64(len(s.names))
	return s.write(o)
}

// addID adds the hash of an id to its partition. Order compares hashes of 128 bits instead of ids
// to save memory.
func (s *shardOf) addID(id string, number uint32) {
	sum := sha256.Sum256([]byte(id))
	p := binary.LittleEndian.Uint64(sum[16:]) % uint64(len(s.ids))
	s.ids[p] = binary.LittleEndian.AppendUint32(append(s.ids[p], sum[:16]...), number)
}

// count counts the tokens of a set, by the high bits of their hashes. A counter saturates at
// 65535.
func (s *shardOf) count(set shingle.Set) {
	shift := 65 - bits.Len(uint(len(s.counters))) // a power of two
	for _, h := range set {
		if c := &s.counters[h>>shift]; *c < math.MaxUint16 {
			*c++
		}
	}
	s.sizes[uint64(len(set))]++
}

// write writes the sections after the first.
func (s *shardOf) write(o *output) error {
	if err := o.sectionWords(s.places); err != nil {
		return err
	}
	var places, several []uint64
	var frame []byte
	begin := o.at
	for set, name := range s.names {
		n := documentsIn(name)
		if n > 1 {
			several = append(several, uint64(set))
		}
		places = append(places, o.at-begin)
		frame = binary.LittleEndian.AppendUint32(frame[:0], uint32(set))
		frame = binary.LittleEndian.AppendUint32(frame, uint32(n))
		if err := o.frame(append(frame, name...)); err != nil {
			return err
		}
	}
	places = append(places, o.at-begin)
	o.end()
	if err := o.sectionWords(places); err != nil {
		return err
	}
	if err := o.sectionWords(several); err != nil {
		return err
	}
	counters, _ := binary.Append(nil, binary.LittleEndian, s.counters)
	if err := o.section(counters); err != nil {
		return err
	}
	var sizes []uint64
	for _, size := range slices.Sorted(maps.Keys(s.sizes)) {
		sizes = append(sizes, size, s.sizes[size])
	}
	if err := o.sectionWords(sizes); err != nil {
		return err
	}
	for _, ids := range s.ids {
		if err := o.section(ids); err != nil {
			return err
		}
	}
	return nil
}

// documentsIn counts the documents in an entry of section 2.
func documentsIn(name []byte) (n int) {
	for len(name) >= 8 {
		name = name[8+binary.LittleEndian.Uint32(name[4:]):]
		n++
	}
	return n
}
