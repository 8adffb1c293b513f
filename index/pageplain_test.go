package index

import (
	"math"
	"math/bits"
	"slices"
)

// plainGroups returns the lengths of the groups of the first page of ascending keys: plainly.
func plainGroups(keys []uint64) (lengths []int) {
	for len(keys) > 0 && len(lengths) < pageGroups {
		n := 0
		for n < len(keys) && n < groupEntries && len(slices.Compact(slices.Clone(keys[:n+1]))) <= groupKeys {
			n++
		}
		lengths, keys = append(lengths, n), keys[n:]
	}
	return lengths
}

// appendPage encodes the first of the entries, which ascend by (key, payload), and returns their
// number: plainly.
func appendPage(dst []byte, keys []uint64, payloads []uint32) ([]byte, int) {
	groups, entries := plainGroups(keys), 0
	for _, n := range groups {
		entries += n
	}
	w := newPlainWriter(payloads[:entries])
	dst = le.AppendUint16(dst, uint16(entries))
	dst = append(dst, byte(w.setBits), byte(w.topBits))
	dst = le.AppendUint16(dst, uint16(w.topBase))
	dst = le.AppendUint16(dst, uint16(len(groups)))
	dst = le.AppendUint64(dst, keys[0])
	at := 0
	for _, n := range groups {
		dst = le.AppendUint32(dst, uint32(keys[at]-keys[0]))
		at += n
	}
	place, at := pageHeader+len(groups)*8, 0
	var packed []byte
	for _, n := range groups {
		group, low := w.appendGroup(nil, keys[at:at+n], payloads[at:at+n])
		dst = le.AppendUint32(dst, uint32(place<<11|(n-1)<<5|low))
		place, at = place+len(group), at+n
		packed = append(packed, group...)
	}
	return append(append(dst, packed...), make([]byte, pagePadding)...), entries
}

// plainWriter knows how the payloads of a page are packed.
type plainWriter struct {
	setBits, topBits int
	topBase          uint32
}

func newPlainWriter(payloads []uint32) plainWriter {
	w := plainWriter{topBase: math.MaxUint32}
	sets, top := uint32(0), uint32(0)
	for _, p := range payloads {
		sets |= p & setMask
		w.topBase = min(w.topBase, p>>setBits)
		top = max(top, p>>setBits)
	}
	w.setBits, w.topBits = bits.Len32(sets), bits.Len32(top-w.topBase)
	return w
}

func (w *plainWriter) appendGroup(dst []byte, keys []uint64, payloads []uint32) (_ []byte, low int) {
	low = lowWidth(keys[len(keys)-1] - keys[0])
	each := slices.Compact(slices.Clone(keys))
	high := uint64(0)
	for i, key := range each {
		high |= 1 << (int((key-keys[0])>>low) + i)
	}
	packed := bitWriter{b: le.AppendUint64(dst, high)}
	for i, key := range keys {
		head := uint64(0)
		if i == 0 || keys[i-1] != key {
			head = 1
		}
		packed.put(head, 1)
	}
	packed = bitWriter{b: packed.end()}
	for _, key := range each {
		packed.put((key-keys[0])&(1<<low-1), low)
	}
	packed = bitWriter{b: packed.end()}
	for _, p := range payloads {
		packed.put(uint64((p>>setBits-w.topBase)<<w.setBits|p&setMask), w.setBits+w.topBits)
	}
	return packed.end(), low
}

// bitWriter appends numbers of any width, lowest bit first.
type bitWriter struct {
	b    []byte
	acc  uint64
	have int // bits in acc, below 32 between calls
}

func (w *bitWriter) put(x uint64, width int) {
	if width > 32 {
		w.put(x&math.MaxUint32, 32)
		x, width = x>>32, width-32
	}
	w.acc |= x << w.have
	if w.have += width; w.have >= 32 {
		w.b = le.AppendUint32(w.b, uint32(w.acc))
		w.acc >>= 32
		w.have -= 32
	}
}

// end fills up the last byte.
func (w *bitWriter) end() []byte {
	for ; w.have > 0; w.have -= 8 {
		w.b = append(w.b, byte(w.acc))
		w.acc >>= 8
	}
	return w.b
}
