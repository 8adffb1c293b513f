package scale

// Reader of a shard's sets and names, sequentially or selectively.

import (
	"context"
	"encoding/binary"
	"hash/crc32"
	"slices"

	"github.com/simdb/simdb/internal/shingle"
)

const mostPlaces = 1 << 13 // places per read

// frames reads frames of a section of a shard; the section after it holds their places.
type frames struct {
	r      *result
	at     int64 // offset of the frames
	length int64
	places int64 // offset of the places
	n      uint32
}

// framesOf locates both sections.
func framesOf(r *result, section int) (f frames, err error) {
	f.r = r
	if f.at, f.length, _, _, err = r.place(section); err != nil {
		return f, err
	}
	var length int64
	if f.places, length, _, _, err = r.place(section + 1); err != nil {
		return f, err
	}
	if length < 8 {
		return f, r.broken("section %d is too short", section+1)
	}
	f.n = uint32(length/8 - 1)
	return f, nil
}

// each calls do with the wanted frames, which ascend, or with all. frame is valid during the
// call. A damaged frame is a *Broken.
func (f frames) each(ctx context.Context, wanted []uint32, do func(i int, frame []byte) error) error {
	var frame []byte
	var places []int64
	first := uint32(0)
	for i, n := range wanted {
		err := ctx.Err()
		if at := int(n - first); err == nil && at+1 >= len(places) {
			first = n
			places, err = f.placesOf(n, min(n+mostPlaces, f.n))
		}
		if err != nil {
			return err
		}
		begin, end := places[n-first], places[n-first+1]
		frame = slices.Grow(frame[:0], int(end-begin))[:end-begin]
		if err = f.r.readAt(frame, f.at+begin); err == nil {
			err = f.check(n, frame)
		}
		if err == nil {
			err = do(i, frame)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// placesOf returns the starts of the frames in [first,end) and the end of the last.
func (f frames) placesOf(first, end uint32) ([]int64, error) {
	if first >= f.n {
		return nil, f.r.broken("it has no set %d", first)
	}
	b := make([]byte, 8*(end-first+1))
	if err := f.r.readAt(b, f.places+8*int64(first)); err != nil {
		return nil, err
	}
	places := make([]int64, end-first+1)
	for i := range places {
		places[i] = int64(binary.LittleEndian.Uint64(b[8*i:]))
		if places[i] < 0 || places[i] > f.length || i > 0 && places[i] < places[i-1] {
			return nil, f.r.broken("the place of set %d is wrong", int(first)+i)
		}
	}
	return places, nil
}

// check verifies the number and the checksum of a frame.
func (f frames) check(number uint32, frame []byte) error {
	n := len(frame) - 4
	if n < 8 || binary.LittleEndian.Uint32(frame) != number || binary.LittleEndian.Uint32(frame[n:]) != crc32.Checksum(frame[:n], castagnoli) {
		return f.r.broken("set %d has been changed", number)
	}
	return nil
}

// setIn derives the set of a frame of section 0 from its text.
func (r rule) setIn(f frames, frame []byte) (shingle.Set, error) {
	text, err := unpacker().DecodeAll(frame[8:len(frame)-4], nil)
	if err != nil {
		return nil, f.r.broken("a text: %v", err)
	}
	set := r.analysis.Bag(string(text)).Set
	if n := binary.LittleEndian.Uint32(frame[4:]); n != uint32(len(set)) {
		return nil, f.r.broken("a set of %d members has a text of %d", n, len(set))
	}
	return set, nil
}

// A doc is a document of a set.
type doc struct {
	number uint32
	id     string
}

// namesIn returns the documents in a frame of section 2.
func (f frames) namesIn(frame []byte) (docs []doc, err error) {
	rest := frame[8 : len(frame)-4]
	for len(rest) >= 8 && uint64(binary.LittleEndian.Uint32(rest[4:])) <= uint64(len(rest)-8) {
		n := binary.LittleEndian.Uint32(rest[4:])
		docs = append(docs, doc{binary.LittleEndian.Uint32(rest), string(rest[8 : 8+n])})
		rest = rest[8+n:]
	}
	if len(rest) > 0 || len(docs) != int(binary.LittleEndian.Uint32(frame[4:])) {
		return nil, f.r.broken("the names of a set are wrong")
	}
	return docs, nil
}

// numbersTo returns the numbers in [from,end).
func numbersTo(from, end uint32) (list []uint32) {
	for n := from; n < end; n++ {
		list = append(list, n)
	}
	return list
}
