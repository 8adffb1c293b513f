package index

// Encoding facts in the file of a segment, so that they can be used in place.

import (
	"encoding/binary"
	"unsafe"

	"github.com/simdb/simdb/internal/measure"
)

// A piece encodes the facts of n sets with adjacent numbers, all of one slab, in columns.
// Numbers are little-endian. Omitted sets have zeros.
//
//	SimHash of each number, 8 bytes
//	place of the signature of each, 4 bytes: its first word << 8, and its length in words
//	4 zeros, if the numbers are odd
//	the words of the signatures, 8 bytes each
//	4 zeros: with a checksum after it a piece is a multiple of 8 bytes
//
// So adjacent pieces, the first at a multiple of 8, are aligned. The sizes of the sets are
// stored apart, because all of them are needed at once:
//
//	distinct members of each number, 4 bytes, 0 for a hole
//	all members of each, 4 bytes
const (
	sizeBytes = 4 + 4
	padBytes  = 4
)

// AppendSizes encodes the sizes of the sets in [lo, hi) for which keep returns true.
func (v View) AppendSizes(dst []byte, lo, hi uint32, keep func(set uint32) bool) []byte {
	for _, column := range []func(uint32) uint64{
		func(i uint32) uint64 { return v.Size(i).Distinct },
		func(i uint32) uint64 { return v.Size(i).Total },
	} {
		for i := lo; i < hi; i++ {
			x := uint64(0)
			if v.has(i) && keep(i) {
				x = column(i)
			}
			dst = binary.LittleEndian.AppendUint32(dst, uint32(x))
		}
	}
	return dst
}

// AppendPiece encodes the other facts of the sets in [lo, hi) for which keep returns true.
func (v View) AppendPiece(dst []byte, lo, hi uint32, keep func(set uint32) bool) []byte {
	kept := make([]bool, hi-lo)
	for i := lo; i < hi; i++ {
		kept[i-lo] = v.has(i) && keep(i)
	}
	for i, kept := range kept {
		x := uint64(0)
		if kept {
			x = v.SimHash(lo + uint32(i))
		}
		dst = binary.LittleEndian.AppendUint64(dst, x)
	}
	place := 0
	for i, kept := range kept {
		n := 0
		if kept {
			n = len(v.Signature(lo + uint32(i)))
		}
		dst = binary.LittleEndian.AppendUint32(dst, uint32(place<<8|n))
		place += n
	}
	dst = append(dst, make([]byte, 4*(len(kept)%2))...)
	for i, kept := range kept {
		if !kept {
			continue
		}
		for _, w := range v.Signature(lo + uint32(i)) {
			dst = binary.LittleEndian.AppendUint64(dst, w)
		}
	}
	return append(dst, make([]byte, padBytes)...)
}

// SizesBytes returns the length of AppendSizes for n numbers.
func SizesBytes(n uint32) int { return sizeBytes * int(n) }

// sizesPiece is the columns of encoded sizes.
type sizesPiece struct{ distinct, total []byte }

// cutSizes finds the columns of the sizes of n numbers, and checks them.
func cutSizes(b []byte, n int) (s sizesPiece, err error) {
	if len(b) != sizeBytes*n {
		return s, errPiece
	}
	s = sizesPiece{b[:4*n], b[4*n:]}
	for i := range n {
		if x := s.at(i); x.Total < x.Distinct || x.Distinct == 0 && x.Total > 0 {
			return s, errPiece
		}
	}
	return s, nil
}

// at returns the size of number i.
func (s sizesPiece) at(i int) measure.Size {
	return measure.Size{
		Distinct: uint64(binary.LittleEndian.Uint32(s.distinct[4*i:])), Total: uint64(binary.LittleEndian.Uint32(s.total[4*i:])),
	}
}

// piece is the columns of an encoded piece.
type piece struct{ simHash, places, words []byte }

// cutPiece finds the columns of a piece of n numbers, and checks that all places lie within the
// words.
func cutPiece(b []byte, n int) (p piece, err error) {
	if len(b) < 8*n+4*(n+n%2)+padBytes || (len(b)-padBytes)%8 != 0 {
		return p, errPiece
	}
	p.simHash, b = b[:8*n], b[8*n:]
	p.places, b = b[:4*n], b[4*(n+n%2):]
	p.words = b[:len(b)-padBytes]
	for i := range n {
		place, words := p.place(i)
		if words > maxWords || place+words > len(p.words)/8 {
			return p, errPiece
		}
	}
	return p, nil
}

// place returns the first word and the length of a signature.
func (p *piece) place(i int) (place, words int) {
	x := binary.LittleEndian.Uint32(p.places[4*i:])
	return int(x >> 8), int(x & 0xff)
}

// decode sets all facts of number i except its sizes. It may overwrite the signature.
func (p *piece) decode(i int, f *Facts) {
	f.SimHash = binary.LittleEndian.Uint64(p.simHash[8*i:])
	place, words := p.place(i)
	f.Signature = f.Signature[:0]
	for b := p.words[8*place:][:8*words]; len(b) > 0; b = b[8:] {
		f.Signature = append(f.Signature, binary.LittleEndian.Uint64(b))
	}
}

// readable reports whether the columns of a piece can be used in place: little-endian and
// aligned.
func readable(encoded []byte) bool {
	return binary.NativeEndian.Uint16([]byte{1, 0}) == 1 && uintptr(unsafe.Pointer(unsafe.SliceData(encoded)))%8 == 0
}
