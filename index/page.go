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

// A page holds up to 4,096 entries in groups of 32, all numbers little-endian:
//
//	count               u32
//	first key           u64 for each group
//	place·16 + width    u32 for each group: where in the page it is
//	and for each group: payload u32 of each entry,
//	                    key − first key of each entry, width bytes
//	zeros               8 bytes, so that any delta can be read as a u64
//
// The width of the deltas, 0 to 8 bytes, is that of the group's widest, so that
// an entry is found without unpacking any. A posting takes about 6.5 bytes this
// way, and a lookup touches the directory and one group: it waits for memory
// more than it computes. There is no checksum: the blocks of the store have theirs.
const (
	pageEntries = 4096
	pageGroup   = 32
	pagePadding = 8
)

var le = binary.LittleEndian

// appendPage encodes entries, which ascend by (key, payload).
func appendPage(dst []byte, keys []uint64, payloads []uint32) []byte {
	groups := (len(keys) + pageGroup - 1) / pageGroup
	dst = le.AppendUint32(dst, uint32(len(keys)))
	for first := range slices.Chunk(keys, pageGroup) {
		dst = le.AppendUint64(dst, first[0])
	}
	place := 4 + 12*groups
	for g := range slices.Chunk(keys, pageGroup) {
		width := deltaWidth(g[len(g)-1] - g[0])
		dst = le.AppendUint32(dst, uint32(place<<4|width))
		place += (4 + width) * len(g)
	}
	for g := range slices.Chunk(keys, pageGroup) {
		for _, p := range payloads[:len(g)] {
			dst = le.AppendUint32(dst, p)
		}
		payloads = payloads[len(g):]
		width := deltaWidth(g[len(g)-1] - g[0])
		for _, key := range g {
			var delta [8]byte
			le.PutUint64(delta[:], key-g[0])
			dst = append(dst, delta[:width]...)
		}
	}
	return append(dst, make([]byte, pagePadding)...)
}

func deltaWidth(d uint64) int { return (bits.Len64(d) + 7) / 8 }

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
	if n == 0 || n > pageEntries || len(b) < 4+12*p.groups {
		return page{}, fmt.Errorf("%w: %d entries in %d bytes", ErrPage, n, len(b))
	}
	return p, nil
}

func (p *page) first(g int) uint64 { return le.Uint64(p.b[4+8*g:]) }

// group is one group of a page.
type group struct {
	first    uint64
	width, n int
	payloads []byte
	deltas   []byte // and what follows them
	mask     uint64 // width bytes
}

func (p *page) group(g int) (group, error) {
	word := le.Uint32(p.b[4+8*p.groups+4*g:])
	place, width := int(word>>4), int(word&15)
	n := min(pageGroup, p.count-g*pageGroup)
	if width > 8 || place+n*(4+width)+pagePadding > len(p.b) {
		return group{}, fmt.Errorf("%w: group %d", ErrPage, g)
	}
	deltas := place + 4*n
	return group{p.first(g), width, n, p.b[place:deltas], p.b[deltas:], 1<<(8*width) - 1}, nil
}

func (g *group) payload(i int) uint32 { return le.Uint32(g.payloads[4*i:]) }

// delta returns key i less the first key.
func (g *group) delta(i int) uint64 { return le.Uint64(g.deltas[i*g.width:]) & g.mask }

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

// groupBefore returns the last group that starts below key, or the first. Most
// keys are hashes, evenly spread, so that the place found by rule of three is
// close.
func (p *page) groupBefore(key uint64) int {
	last := p.groups - 1
	first, end := p.first(0), p.first(last)
	if key <= first || last == 0 {
		return 0
	}
	g := last
	if key < end {
		g = min(int(float64(key-first)/float64(end-first)*float64(last)), last)
	}
	for g > 0 && p.first(g) >= key {
		g--
	}
	for g < last && p.first(g+1) < key {
		g++
	}
	return g
}

// lookup appends the payloads of the entries with lo ≤ key ≤ hi.
func (p *page) lookup(lo, hi uint64, dst []uint32) ([]uint32, error) {
	from := p.groupBefore(lo)
	for ; from < p.groups && p.first(from) <= hi; from++ {
		g, err := p.group(from)
		if err != nil {
			return dst, err
		}
		i := g.lower(lo)
		for ; i < g.n && g.delta(i) <= hi-g.first; i++ {
			dst = append(dst, g.payload(i))
		}
		if i < g.n {
			break
		}
	}
	return dst, nil
}

// each calls yield for the entries with lo ≤ key ≤ hi.
func (p *page) each(lo, hi uint64, yield func(key uint64, payload uint32)) error {
	from := p.groupBefore(lo)
	for ; from < p.groups && p.first(from) <= hi; from++ {
		g, err := p.group(from)
		if err != nil {
			return err
		}
		i := g.lower(lo)
		for ; i < g.n && g.delta(i) <= hi-g.first; i++ {
			yield(g.first+g.delta(i), g.payload(i))
		}
		if i < g.n {
			break
		}
	}
	return nil
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
			payloads = append(payloads, g.payload(j))
		}
	}
	return keys, payloads, nil
}
