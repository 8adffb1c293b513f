package index

// Packed pages: format, search and decoding.

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"sort"
)

// A page holds up to 24 groups. A group has up to 32 keys with up to 64 entries together; the
// entries of a frequent key may take several groups. All numbers are little-endian:
//
//	entries             u16
//	set bits, top bits  u8 each: width of the set in a payload, and of the bits above
//	top base            u16: subtracted from the bits above
//	groups              u16
//	first key           u64, of which it takes 32 bits, as all keys do
//	offset              u32 for each group: its first key − first key
//	word                u32 for each group: its offset in the page · 2^11 + (entries − 1) · 2^5 + low
//	and for each group: high bits of key − the group's first key, u64
//	                    heads, a bit for each entry: one if its key differs from the entry's before
//	                    low bits of the keys, low bits each
//	                    payloads of the entries, set bits + top bits each
//	zeros               8 bytes, so that any field can be read as a u64
//
// Keys are encoded as by Elias and Fano. The low bits are stored as they are. The high bits, at
// most 31, are stored as a one at position high + i for key i of the group. Finding the keys from
// one on means counting zeros in one word, and finding the entries of a key counting ones in
// another. A key costs two bits more than the logarithm of the mean gap, and an entry one bit.
// Payloads have as many bits as the largest of the page. The caller that stores a page adds a
// checksum.
//
// Four entries, with key 5 for set 3, 9 for sets 1 and 2, and 300 for set 7 of tier 1, form one
// group:
//
//	04 00                       entries
//	03 01                       set bits, top bits
//	00 00                       top base
//	01 00                       groups
//	05 00 00 00 00 00 00 00     first key
//	00 00 00 00                 offset of the group
//	64 c0 00 00                 its place 24 · 2^11 + 3 · 2^5 + 4 low bits
//	03 00 10 00 00 00 00 00     ones at 0+0, 0+1 and 18+2: of 0, 4 and 18·16+7 the high bits
//	0b                          heads of entries 0, 1 and 3
//	40 07                       and the low bits 0, 4, 7
//	13 f2                       payloads 3, 1, 2 and 1·8+7
//	00 00 00 00 00 00 00 00     zeros
const (
	pageGroups   = 24 // of every page but the last of a run
	groupKeys    = 32
	groupEntries = 64
	pageEntries  = pageGroups * groupEntries
	pageHeader   = 16
	pagePadding  = 8

	highBits = 5 // of a key's difference: groupKeys ones and 2^5 zeros fill a word

	// Parts of a group's word in the directory.
	lowBits    = 5
	entryBits  = 6
	placeShift = lowBits + entryBits
)

var le = binary.LittleEndian

// lowWidth returns the number of low bits for differences up to d.
func lowWidth(d uint64) int { return max(bits.Len64(d)-highBits, 0) }

// groupBytes returns the length of a group of n entries with so many keys.
func groupBytes(n, keys, low, payload int) int {
	return 8 + (n+7)/8 + (keys*low+7)/8 + (n*payload+7)/8
}

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
	p = page{
		b: b, count: int(le.Uint16(b)), groups: int(le.Uint16(b[6:])),
		setBits: int(b[2]), payload: int(b[2]) + int(b[3]), topBase: uint32(le.Uint16(b[4:])),
		firstKey: le.Uint64(b[8:]),
	}
	if p.groups == 0 || p.groups > pageGroups || p.count < p.groups || p.count > p.groups*groupEntries || b[2] > setBits || b[3] > 32-setBits || p.topBase > MaxCount ||
		p.firstKey > math.MaxUint32 || len(b) < pageHeader+p.groups*8 {
		return page{}, fmt.Errorf("%w: %d entries in %d groups, %d bytes", ErrPage, p.count, p.groups, len(b))
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
	first        uint64
	low, n, keys int // n entries
	high, heads  uint64
	lows         []byte // with the bytes after them
	payloads     []byte // with the bytes after them
}

// groupWord returns the directory's word for group i.
func (p *page) groupWord(i int) uint32 {
	return le.Uint32(p.b[pageHeader+4*p.groups+4*i:])
}

// cutWord returns the parts of a group's word: its offset in the page, its entries and its low bits.
func cutWord(word uint32) (place, n, low int) {
	return int(word >> placeShift), int(word>>lowBits&(1<<entryBits-1)) + 1, int(word & (1<<lowBits - 1))
}

// group checks and returns group i.
func (p *page) group(i int) (g group, err error) {
	place, n, low := cutWord(p.groupWord(i))
	if place+8+8 > len(p.b) {
		return group{}, fmt.Errorf("%w: group %d", ErrPage, i)
	}
	high, heads := le.Uint64(p.b[place:]), le.Uint64(p.b[place+8:])<<(64-n)>>(64-n)
	keys := bits.OnesCount64(high)
	if low > 32-highBits || place+groupBytes(n, keys, low, p.payload)+pagePadding > len(p.b) {
		return group{}, fmt.Errorf("%w: group %d", ErrPage, i)
	}
	if keys == 0 || keys > groupKeys || bits.OnesCount64(heads) != keys || heads&1 == 0 {
		return group{}, fmt.Errorf("%w: group %d has other than %d keys", ErrPage, i, keys)
	}
	b := p.b[place+8+(n+7)/8:]
	return group{p, p.first(i), low, n, keys, high, heads, b, b[(keys*low+7)/8:]}, nil
}

// payload returns the payload of entry i.
func (g *group) payload(i int) uint32 {
	x := uint32(bitsAt(g.payloads, i*g.page.payload, g.page.payload))
	return (x>>g.setBits+g.topBase)<<setBits | x&(1<<g.setBits-1)
}

// entries returns the entries of key i, [from, to).
func (g *group) entries(i int) (from, to int) {
	from = selectBit(g.heads, i)
	return from, from + sameAs(g.heads, from, g.n)
}

// sameAs returns the number of entries of the key that begins at entry from, of n entries.
func sameAs(heads uint64, from, n int) int {
	return min(bits.TrailingZeros64(heads>>from>>1)+1, n-from)
}

// lowOf returns the low bits of key i.
func (g *group) lowOf(i int) uint64 { return bitsAt(g.lows, i*g.low, g.low) }

// from returns the first of the keys that may be ≥ key, with its high bits and those after it,
// which next consumes.
func (g *group) from(key uint64) (i int, rest uint64) {
	if key <= g.first || (key-g.first)>>g.low == 0 {
		return 0, g.high
	}
	zeros := (key - g.first) >> g.low // zeros before the key
	if zeros > 1<<highBits-1 {
		return g.keys, 0
	}
	at := selectBit(^g.high, int(zeros)-1) + 1
	return at - int(zeros), g.high >> at << at
}

// next returns the difference of key i to the first key, and the remaining high bits.
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
	if p.groups == pageGroups {
		return fullGroupBefore((*[4 * pageGroups]byte)(p.b[pageHeader:]), d)
	}
	return sort.Search(last, func(g int) bool { return p.offset(g+1) >= d })
}

// fullGroupBefore counts the offsets after the first that are below d. Branchless: on hashes
// half of the branches would be mispredicted.
func fullGroupBefore(offsets *[4 * pageGroups]byte, d uint64) int {
	const quarter = pageGroups / 4
	d = min(d, 1<<32)
	at := quarter * (below(offsets[4*quarter:], d) + below(offsets[8*quarter:], d) + below(offsets[12*quarter:], d))
	in := offsets[4*at:][:4*quarter]
	return at + below(in[4:], d) + below(in[8:], d) + below(in[12:], d) + below(in[16:], d) + below(in[20:], d)
}

// below returns 1 if the u32 at the start of b is below d ≤ 2^32, else 0.
func below(b []byte, d uint64) int { return int((uint64(le.Uint32(b)) - d) >> 63) }

// lookupFrom appends the payloads of a key, which may begin in group at.
func (p *page) lookupFrom(at int, key uint64, dst []uint32) ([]uint32, error) {
	err := p.eachFrom(at, key, key, func(_ uint64, payload uint32) { dst = append(dst, payload) })
	return dst, err
}

// point is lookupFrom with group, next, entries and payload inlined. They must agree.
func (p *page) point(at int, key uint64, dst []uint32) ([]uint32, error) {
	for ; at < p.groups; at++ {
		first := p.first(at)
		if first > key {
			break
		}
		place, n, low := cutWord(p.groupWord(at))
		if place+8+8 > len(p.b) {
			return p.lookupFrom(at, key, dst) // which returns the error
		}
		high, heads := le.Uint64(p.b[place:]), le.Uint64(p.b[place+8:])<<(64-n)>>(64-n)
		keys := bits.OnesCount64(high)
		lows := place + 8 + (n+7)/8
		payloads := lows + (keys*low+7)/8
		if low > 32-highBits || payloads+(n*p.payload+7)/8+pagePadding > len(p.b) ||
			keys == 0 || keys > groupKeys || bits.OnesCount64(heads) != keys || heads&1 == 0 {
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
			got := bitsAt(p.b, 8*lows+i*low, low)
			if got > want {
				return dst, nil
			}
			if got == want {
				e := selectBit(heads, i)
				for end := e + sameAs(heads, e, n); e < end; e++ {
					x := uint32(bitsAt(p.b, 8*payloads+e*p.payload, p.payload))
					dst = append(dst, (x>>p.setBits+p.topBase)<<setBits|x&(1<<p.setBits-1))
				}
				if i < keys-1 {
					return dst, nil
				}
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
		for ; i < g.keys; i++ {
			var d uint64
			if d, rest = g.next(i, rest); g.first+d < lo {
				continue
			}
			if d > hi-g.first {
				return nil
			}
			for e, end := g.entries(i); e < end; e++ {
				yield(g.first+d, g.payload(e))
			}
		}
	}
	return nil
}

// decode appends all entries and checks that they ascend and are as many as the page says.
func (p *page) decode(keys []uint64, payloads []uint32) ([]uint64, []uint32, error) {
	start := len(keys)
	var last uint64
	for at := range p.groups {
		g, err := p.group(at)
		if err != nil {
			return keys, payloads, err
		}
		rest, e := g.high, 0
		for i := range g.keys {
			var d uint64
			d, rest = g.next(i, rest)
			if g.first+d < last || i > 0 && g.first+d == last {
				return keys, payloads, fmt.Errorf("%w: keys do not ascend", ErrPage)
			}
			last = g.first + d
			for end := e + sameAs(g.heads, e, g.n); e < end; e++ {
				keys = append(keys, last)
				payloads = append(payloads, g.payload(e))
			}
		}
	}
	if len(keys)-start != p.count {
		return keys, payloads, fmt.Errorf("%w: %d entries, want %d", ErrPage, len(keys)-start, p.count)
	}
	return keys, payloads, nil
}
