package index

// This file decodes packed pages into words, for merges.

import (
	"fmt"
	"math"
	"math/bits"
)

// appendWords appends the entries of an encoded page, key<<32 | payload + shift,
// and checks that keys take 32 bits and ascend and that sets are below span.
func appendWords(words []uint64, b []byte, span, shift uint32) ([]uint64, error) {
	if isFlat(b) {
		return words, fmt.Errorf("%w: flat, in a run of other kind", ErrPage)
	}
	p, err := openPage(b)
	if err != nil {
		return words, err
	}
	start := len(words)
	at := start
	words = append(words, make([]uint64, p.count)...) // makes none
	last, sets := uint64(0), uint64(0)
	for i := range p.groups {
		g, err := p.group(i)
		if err != nil {
			return words[:start], err
		}
		ascends := g.first >= last && g.short()
		if ascends {
			var largest uint64
			largest, ascends = unpackGroup(words[at:at+g.n], &g, shift)
			sets = max(sets, largest)
		}
		if !ascends {
			return words[:start], fmt.Errorf("%w: keys do not ascend, or are long", ErrPage)
		}
		last = words[at+g.n-1] >> 32
		at += g.n
	}
	if sets >= uint64(span) {
		return words[:start], fmt.Errorf("%w: set %d of %d", ErrPage, sets, span)
	}
	return words, nil
}

// short reports whether the last key of a group takes at most 32 bits.
func (g *group) short() bool {
	high := uint64(bits.Len64(g.high) - g.n) // of the last entry
	return g.first+high<<g.low+g.lowOf(g.n-1) <= math.MaxUint32
}

// unpackGroup writes the entries of a group, payload + shift, and returns the
// largest of their sets. ok is false if keys do not ascend.
func unpackGroup(dst []uint64, g *group, shift uint32) (largest uint64, ok bool) {
	low, payload := g.low, g.page.payload
	lows, payloads, rest := g.lows, g.payloads, g.high
	lowMask, mask := uint64(1)<<(low&63)-1, uint64(1)<<(payload&63)-1
	setWidth := g.setBits & 31
	setsMask, base := uint64(1)<<setWidth-1, uint64(g.topBase)<<setBits
	last, ok := uint64(0), true
	lowAt, payloadAt := 0, 0
	for i := range dst {
		d := uint64(bits.TrailingZeros64(rest)-i)<<(low&63) | le.Uint64(lows[lowAt>>3:])>>(lowAt&7)&lowMask
		rest &= rest - 1
		ok = ok && d >= last
		last = d
		x := le.Uint64(payloads[payloadAt>>3:]) >> (payloadAt & 7) & mask
		set := x & setsMask
		largest = max(largest, set)
		dst[i] = (g.first+d)<<32 | uint64(uint32(x>>setWidth<<setBits+base+set)+shift) // in 32 bits, as payload does
		lowAt += low
		payloadAt += payload
	}
	return largest, ok
}
