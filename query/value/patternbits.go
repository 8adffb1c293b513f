package value

// A segment with parts of one code point may begin to match at every position of a text,
// and go on for long. The bit-parallel search (shift-and, Baeza-Yates and Gonnet 1992)
// tries all positions at once: a bit per part records that the parts up to it match the
// text read last. A code point costs one word operation per 64 parts, for any text.

import "unicode/utf8"

// bitSegment is a segment as masks, with one bit per code point.
type bitSegment struct {
	length  int
	any     []uint64       // parts that match any code point
	at      map[rune][]int // parts that match only this code point
	classes map[int]*class // parts that match a class
	masks   map[rune][]uint64
}

// maxMasks bounds the cached masks. Without classes there are at most 64.
const maxMasks = 256

// newBitSegment splits literals into code points, and returns the masks.
func newBitSegment(parts []part) *bitSegment {
	g := &bitSegment{at: map[rune][]int{}, classes: map[int]*class{}, masks: map[rune][]uint64{}}
	var free []int
	for _, p := range parts {
		for _, r := range p.literal {
			g.at[r] = append(g.at[r], g.length)
			g.length++
		}
		if p.literal != "" {
			continue
		}
		if p.class == nil {
			free = append(free, g.length)
		} else {
			g.classes[g.length] = p.class
		}
		g.length++
	}
	g.any = make([]uint64, (g.length+63)/64)
	set(g.any, free)
	return g
}

// set sets the bits of the places.
func set(mask []uint64, places []int) {
	for _, i := range places {
		mask[i/64] |= 1 << (i % 64)
	}
}

// mask returns the parts that match a code point, and the steps that this took. It caches a mask
// that is dearer to compute than to read. Any other mask is in scratch, and valid until the next
// call.
func (g *bitSegment) mask(r rune, scratch []uint64) (m []uint64, steps int) {
	if m, ok := g.masks[r]; ok {
		return m, 0
	}
	places := g.at[r]
	if steps = len(places) + len(g.classes); steps == 0 {
		return g.any, 0
	}
	m = scratch
	if steps > len(g.any) && len(g.masks) < maxMasks {
		m = make([]uint64, len(g.any))
		g.masks[r] = m
	}
	copy(m, g.any)
	set(m, places)
	for i, c := range g.classes {
		if c.admits(r) {
			set(m, []int{i})
		}
	}
	return m, steps + len(g.any)
}

// findBits is find for a segment that was tried at too many positions.
func (m *matching) findBits(parts []part, s string) (end int, ok bool) {
	g := newBitSegment(parts)
	fit, scratch := make([]uint64, len(g.any)), make([]uint64, len(g.any))
	last, top := g.length-1, 0 // no bit is set in the words from top on
	for i, r := range s {
		low, carry := max(0, g.length-(len(s)-i))/64, uint64(1) // bits below low can no longer reach the last part
		if low > top {
			break
		}
		if low > 0 {
			carry = fit[low-1] >> 63
		}
		mask, steps := g.mask(r, scratch)
		high := min(top+1, len(fit))
		top = low
		for w := low; w < high; w++ {
			was := fit[w]
			fit[w] = (was<<1 | carry) & mask[w]
			carry = was >> 63
			if fit[w] != 0 {
				top = w + 1
			}
		}
		if fit[last/64]>>(last%64)&1 == 1 {
			return i + utf8.RuneLen(r), true
		}
		if !m.step(1 + steps + high - low) {
			break
		}
	}
	return 0, false
}
