package index

// Reading runs sequentially, as merges, joins and checks do.

import "fmt"

// Cursor reads the entries of a run in order, page by page. Keys and Payloads hold the entries
// of the current page, unread from At on. The reader advances At; Fill reads the next page when
// the current one is used up. The reader may overwrite Keys and Payloads. Not safe for
// concurrent use.
type Cursor struct {
	Keys     []uint64
	Payloads []uint32
	At       int

	run   *Run
	pages Pages
	next  int // page
	end   int // after the last page
	read  uint64
	last  uint64
}

// newCursor returns a cursor at the beginning of a run.
func newCursor(r *Run, p Pages) Cursor { return Cursor{run: r, pages: p, end: len(r.First)} }

// Between resets c to the page where low may begin, reusing its memory. c reads no page after
// the first that may contain a key ≥ high.
func (c *Cursor) Between(r *Run, p Pages, low, high uint64) {
	keys, payloads := c.Keys[:0], c.Payloads[:0]
	*c = newCursor(r, p)
	c.Keys, c.Payloads = keys, payloads
	c.next, c.end = r.pageBefore(low), min(r.pageBefore(high)+1, c.end)
	if p, ok := p.(Bounded); ok {
		p.Until(c.end)
	}
}

// Fill ensures that there is an entry at c.At. ok is false at the end of the run.
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

// column appends the entries of a column, with the key of the page.
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

// complete returns ErrPage unless the run had as many entries as its directory states.
func (c *Cursor) complete() error {
	if c.read != c.run.Entries {
		return fmt.Errorf("%w: %d entries, the directory has %d", ErrPage, c.read, c.run.Entries)
	}
	return nil
}

// Scan calls yield for every entry of a run, in order, until yield returns an error.
func Scan(r *Run, p Pages, yield func(key uint64, payload uint32) error) error {
	c := newCursor(r, p)
	for {
		ok, err := c.Fill()
		if err != nil {
			return err
		}
		if !ok {
			return c.complete()
		}
		for ; c.At < len(c.Keys); c.At++ {
			if err := yield(c.Keys[c.At], c.Payloads[c.At]); err != nil {
				return err
			}
		}
	}
}

// decodePage appends the entries of a packed or flat page.
func decodePage(b []byte, keys []uint64, payloads []uint32) ([]uint64, []uint32, error) {
	if isFlat(b) {
		p, err := openFlatPage(b)
		if err != nil {
			return keys, payloads, err
		}
		return p.decode(keys, payloads)
	}
	p, err := openPage(b)
	if err != nil {
		return keys, payloads, err
	}
	return p.decode(keys, payloads)
}
