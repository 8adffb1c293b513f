package index

// Columns: the sets with a frequent shingle, as a roaring bitmap. Testing a set takes some
// nanoseconds, and no page has to be decoded.

import (
	"fmt"
	"math/bits"
	"sort"
)

// frequent is the least number of sets in a column, which holds the sets of a segment that have a
// shingle beyond their prefixes. A page entry takes some 30 bits, a column entry 16 or less.
const frequent = 64

// column is a bitmap of sets, relative to Lo, in roaring's portable format without runs, used in
// place. Little-endian: the cookie and the number of containers, 4 bytes each; per container the
// high half of its numbers and their count less one, 2 bytes each; the offset of each container,
// 4 bytes each; the containers. A container of up to 4,096 numbers lists their low halves, 2
// bytes each, ascending; a larger one is a bitmap of 2¹⁶ bits.
type column struct {
	b          []byte
	containers int
	sets       int // in all containers
}

const (
	columnCookie = 12346 // of the format without runs; no other page begins with it
	mostOfArray  = 4096
	bitmapBytes  = 1 << 16 / 8
)

// isColumn reports whether a page is a column.
func isColumn(b []byte) bool { return len(b) >= 8 && le.Uint32(b) == columnCookie }

// openColumn returns the column in b, or ErrPage if its containers are incomplete or out of order.
func openColumn(b []byte) (c column, err error) {
	if !isColumn(b) {
		return c, fmt.Errorf("%w: no column", ErrPage)
	}
	c = column{b: b, containers: int(le.Uint32(b[4:]))}
	if c.containers == 0 || c.containers > 1<<(setBits-16) || len(b) < 8+8*c.containers {
		return c, fmt.Errorf("%w: column of %d containers in %d bytes", ErrPage, c.containers, len(b))
	}
	last := -1
	for i := range c.containers {
		key, n, at := c.container(i)
		if key <= last || key >= 1<<(setBits-16) || at+containerBytes(n) > len(b) {
			return c, fmt.Errorf("%w: container %d of a column", ErrPage, i)
		}
		last = key
		c.sets += n
	}
	return c, nil
}

// containerBytes returns the length of a container of n numbers.
func containerBytes(n int) int {
	if n > mostOfArray {
		return bitmapBytes
	}
	return 2 * n
}

// container returns the high half of a container's numbers, their count, and the offset.
func (c *column) container(i int) (key, n, at int) {
	head := c.b[8+4*i:]
	return int(le.Uint16(head)), int(le.Uint16(head[2:])) + 1, int(le.Uint32(c.b[8+4*c.containers+4*i:]))
}

// appendColumn appends the column of ascending sets. Roaring's own writer would make a run of a
// container with all 2¹⁶ numbers.
func appendColumn(dst []byte, rels []uint32) []byte {
	start, containers := len(dst), 1
	for i, rel := range rels[1:] {
		if rel>>16 != rels[i]>>16 {
			containers++
		}
	}
	dst = le.AppendUint32(le.AppendUint32(dst, columnCookie), uint32(containers))
	heads := len(dst)
	dst = append(dst, make([]byte, 8*containers)...)
	for i := range containers {
		key := rels[0] >> 16
		n := sort.Search(len(rels), func(i int) bool { return rels[i]>>16 > key })
		le.PutUint16(dst[heads+4*i:], uint16(key))
		le.PutUint16(dst[heads+4*i+2:], uint16(n-1))
		at := len(dst)
		le.PutUint32(dst[heads+4*(containers+i):], uint32(at-start))
		dst = append(dst, make([]byte, containerBytes(n))...)
		for j, rel := range rels[:n] {
			if n > mostOfArray {
				dst[at+int(uint16(rel))/8] |= 1 << (rel % 8)
			} else {
				le.PutUint16(dst[at+2*j:], uint16(rel))
			}
		}
		rels = rels[n:]
	}
	return dst
}

// has reports whether a set has the shingle.
func (c *column) has(rel uint32) bool {
	key := int(rel >> 16)
	i := min(key, c.containers-1) // usually each high half has a container
	for i > 0 && int(le.Uint16(c.b[8+4*i:])) > key {
		i--
	}
	found, n, at := c.container(i)
	if found != key {
		return false
	}
	low := int(rel & 0xffff)
	if n > mostOfArray {
		return c.b[at+low/8]>>(low%8)&1 != 0
	}
	from := 0
	for n > 1 { // branchless: the half is unpredictable
		half := n / 2
		if int(le.Uint16(c.b[at+2*(from+half):])) <= low {
			from += half
		}
		n -= half
	}
	return int(le.Uint16(c.b[at+2*from:])) == low
}

// appendTo appends the sets, ascending.
func (c *column) appendTo(dst []uint32) []uint32 {
	for i := range c.containers {
		key, n, at := c.container(i)
		high := uint32(key) << 16
		if n <= mostOfArray {
			for b := c.b[at : at+2*n]; len(b) >= 2; b = b[2:] {
				dst = append(dst, high|uint32(le.Uint16(b)))
			}
			continue
		}
		for w := range bitmapBytes / 8 {
			for word := le.Uint64(c.b[at+8*w:]); word != 0; word &= word - 1 {
				dst = append(dst, high|uint32(64*w+bits.TrailingZeros64(word)))
			}
		}
	}
	return dst
}
