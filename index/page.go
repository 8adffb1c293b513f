package index

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/bits"
)

// ErrPage marks bytes that do not decode: a page, a directory or an order that
// this package did not write. Test with errors.Is.
var ErrPage = errors.New("index: damaged page")

// A page holds up to 1,024 entries in groups of 32, all numbers little-endian:
//
//	entries             u16
//	set bits, top bits  u8 each: what the set in a payload takes, and what is
//	top base            u16: above it, less the base
//	wide                u8: 1 if the offsets of the groups are u64, else u32
//	0                   u8
//	first key           u64
//	offset              u32 or u64 for each group: its first key − first key
//	place·64 + low      u32 for each group: where in the page it is
//	and for each group: high bits of key − the group's first key, u64
//	                    low bits of the same, low bits each
//	                    payloads, set bits + top bits each
//	zeros               9 bytes, so that any field can be read as a u64 or two
//
// Keys are in the form of Elias and Fano: the low bits as they are, the high
// bits, at most 31, as a one at place high + i for the i-th entry of the group.
// So the entries from some key on are found by counting zeros in one word, and
// a key costs two bits more than the logarithm of the mean gap. The payloads
// have as many bits as the page's largest. There is no checksum: who stores a
// page keeps one beside it.
const (
	pageEntries = 1024
	pageGroup   = 32
	pageHeader  = 16
	pagePadding = 9

	highBits = 5 // of a key's difference: pageGroup ones and 2^5 zeros fill a word
	lowBits  = 6 // of a group's word in the directory
)

var le = binary.LittleEndian

// lowWidth returns how many bits of the differences up to d are low bits.
func lowWidth(d uint64) int { return max(bits.Len64(d)-highBits, 0) }

func groupBytes(n, low, payload int) int { return 8 + (n*low+7)/8 + (n*payload+7)/8 }

// bitsAt returns width bits of b from bit at on, at most 57.
func bitsAt(b []byte, at, width int) uint64 {
	return le.Uint64(b[at>>3:]) >> (at & 7) & (1<<width - 1)
}

// wideBitsAt is bitsAt for any width.
func wideBitsAt(b []byte, at, width int) uint64 {
	x := le.Uint64(b[at>>3:])>>(at&7) | uint64(b[at>>3+8])<<(64-at&7)
	return x & (1<<width - 1)
}

// page reads an encoded page. openPage checks what the header claims, group
// what it is asked for, so that a lookup pays only for the groups it touches.
type page struct {
	b                []byte
	count, groups    int
	setBits, payload int // bits
	topBase          uint32
	wide             int // 1 or 0
	firstKey         uint64
}

func openPage(b []byte) (p page, err error) {
	if len(b) < pageHeader {
		return p, fmt.Errorf("%w: %d bytes", ErrPage, len(b))
	}
	n := int(le.Uint16(b))
	p = page{
		b: b, count: n, groups: (n + pageGroup - 1) / pageGroup,
		setBits: int(b[2]), payload: int(b[2]) + int(b[3]), topBase: uint32(le.Uint16(b[4:])),
		wide: int(b[6]), firstKey: le.Uint64(b[8:]),
	}
	if n == 0 || n > pageEntries || b[2] > setBits || b[3] > 32-setBits || p.topBase > MaxCount || b[6] > 1 || b[7] != 0 ||
		len(b) < pageHeader+p.groups*(8+4*p.wide) {
		return page{}, fmt.Errorf("%w: %d entries in %d bytes", ErrPage, n, len(b))
	}
	return p, nil
}

// offset returns the first key of group g less that of the page.
func (p *page) offset(g int) uint64 {
	if p.wide == 0 {
		return uint64(le.Uint32(p.b[pageHeader+4*g:]))
	}
	return le.Uint64(p.b[pageHeader+8*g:])
}

func (p *page) first(g int) uint64 { return p.firstKey + p.offset(g) }

// group is one group of a page.
type group struct {
	*page
	first    uint64
	low, n   int
	high     uint64
	lows     []byte // and what follows them
	payloads []byte // the same
}

// groupWord returns the directory's word for group i.
func (p *page) groupWord(i int) uint32 {
	return le.Uint32(p.b[pageHeader+(4+4*p.wide)*p.groups+4*i:])
}

func (p *page) group(i int) (g group, err error) {
	word := p.groupWord(i)
	place, low := int(word>>lowBits), int(word&(1<<lowBits-1))
	n := min(pageGroup, p.count-i*pageGroup)
	if low > 64-highBits || place+groupBytes(n, low, p.payload)+pagePadding > len(p.b) {
		return group{}, fmt.Errorf("%w: group %d", ErrPage, i)
	}
	g = group{p, p.first(i), low, n, le.Uint64(p.b[place:]), p.b[place+8:], p.b[place+8+(n*low+7)/8:]}
	if bits.OnesCount64(g.high) != n {
		return group{}, fmt.Errorf("%w: group %d has other than %d keys", ErrPage, i, n)
	}
	return g, nil
}

func (g *group) payload(i int) uint32 {
	x := uint32(bitsAt(g.payloads, i*g.page.payload, g.page.payload))
	return (x>>g.setBits+g.topBase)<<setBits | x&(1<<g.setBits-1)
}

// lowOf returns the low bits of entry i.
func (g *group) lowOf(i int) uint64 {
	if g.low > 57 {
		return wideBitsAt(g.lows, i*g.low, g.low)
	}
	return bitsAt(g.lows, i*g.low, g.low)
}

// from returns the first entry that may have a key of at least key, with the
// high bits of it and those behind it: next takes them off.
func (g *group) from(key uint64) (i int, rest uint64) {
	if key <= g.first || (key-g.first)>>g.low == 0 {
		return 0, g.high
	}
	zeros := (key - g.first) >> g.low // that stand before it
	if zeros > 1<<highBits-1 {
		return g.n, 0
	}
	at := selectBit(^g.high, int(zeros)-1) + 1
	return at - int(zeros), g.high >> at << at
}

// next returns the difference of entry i to the first key and what is left of rest.
func (g *group) next(i int, rest uint64) (delta, left uint64) {
	return uint64(bits.TrailingZeros64(rest)-i)<<g.low | g.lowOf(i), rest & (rest - 1)
}

// selectBit returns the place of the k-th one of x, k from 0, which has more.
func selectBit(x uint64, k int) int {
	at := 0
	for half := 32; half > 0; half >>= 1 {
		if n := bits.OnesCount64(x & (1<<half - 1)); n <= k {
			k -= n
			x >>= half
			at += half
		}
	}
	return at
}

// groupBefore returns the last group that starts below key, or the first. Most
// keys are hashes, evenly spread, so that the place found by rule of three is
// close.
func (p *page) groupBefore(key uint64) int {
	last := p.groups - 1
	if key <= p.firstKey || last == 0 {
		return 0
	}
	d, end := key-p.firstKey, p.offset(last)
	g := last
	if d < end {
		g = min(int(float64(d)/float64(end)*float64(last)), last)
	}
	for g > 0 && p.offset(g) >= d {
		g--
	}
	for g < last && p.offset(g+1) < d {
		g++
	}
	return g
}

// lookup appends the payloads of the entries with lo ≤ key ≤ hi.
func (p *page) lookup(lo, hi uint64, dst []uint32) ([]uint32, error) {
	return p.lookupFrom(p.groupBefore(lo), lo, hi, dst)
}

// lookupFrom is lookup with the group where lo may begin.
func (p *page) lookupFrom(at int, lo, hi uint64, dst []uint32) ([]uint32, error) {
	for ; at < p.groups && p.first(at) <= hi; at++ {
		g, err := p.group(at)
		if err != nil {
			return dst, err
		}
		i, rest := g.from(lo)
		for ; i < g.n; i++ {
			var d uint64
			if d, rest = g.next(i, rest); g.first+d < lo {
				continue
			}
			if d > hi-g.first {
				return dst, nil
			}
			dst = append(dst, g.payload(i))
		}
	}
	return dst, nil
}

// each calls yield for the entries with lo ≤ key ≤ hi.
func (p *page) each(lo, hi uint64, yield func(key uint64, payload uint32)) error {
	for at := p.groupBefore(lo); at < p.groups && p.first(at) <= hi; at++ {
		g, err := p.group(at)
		if err != nil {
			return err
		}
		i, rest := g.from(lo)
		for ; i < g.n; i++ {
			var d uint64
			if d, rest = g.next(i, rest); g.first+d < lo {
				continue
			}
			if d > hi-g.first {
				return nil
			}
			yield(g.first+d, g.payload(i))
		}
	}
	return nil
}

// decode appends all entries and checks that they ascend.
func (p *page) decode(keys []uint64, payloads []uint32) ([]uint64, []uint32, error) {
	var last uint64
	for at := range p.groups {
		g, err := p.group(at)
		if err != nil {
			return keys, payloads, err
		}
		rest := g.high
		for i := range g.n {
			var d uint64
			d, rest = g.next(i, rest)
			if d > math.MaxUint64-g.first || g.first+d < last {
				return keys, payloads, fmt.Errorf("%w: keys do not ascend", ErrPage)
			}
			last = g.first + d
			keys = append(keys, last)
			payloads = append(payloads, g.payload(i))
		}
	}
	return keys, payloads, nil
}
