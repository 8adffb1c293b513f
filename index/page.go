package index

// Packed pages: format, search and decoding.

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"sort"
)

// A page holds up to 1,024 entries in groups of 32, all numbers little-endian:
//
//	entries             u16
//	set bits, top bits  u8 each: width of the set in a payload, and of the bits above
//	top base            u16: subtracted from the bits above
//	zeros               2 bytes
//	first key           u64, of which it takes 32 bits, as all keys do
//	offset              u32 for each group: its first key − first key
//	place·64 + low      u32 for each group: its offset in the page
//	and for each group: high bits of key − the group's first key, u64
//	                    low bits of the same, low bits each
//	                    payloads, set bits + top bits each
//	zeros               8 bytes, so that any field can be read as a u64
//
// Keys are encoded as by Elias and Fano. The low bits are stored as they are. The high bits, at
// most 31, are stored as a one at position high + i for entry i of the group. Finding the
// entries from a key on means counting zeros in one word. A key costs two bits more than the
// logarithm of the mean gap. Payloads have as many bits as the largest of the page. The caller
// that stores a page adds a checksum.
//
// Three entries, with key 5 for set 3, 9 for set 1 and 300 for set 7 of tier 1, form one group:
//
//	03 00                       entries
//	03 01                       set bits, top bits
//	00 00                       top base
//	00 00                       zeros
//	05 00 00 00 00 00 00 00     first key
//	00 00 00 00                 offset of the group
//	04 06 00 00                 its place 24 · 64 + 4 low bits
//	03 00 10 00 00 00 00 00     ones at 0+0, 0+1 and 18+2: of 0, 4 and 18·16+7 the high bits
//	40 07                       and the low bits 0, 4, 7
//	13 0f                       payloads 3, 1 and 1·8+7
//	00 00 00 00 00 00 00 00     zeros
const (
	pageEntries = 1024
	pageGroup   = 32
	pageHeader  = 16
	pagePadding = 8

	highBits = 5 // of a key's difference: pageGroup ones and 2^5 zeros fill a word
	lowBits  = 6 // of a group's word in the directory
)

var le = binary.LittleEndian

// lowWidth returns the number of low bits for differences up to d.
func lowWidth(d uint64) int { return max(bits.Len64(d)-highBits, 0) }

// groupBytes returns the length of a group of n entries.
func groupBytes(n, low, payload int) int { return 8 + (n*low+7)/8 + (n*payload+7)/8 }

// bitsAt returns width bits of b from bit at on, at most 57; fields have at most 32.
func bitsAt(b []byte, at, width int) uint64 {
	return le.Uint64(b[at>>3:]) >> (at & 7) & (1<<width - 1)
}

// page reads an encoded page. openPage checks the header and group each group it reads, so that
// a look-up pays only for the groups it touches.
type page struct {
	b                []byte
	count, groups    int
	setBits, payload int // bits
	topBase          uint32
	firstKey         uint64
}

// openPage checks and decodes the header. ErrPage if it is invalid.
func openPage(b []byte) (p page, err error) {
	if len(b) < pageHeader {
		return p, fmt.Errorf("%w: %d bytes", ErrPage, len(b))
	}
	n := int(le.Uint16(b))
	p = page{
		b: b, count: n, groups: (n + pageGroup - 1) / pageGroup,
		setBits: int(b[2]), payload: int(b[2]) + int(b[3]), topBase: uint32(le.Uint16(b[4:])),
		firstKey: le.Uint64(b[8:]),
	}
	if n == 0 || n > pageEntries || b[2] > setBits || b[3] > 32-setBits || p.topBase > MaxCount || le.Uint16(b[6:]) != 0 ||
		p.firstKey > math.MaxUint32 || len(b) < pageHeader+p.groups*8 {
		return page{}, fmt.Errorf("%w: %d entries in %d bytes", ErrPage, n, len(b))
	}
	return p, nil
}

// offset returns the first key of group g minus that of the page.
func (p *page) offset(g int) uint64 { return uint64(le.Uint32(p.b[pageHeader+4*g:])) }

// first returns the first key of group g.
func (p *page) first(g int) uint64 { return p.firstKey + p.offset(g) }

// group is one group of a page.
type group struct {
	*page
	first    uint64
	low, n   int
	high     uint64
	lows     []byte // with the bytes after them
	payloads []byte // with the bytes after them
}

// groupWord returns the directory's word for group i.
func (p *page) groupWord(i int) uint32 {
	return le.Uint32(p.b[pageHeader+4*p.groups+4*i:])
}

// group checks and returns group i.
func (p *page) group(i int) (g group, err error) {
	word := p.groupWord(i)
	place, low := int(word>>lowBits), int(word&(1<<lowBits-1))
	n := min(pageGroup, p.count-i*pageGroup)
	if low > 32-highBits || place+groupBytes(n, low, p.payload)+pagePadding > len(p.b) {
		return group{}, fmt.Errorf("%w: group %d", ErrPage, i)
	}
	g = group{p, p.first(i), low, n, le.Uint64(p.b[place:]), p.b[place+8:], p.b[place+8+(n*low+7)/8:]}
	if bits.OnesCount64(g.high) != n {
		return group{}, fmt.Errorf("%w: group %d has other than %d keys", ErrPage, i, n)
	}
	return g, nil
}

// payload returns the payload of entry i.
func (g *group) payload(i int) uint32 {
	x := uint32(bitsAt(g.payloads, i*g.page.payload, g.page.payload))
	return (x>>g.setBits+g.topBase)<<setBits | x&(1<<g.setBits-1)
}

// lowOf returns the low bits of entry i.
func (g *group) lowOf(i int) uint64 { return bitsAt(g.lows, i*g.low, g.low) }

// from returns the first entry that may have a key ≥ key, with its high bits and those after it,
// which next consumes.
func (g *group) from(key uint64) (i int, rest uint64) {
	if key <= g.first || (key-g.first)>>g.low == 0 {
		return 0, g.high
	}
	zeros := (key - g.first) >> g.low // zeros before the entry
	if zeros > 1<<highBits-1 {
		return g.n, 0
	}
	at := selectBit(^g.high, int(zeros)-1) + 1
	return at - int(zeros), g.high >> at << at
}

// next returns the difference of entry i to the first key, and the remaining high bits.
func (g *group) next(i int, rest uint64) (delta, left uint64) {
	return uint64(bits.TrailingZeros64(rest)-i)<<g.low | g.lowOf(i), rest & (rest - 1)
}

// selectBit returns the position of the k-th one of x, from 0; x must have more than k.
// Branchless, since k is unpredictable.
func selectBit(x uint64, k int) int {
	const lowest, highest = 0x0101010101010101, 0x8080808080808080
	ones := x - x>>1&0x5555555555555555
	ones = ones&0x3333333333333333 + ones>>2&0x3333333333333333
	ones = (ones + ones>>4) & 0x0f0f0f0f0f0f0f0f * lowest // in each byte and below it
	before := (uint64(k)*lowest | highest) - ones         // highest where these are k or less
	at := 8 * bits.OnesCount64(before&highest)
	k -= int(ones << 8 >> (at & 63) & 0xff)
	return at&63 + int(selectInByte[k&7][x>>(at&63)&0xff])
}

// selectInByte is the position of the k-th one of each byte.
var selectInByte = func() (t [8][256]uint8) {
	for x := range 256 {
		k := 0
		for at := range 8 {
			if x>>at&1 != 0 {
				t[k][x] = uint8(at)
				k++
			}
		}
	}
	return t
}()

// groupBefore returns the last group that starts below key, or the first.
func (p *page) groupBefore(key uint64) int {
	last := p.groups - 1
	if key <= p.firstKey || last == 0 {
		return 0
	}
	d := key - p.firstKey
	if p.groups == fullGroups {
		return fullGroupBefore((*[4 * fullGroups]byte)(p.b[pageHeader:]), d)
	}
	return sort.Search(last, func(g int) bool { return p.offset(g+1) >= d })
}

// fullGroups is the number of groups of every page but the last of a run.
const fullGroups = pageEntries / pageGroup

// fullGroupBefore counts the offsets after the first that are below d. Branchless: on hashes
// half of the branches would be mispredicted.
func fullGroupBefore(offsets *[4 * fullGroups]byte, d uint64) int {
	const quarter = fullGroups / 4
	d = min(d, 1<<32)
	at := quarter * (below(offsets[4*quarter:], d) + below(offsets[8*quarter:], d) + below(offsets[12*quarter:], d))
	in := offsets[4*at:][:4*quarter]
	return at + below(in[4:], d) + below(in[8:], d) + below(in[12:], d) + below(in[16:], d) +
		below(in[20:], d) + below(in[24:], d) + below(in[28:], d)
}

// below returns 1 if the u32 at the start of b is below d ≤ 2^32, else 0.
func below(b []byte, d uint64) int { return int((uint64(le.Uint32(b)) - d) >> 63) }

// lookupFrom appends the payloads of a key, which may begin in group at.
func (p *page) lookupFrom(at int, key uint64, dst []uint32) ([]uint32, error) {
	err := p.eachFrom(at, key, key, func(_ uint64, payload uint32) { dst = append(dst, payload) })
	return dst, err
}

// point is lookupFrom with group, next and payload inlined. They must agree.
func (p *page) point(at int, key uint64, dst []uint32) ([]uint32, error) {
	for ; at < p.groups; at++ {
		first := p.first(at)
		if first > key {
			break
		}
		word := p.groupWord(at)
		place, low := int(word>>lowBits), int(word&(1<<lowBits-1))
		n := min(pageGroup, p.count-at*pageGroup)
		lows := place + 8
		payloads := lows + (n*low+7)/8
		if low > 32-highBits || payloads+(n*p.payload+7)/8+pagePadding > len(p.b) {
			return p.lookupFrom(at, key, dst) // which returns the error
		}
		high := le.Uint64(p.b[place:])
		if bits.OnesCount64(high) != n {
			return p.lookupFrom(at, key, dst)
		}
		zeros := (key - first) >> low
		if zeros > 1<<highBits-1 {
			continue
		}
		from := selectBit(^high<<1|1, int(zeros)) // after the zeros-th zero, or 0
		i := from - int(zeros)
		want := (key - first) & (1<<low - 1)
		for rest := high >> from; rest&1 != 0; rest >>= 1 {
			switch got := bitsAt(p.b, 8*lows+i*low, low); {
			case got == want:
				x := uint32(bitsAt(p.b, 8*payloads+i*p.payload, p.payload))
				dst = append(dst, (x>>p.setBits+p.topBase)<<setBits|x&(1<<p.setBits-1))
			case got > want:
				return dst, nil
			}
			i++
		}
	}
	return dst, nil
}

// eachFrom calls yield for the entries with lo ≤ key ≤ hi. lo may begin in group at.
func (p *page) eachFrom(at int, lo, hi uint64, yield func(key uint64, payload uint32)) error {
	for ; at < p.groups && p.first(at) <= hi; at++ {
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
			if g.first+d < last {
				return keys, payloads, fmt.Errorf("%w: keys do not ascend", ErrPage)
			}
			last = g.first + d
			keys = append(keys, last)
			payloads = append(payloads, g.payload(i))
		}
	}
	return keys, payloads, nil
}
