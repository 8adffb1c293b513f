package scale

// Reading of the sets and names of a shard: all of them in their order, or some.

import (
	"context"
	"encoding/binary"
	"hash/crc32"

	"github.com/simdb/simdb/internal/shingle"
)

// Bytes that lie between two sets which are wanted are read with them if they are fewer
// than gap, and no read is much longer than stretch.
const (
	gap        = 64 << 10
	stretch    = 1 << 20
	mostPlaces = 1 << 13 // that are read at once
)

// frames reads frames of two sections of a shard: the one has them, the next says where.
type frames struct {
	r      *result
	at     int64 // of the section of frames
	length int64
	places int64 // of the section of places
	n      uint32
}

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

// each calls do with the frames that are wanted, ascending. The bytes are lent. A frame
// that is damaged is an error.
func (f frames) each(ctx context.Context, wanted []uint32, do func(i int, frame []byte) error) error {
	var buffer []byte
	for i := 0; i < len(wanted); {
		if err := ctx.Err(); err != nil {
			return err
		}
		first := wanted[i]
		places, err := f.placesOf(first, min(first+mostPlaces, f.n))
		if err != nil {
			return err
		}
		begin, k := places[0], i
		end := places[1]
		for k+1 < len(wanted) && int(wanted[k+1]-first)+1 < len(places) {
			next := wanted[k+1] - first
			if places[next]-end > gap || places[next+1]-begin > stretch {
				break
			}
			end, k = places[next+1], k+1
		}
		if end-begin > int64(cap(buffer)) {
			buffer = make([]byte, end-begin)
		}
		buffer = buffer[:end-begin]
		if err := f.r.readAt(buffer, f.at+begin); err != nil {
			return err
		}
		for ; i <= k; i++ {
			at := wanted[i] - first
			frame := buffer[places[at]-begin : places[at+1]-begin]
			if err := f.check(wanted[i], frame); err != nil {
				return err
			}
			if err := do(i, frame); err != nil {
				return err
			}
		}
	}
	return nil
}

// placesOf returns where the frames from first to before end begin, and where the last ends.
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

func (f frames) check(number uint32, frame []byte) error {
	n := len(frame) - 4
	if n < 8 || binary.LittleEndian.Uint32(frame) != number || binary.LittleEndian.Uint32(frame[n:]) != crc32.Checksum(frame[:n], castagnoli) {
		return f.r.broken("set %d has been changed", number)
	}
	return nil
}

// setIn returns the members of a frame of section 0, which it reads in the text.
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

// namesIn returns the documents of a frame of section 2.
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

// all calls do with every frame in order. It is lent.
func (f frames) all(ctx context.Context, do func(number uint32, frame []byte) error) error {
	var wanted []uint32
	for from := uint32(0); from < f.n; from += mostPlaces {
		wanted = wanted[:0]
		for n := from; n < min(from+mostPlaces, f.n); n++ {
			wanted = append(wanted, n)
		}
		if err := f.each(ctx, wanted, func(i int, frame []byte) error { return do(wanted[i], frame) }); err != nil {
			return err
		}
	}
	return nil
}
