package index

// Encoding packed pages.

import (
	"math"
	"math/bits"
)

// pageWriter encodes packed pages of entries key<<32 | payload, reusing its buffer.
type pageWriter struct {
	buf [maxPage + 8]byte // pack writes up to eight bytes beyond the page
}

// maxPage is the size of the largest page.
const (
	maxPage = pageHeader + fullGroups*(4+4+8+(32-highBits)*pageGroup/8+32*pageGroup/8) + pagePadding
)

// page encodes ascending entries. The result is valid until the next call.
func (w *pageWriter) page(words []uint64) []byte {
	any, least, most := uint64(0), uint32(math.MaxUint32), uint32(0)
	for _, x := range words {
		any |= x
		least, most = min(least, uint32(x)), max(most, uint32(x))
	}
	base := least >> setBits
	setWidth, topWidth := bits.Len64(any&setMask), bits.Len32(most>>setBits-base)
	groups := (len(words) + pageGroup - 1) / pageGroup
	buf := w.buf[:]
	le.PutUint16(buf, uint16(len(words)))
	buf[2], buf[3] = byte(setWidth), byte(topWidth)
	le.PutUint16(buf[4:], uint16(base))
	buf[6], buf[7] = 0, 0
	firstKey := words[0] >> 32
	le.PutUint64(buf[8:], firstKey)
	offset, word := pageHeader, pageHeader+4*groups
	place := word + 4*groups
	for ; len(words) > 0; words = words[min(pageGroup, len(words)):] {
		group := words[:min(pageGroup, len(words))]
		first := group[0] >> 32
		low := lowWidth(group[len(group)-1]>>32 - first)
		le.PutUint32(buf[offset:], uint32(first-firstKey))
		le.PutUint32(buf[word:], uint32(place<<lowBits|low))
		offset, word = offset+4, word+4
		packGroup(buf[place:], group, fields{low, setWidth, setWidth + topWidth, base})
		place += groupBytes(len(group), low, setWidth+topWidth)
	}
	clear(buf[place : place+pagePadding])
	return buf[:place+pagePadding]
}

// fields describes the packing of a group: the widths of a key's low part, of the set and of the
// payload, and the base subtracted from the top bits.
type fields struct {
	low, set, payload int
	base              uint32
}

// packGroup writes a group, and up to eight bytes more.
func packGroup(dst []byte, group []uint64, f fields) {
	var lows, payloads [pageGroup]uint32
	le.PutUint64(dst, split(&lows, &payloads, group, f))
	dst = dst[8:]
	pack(dst, &lows, len(group), f.low)
	pack(dst[(len(group)*f.low+7)/8:], &payloads, len(group), f.payload)
}

// split returns the high bits of the keys of a group, and sets lows and payloads to the fields
// of the page.
func split(lows, payloads *[pageGroup]uint32, group []uint64, f fields) (high uint64) {
	first, mask := group[0]>>32, uint32(1)<<f.low-1
	for i, x := range group[:min(len(group), pageGroup)] {
		d := x>>32 - first
		high |= 1 << ((d>>(f.low&63) + uint64(i)) & 63)
		lows[i] = uint32(d) & mask
		p := uint32(x) - f.base<<setBits
		payloads[i] = p>>setBits<<(f.set&31) | p&setMask
	}
	return high
}

// pack writes n numbers of width bits, lowest bit first, and up to eight bytes more.
func pack(dst []byte, numbers *[pageGroup]uint32, n, width int) {
	acc, have := uint64(0), 0 // pending bits, fewer than 8 between numbers
	if width > 28 {
		for _, x := range numbers[:n] {
			acc |= uint64(x) << (have & 63)
			le.PutUint64(dst, acc)
			have += width
			dst = dst[have>>3:]
			acc >>= have &^ 7 & 63
			have &= 7
		}
		return
	}
	at := 0
	for i := 0; i < n; i += 2 { // if n is odd, a zero follows the last number
		pair := uint64(numbers[i%pageGroup]) | uint64(numbers[(i+1)%pageGroup])<<(width&63)
		acc |= pair << (have & 63)
		le.PutUint64(dst[at:], acc)
		have += 2 * width
		at += have >> 3
		acc >>= have &^ 7 & 63
		have &= 7
	}
}
