package index

import (
	"math"
	"math/bits"
	"slices"
)

// appendPage encodes entries, which ascend by (key, payload): plainly.
func appendPage(dst []byte, keys []uint64, payloads []uint32) []byte {
	w := newPlainWriter(payloads)
	dst = le.AppendUint16(dst, uint16(len(keys)))
	dst = append(dst, byte(w.setBits), byte(w.topBits))
	dst = le.AppendUint16(dst, uint16(w.topBase))
	dst = append(dst, 0, 0)
	dst = le.AppendUint64(dst, keys[0])
	groups := (len(keys) + pageGroup - 1) / pageGroup
	for first := range slices.Chunk(keys, pageGroup) {
		dst = le.AppendUint32(dst, uint32(first[0]-keys[0]))
	}
	place := pageHeader + groups*8
	for g := range slices.Chunk(keys, pageGroup) {
		low := lowWidth(g[len(g)-1] - g[0])
		dst = le.AppendUint32(dst, uint32(place<<lowBits|low))
		place += groupBytes(len(g), low, w.setBits+w.topBits)
	}
	for g := range slices.Chunk(keys, pageGroup) {
		dst = w.appendGroup(dst, g, payloads[:len(g)])
		payloads = payloads[len(g):]
	}
	return append(dst, make([]byte, pagePadding)...)
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

func (w *plainWriter) appendGroup(dst []byte, keys []uint64, payloads []uint32) []byte {
	low := lowWidth(keys[len(keys)-1] - keys[0])
	high := uint64(0)
	for i, key := range keys {
		high |= 1 << (int((key-keys[0])>>low) + i)
	}
	dst = le.AppendUint64(dst, high)
	lows := bitWriter{b: dst}
	for _, key := range keys {
		lows.put((key-keys[0])&(1<<low-1), low)
	}
	packed := bitWriter{b: lows.end()}
	for _, p := range payloads {
		packed.put(uint64((p>>setBits-w.topBase)<<w.setBits|p&setMask), w.setBits+w.topBits)
	}
	return packed.end()
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
