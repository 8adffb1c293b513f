package index

// Merging posting segments, which are read from one end to the other, as joins and checks
// read them too.

import (
	"context"
	"fmt"
)

// Merge writes the entries of neighbouring segments of one Layout as one
// segment. The segments ascend by range. Sets that keep refuses are left out;
// keep is asked once for each number. Merge streams: only some pages of each
// segment are in memory.
func Merge(ctx context.Context, l Layout, segments []Stored, keep func(set uint32) bool, emit Emit) (*Segment, error) {
	if len(segments) == 0 {
		return nil, fmt.Errorf("index: merge of no segments")
	}
	seg := &Segment{Lo: segments[0].Lo, Hi: segments[len(segments)-1].Hi}
	for i, s := range segments {
		if s.Lo > s.Hi || i > 0 && s.Lo < segments[i-1].Hi || s.Hi-seg.Lo > MaxSegmentSpan {
			return nil, fmt.Errorf("index: merge: segment [%d,%d) is out of order or too far", s.Lo, s.Hi)
		}
	}
	live := make([]uint64, (seg.Hi-seg.Lo+63)/64)
	for rel := range seg.Hi - seg.Lo {
		if keep(seg.Lo + rel) {
			live[rel/64] |= 1 << (rel % 64)
		}
	}
	var err error
	if seg.Runs[Prefix], seg.Runs[Frequent], err = mergePostings(ctx, l, segments, live, emit); err != nil {
		return nil, fmt.Errorf("index: merge [%d,%d): %w", seg.Lo, seg.Hi, err)
	}
	for k := Rotated0; k < Kinds; k++ {
		merge := mergeLists
		if isRotated(k) {
			merge = mergeRotated
		}
		run, err := merge(ctx, k, segments, live, emit)
		if err != nil {
			return nil, fmt.Errorf("index: merge [%d,%d): %w", seg.Lo, seg.Hi, err)
		}
		seg.Runs[k] = run
	}
	if r := seg.Runs[Rotated0]; r != nil { // this run has each set once
		seg.Sets = uint32(r.Entries)
	}
	return seg, nil
}

// kept counts the segments that have a run of kind k. If only some of them have
// one, the segments cannot be merged, and kept returns an error.
func kept(k Kind, segments []Stored) (bool, error) {
	n := 0
	for _, s := range segments {
		if s.Runs[k] != nil {
			n++
		}
	}
	if n > 0 && n < len(segments) {
		return false, fmt.Errorf("kind %d is missing in some segments", k)
	}
	return n > 0, nil
}

// A Cursor reads the entries of a run in order, one page at a time. Keys and
// Payloads hold the entries of the page; those from At on have not been read.
// The reader moves At. When the page is used up, Fill gets the next one. The
// reader may write over Keys and Payloads.
type Cursor struct {
	Keys     []uint64
	Payloads []uint32
	At       int

	run   *Run
	pages Pages
	next  int // page
	end   int // behind the last page
	read  uint64
	last  uint64
}

func newCursor(r *Run, p Pages) Cursor { return Cursor{run: r, pages: p, end: len(r.First)} }

// Between lets a cursor, which may have been used, begin at the page where low may begin.
// No page is asked for behind the first that may have a key of high or above.
func (c *Cursor) Between(r *Run, p Pages, low, high uint64) {
	keys, payloads := c.Keys[:0], c.Payloads[:0]
	*c = newCursor(r, p)
	c.Keys, c.Payloads = keys, payloads
	c.next, c.end = r.pageBefore(low), min(r.pageBefore(high)+1, c.end)
	if p, ok := p.(Bounded); ok {
		p.Until(c.end)
	}
}

// Fill makes sure that there is an entry at c.At. ok is false at the end of the
// run.
func (c *Cursor) Fill() (ok bool, err error) {
	if c.At < len(c.Keys) {
		return true, nil
	}
	if c.next >= c.end {
		return false, nil
	}
	b, err := c.pages.Page(c.next)
	if err != nil {
		return false, err
	}
	if c.Keys, c.Payloads = c.Keys[:0], c.Payloads[:0]; isColumn(b) {
		err = c.column(b)
	} else {
		c.Keys, c.Payloads, err = decodePage(b, c.Keys, c.Payloads)
	}
	if err == nil && (c.Keys[0] != c.run.First[c.next] || c.Keys[0] < c.last) {
		err = fmt.Errorf("%w: first key differs from the directory's", ErrPage)
	}
	if err != nil {
		return false, fmt.Errorf("page %d: %w", c.next, err)
	}
	c.At, c.last = 0, c.Keys[len(c.Keys)-1]
	c.read += uint64(len(c.Keys))
	c.next++
	return true, nil
}

// column takes the entries of a column, whose key is that of the page.
func (c *Cursor) column(b []byte) error {
	col, err := openColumn(b)
	if err != nil {
		return err
	}
	c.Payloads = col.appendTo(c.Payloads)
	for i, rel := range c.Payloads {
		c.Keys, c.Payloads[i] = append(c.Keys, c.run.First[c.next]), lastTier<<setBits|rel
	}
	return nil
}

// complete checks at the end of a run that no entry was missing.
func (c *Cursor) complete() error {
	if c.read != c.run.Entries {
		return fmt.Errorf("%w: %d entries, the directory has %d", ErrPage, c.read, c.run.Entries)
	}
	return nil
}
