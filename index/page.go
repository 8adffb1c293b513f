package index

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"
)

// ErrPage marks bytes that do not decode: a page, a directory or an order that
// this package did not write. Test with errors.Is.
var ErrPage = errors.New("index: damaged page")

// A page holds up to 4,096 entries in groups of 64, all numbers little-endian:
//
//	count               u32
//	first key           u64 for each group
//	place·16 + width    u32 for each group: where its deltas are in the page
//	payload             u32 for each entry
//	key − first key     of each entry, group after group
//
// The width of the deltas, 0, 1, 2, 4 or 8 bytes, is that of the group's
// widest, so that an entry is found by two binary searches and nothing needs to
// be unpacked. A posting takes about 6 bytes this way. There is no checksum: the
// blocks of the store have theirs.
const (
	pageEntries = 4096
	pageGroup   = 64
)

var le = binary.LittleEndian

// appendPage encodes entries, which ascend by (key, payload).
func appendPage(dst []byte, keys []uint64, payloads []uint32) []byte {
	groups := (len(keys) + pageGroup - 1) / pageGroup
	dst = le.AppendUint32(dst, uint32(len(keys)))
	for first := range slices.Chunk(keys, pageGroup) {
		dst = le.AppendUint64(dst, first[0])
	}
	place := 4 + 12*groups + 4*len(keys)
	for g := range slices.Chunk(keys, pageGroup) {
		width := deltaWidth(g[len(g)-1] - g[0])
		dst = le.AppendUint32(dst, uint32(place<<4|width))
		place += width * len(g)
	}
	for _, p := range payloads {
		dst = le.AppendUint32(dst, p)
	}
	for g := range slices.Chunk(keys, pageGroup) {
		width := deltaWidth(g[len(g)-1] - g[0])
		for _, key := range g {
			var delta [8]byte
			le.PutUint64(delta[:], key-g[0])
			dst = append(dst, delta[:width]...)
		}
	}
	return dst
}

// deltaWidth returns the bytes that deltas up to d take: 0 or a power of two.
func deltaWidth(d uint64) int {
	n := (bits.Len64(d) + 7) / 8
	if n <= 2 {
		return n
	}
	return 1 << bits.Len(uint(n-1))
}

// page reads an encoded page. openPage checks what the header claims, group
// what it is asked for, so that a lookup pays only for the groups it touches.
type page struct {
	b             []byte
	count, groups int
}

func openPage(b []byte) (page, error) {
	if len(b) < 4 {
		return page{}, fmt.Errorf("%w: %d bytes", ErrPage, len(b))
	}
	n := le.Uint32(b)
	p := page{b: b, count: int(n), groups: int(n+pageGroup-1) / pageGroup}
	if n == 0 || n > pageEntries || len(b) < 4+12*p.groups+4*p.count {
		return page{}, fmt.Errorf("%w: %d entries in %d bytes", ErrPage, n, len(b))
	}
	return p, nil
}

func (p *page) first(g int) uint64   { return le.Uint64(p.b[4+8*g:]) }
func (p *page) payload(i int) uint32 { return le.Uint32(p.b[4+12*p.groups+4*i:]) }

// group is one group of a page.
type group struct {
	first  uint64
	width  int
	n      int
	deltas []byte
}

func (p *page) group(g int) (group, error) {
	word := le.Uint32(p.b[4+8*p.groups+4*g:])
	place, width := int(word>>4), int(word&15)
	n := min(pageGroup, p.count-g*pageGroup)
	if width > 8 || width&(width-1) != 0 || place+n*width > len(p.b) {
		return group{}, fmt.Errorf("%w: group %d", ErrPage, g)
	}
	return group{p.first(g), width, n, p.b[place : place+n*width]}, nil
}

// delta returns key i less the first key.
func (g *group) delta(i int) uint64 {
	switch g.width {
	case 0:
		return 0
	case 1:
		return uint64(g.deltas[i])
	case 2:
		return uint64(le.Uint16(g.deltas[2*i:]))
	case 4:
		return uint64(le.Uint32(g.deltas[4*i:]))
	}
	return le.Uint64(g.deltas[8*i:])
}

// lower returns the number of the first entry whose key is at least key, or n.
func (g *group) lower(key uint64) int {
	if key <= g.first {
		return 0
	}
	d := key - g.first
	at := 0
	for n := g.n; n > 0; {
		half := (n + 1) / 2
		if g.delta(at+half-1) < d {
			at += half
			n -= half
		} else {
			n = half - 1
		}
	}
	return at
}

// lookup appends the payloads of the entries with lo ≤ key ≤ hi.
func (p *page) lookup(lo, hi uint64, dst []uint32) ([]uint32, error) {
	from, to := 0, p.groups // the last group that starts below lo, or the first
	for to-from > 1 {
		if mid := (from + to) / 2; p.first(mid) < lo {
			from = mid
		} else {
			to = mid
		}
	}
	for ; from < p.groups && p.first(from) <= hi; from++ {
		g, err := p.group(from)
		if err != nil {
			return dst, err
		}
		i := g.lower(lo)
		for ; i < g.n && g.delta(i) <= hi-g.first; i++ {
			dst = append(dst, p.payload(from*pageGroup+i))
		}
		if i < g.n {
			break
		}
	}
	return dst, nil
}

// decode appends all entries and checks that they ascend.
func (p *page) decode(keys []uint64, payloads []uint32) ([]uint64, []uint32, error) {
	var last uint64
	for i := range p.groups {
		g, err := p.group(i)
		if err != nil {
			return keys, payloads, err
		}
		for j := range g.n {
			d := g.delta(j)
			if d > math.MaxUint64-g.first || g.first+d < last {
				return keys, payloads, fmt.Errorf("%w: keys do not ascend", ErrPage)
			}
			last = g.first + d
			keys = append(keys, last)
		}
	}
	for i := range p.count {
		payloads = append(payloads, p.payload(i))
	}
	return keys, payloads, nil
}
