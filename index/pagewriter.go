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
	maxPage = pageHeader + pageGroups*(4+4+8+groupEntries/8+(32-highBits)*groupKeys/8+32*groupEntries/8) + pagePadding
)

// page encodes the first of ascending entries: as many as fit, or all. Up to pageEntries fit. The
// page is valid until the next call.
func (w *pageWriter) page(words []uint64) (page []byte, entries int) {
	var all [pageGroups]grouped
	groups := 0
	for entries < len(words) && groups < pageGroups {
		all[groups] = groupOf(words[entries:])
		entries += all[groups].n
		groups++
	}
	words = words[:entries]
	any, least, most := uint64(0), uint32(math.MaxUint32), uint32(0)
	for _, x := range words {
		any |= x
		least, most = min(least, uint32(x)), max(most, uint32(x))
	}
	base := least >> setBits
	setWidth, topWidth := bits.Len64(any&setMask), bits.Len32(most>>setBits-base)
	buf := w.buf[:]
	le.PutUint16(buf, uint16(entries))
	buf[2], buf[3] = byte(setWidth), byte(topWidth)
	le.PutUint16(buf[4:], uint16(base))
	le.PutUint16(buf[6:], uint16(groups))
	firstKey := words[0] >> 32
	le.PutUint64(buf[8:], firstKey)
	offset, word := pageHeader, pageHeader+4*groups
	place := word + 4*groups
	for i := range all[:groups] {
		g := &all[i]
		group := words[:g.n]
		words = words[g.n:]
		low := lowWidth(group[g.n-1]>>32 - group[0]>>32)
		le.PutUint32(buf[offset:], uint32(group[0]>>32-firstKey))
		le.PutUint32(buf[word:], uint32(place<<placeShift|(g.n-1)<<lowBits|low))
		offset, word = offset+4, word+4
		place += packGroup(buf[place:], group, g, fields{low, setWidth, setWidth + topWidth, base})
	}
	clear(buf[place : place+pagePadding])
	return buf[:place+pagePadding], entries
}

// grouped describes a group: its number of entries, and its heads.
type grouped struct {
	n     int
	heads uint64
}

// groupOf returns the group that begins with the first of ascending entries. It has the largest
// number of entries that is allowed.
func groupOf(words []uint64) (g grouped) {
	words = words[:min(len(words), groupEntries)]
	keys, last := 0, ^uint64(0)
	for i, x := range words {
		head := 0
		if x>>32 != last {
			head = 1
		}
		last = x >> 32
		if keys += head; keys > groupKeys {
			return g
		}
		g.heads |= uint64(head) << (i & 63)
		g.n = i + 1
	}
	return g
}

// fields describes the packing of a group: the widths of a key's low part, of the set and of the
// payload, and the base subtracted from the top bits.
type fields struct {
	low, set, payload int
	base              uint32
}

// packGroup writes a group, and up to eight bytes more. It returns the length of the group.
func packGroup(dst []byte, group []uint64, g *grouped, f fields) int {
	var lows, payloads [groupEntries]uint32
	high, keys := split(&lows, &payloads, group, g.heads, f)
	le.PutUint64(dst, high)
	le.PutUint64(dst[8:], g.heads)
	at := 8 + (g.n+7)/8
	pack(dst[at:], &lows, keys, f.low)
	at += (keys*f.low + 7) / 8
	pack(dst[at:], &payloads, g.n, f.payload)
	return at + (g.n*f.payload+7)/8
}

// split returns the high bits of the keys of a group and their number, and sets lows and payloads
// to the fields of the page.
func split(lows, payloads *[groupEntries]uint32, group []uint64, heads uint64, f fields) (high uint64, keys int) {
	first, mask := group[0]>>32, uint32(1)<<f.low-1
	for i, x := range group[:min(len(group), groupEntries)] {
		d, head := x>>32-first, heads>>(i&63)&1
		lows[keys&(groupEntries-1)] = uint32(d) & mask // the same for all entries of a key
		high |= head << ((d>>(f.low&63) + uint64(keys)) & 63)
		keys += int(heads >> (i & 63) >> 1 & 1)
		p := uint32(x) - f.base<<setBits
		payloads[i] = p>>setBits<<(f.set&31) | p&setMask
	}
	return high, keys + 1
}

// pack writes n numbers of width bits, lowest bit first, and up to eight bytes more.
func pack(dst []byte, numbers *[groupEntries]uint32, n, width int) {
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
		pair := uint64(numbers[i%groupEntries]) | uint64(numbers[(i+1)%groupEntries])<<(width&63)
		acc |= pair << (have & 63)
		le.PutUint64(dst[at:], acc)
		have += 2 * width
		at += have >> 3
		acc >>= have &^ 7 & 63
		have &= 7
	}
}
