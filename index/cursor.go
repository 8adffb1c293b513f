package index

import "fmt"

// This file reads runs from one end to the other: for merges, joins and checks.

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
	read  uint64
	last  uint64
}

// From returns a cursor that begins at the page where key may begin.
func (r *Run) From(p Pages, key uint64) Cursor {
	return Cursor{run: r, pages: p, next: r.pageBefore(key)}
}

// Fill makes sure that there is an entry at c.At. ok is false at the end of the
// run.
func (c *Cursor) Fill() (ok bool, err error) {
	if c.At < len(c.Keys) {
		return true, nil
	}
	if c.next >= len(c.run.First) {
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
