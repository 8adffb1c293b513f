package index

// Writing the postings of shingles: long lists as columns, all others as packed pages.

import (
	"context"
	"slices"
	"sort"

	"github.com/RoaringBitmap/roaring/v2"
)

// postingWriter writes the postings of a new segment from ascending entries key<<32 | payload. The
// entries of one key in the last tier form a list. In a merge the columns of the merged segments
// contribute lists too.
type postingWriter struct {
	packed  bool // write pages only
	pages   wordWriter
	columns columnWriter
	sources []*columnSource // of a merge
	next    uint64          // the least next list of the sources

	open  bool   // the current list may continue
	list  uint64 // its key, and the tier
	few   []uint64
	many  *roaring.Bitmap // nil while the list is short
	taken []uint64        // from a source
	rels  []uint32
	twice []uint64 // entries of sets that the list already has
}

// newPostingWriter returns a writer. Layouts with intervals have no columns, which would lose
// the intervals.
func newPostingWriter(l Layout, emit Emit, sources []*columnSource) *postingWriter {
	w := &postingWriter{packed: len(l.Intervals) > 0, pages: wordWriter{runWriter: runWriter{kind: Prefix, emit: emit}}, columns: columnWriter{runWriter: runWriter{kind: Frequent, emit: emit}}, sources: sources}
	w.findNext()
	return w
}

// isLast reports whether a list (key and payload without the set) is of the last tier in a
// layout without intervals.
func isLast(list uint64) bool {
	const bits = 32 - setBits // of tier and middle
	return list&(1<<bits-1) == lastTier && list>>(bits+TokenBits) == Parts-1
}

// write takes the next entries, which ascend across calls.
func (w *postingWriter) write(words []uint64) error {
	if w.packed {
		return w.pages.write(words)
	}
	if n := 0; w.open {
		for n < len(words) && words[n]>>setBits == w.list {
			n++
		}
		w.add(words[:n])
		if words = words[n:]; len(words) == 0 {
			return nil
		}
		if err := w.close(); err != nil {
			return err
		}
	}
	for len(words) > 0 {
		at := w.splitPoint(words)
		if err := w.pages.write(words[:at]); err != nil {
			return err
		}
		if words = words[at:]; len(words) == 0 {
			return nil
		}
		list := words[0] >> setBits
		for w.next < list {
			if err := w.from(w.next); err != nil {
				return err
			}
		}
		if !isLast(list) {
			continue
		}
		n := sort.Search(len(words), func(i int) bool { return words[i]>>setBits > list })
		w.open, w.list = true, list
		w.add(words[:n])
		if words = words[n:]; len(words) == 0 {
			return nil
		}
		if err := w.close(); err != nil {
			return err
		}
	}
	return nil
}

// splitPoint returns the index of the first entry that cannot go to a page yet, because the next
// list of a source is the same or comes before it, or because its own list is long or may continue.
func (w *postingWriter) splitPoint(words []uint64) int {
	at := len(words)
	if w.next != noList {
		at = sort.Search(at, func(i int) bool { return words[i]>>setBits >= w.next })
	}
	const step = frequent / 2 // a long list has two entries this far apart
	for i := 0; i < at; i += step {
		list := words[i] >> setBits
		if !isLast(list) || i+step < len(words) && words[i+step]>>setBits != list {
			continue
		}
		from := i
		for from > 0 && words[from-1]>>setBits == list {
			from--
		}
		if last := words[len(words)-1] >> setBits; list == last || from+frequent <= len(words) && words[from+frequent-1]>>setBits == list {
			return from
		}
		if i+step >= len(words) {
			break
		}
	}
	if at < len(words) {
		return at
	}
	list := words[at-1] >> setBits
	for isLast(list) && at > 0 && words[at-1]>>setBits == list {
		at--
	}
	return at
}

// add adds entries to the open list.
func (w *postingWriter) add(words []uint64) {
	if w.many == nil {
		if w.few = append(w.few, words...); len(w.few) < frequent {
			return
		}
		w.many, words = roaring.New(), w.few
		w.few = w.few[:0]
		slices.Sort(words) // entries of pages, then of columns
	}
	// A set with two members of one token has two entries. The second stays in a page, because
	// counts must not be too low.
	if len(words) == 0 {
		return
	}
	had, last := !w.many.IsEmpty(), noList
	w.rels = slices.Grow(w.rels[:0], len(words))
	for _, x := range words {
		if rel := uint32(x) & setMask; x == last || had && w.many.Contains(rel) {
			w.twice = append(w.twice, x)
		} else {
			w.rels = append(w.rels, rel)
		}
		last = x
	}
	w.many.AddMany(w.rels)
}

// from writes a list that only sources have.
func (w *postingWriter) from(list uint64) error {
	w.open, w.list = true, list
	return w.close()
}

// close writes the open list, merged with the lists of the sources.
func (w *postingWriter) close() (err error) {
	for _, s := range w.sources {
		if s.list == w.list {
			if w.taken, w.rels, err = s.take(w.taken[:0], w.rels); err != nil {
				return err
			}
			w.add(w.taken)
		}
	}
	w.findNext()
	w.open = false
	if w.many == nil {
		slices.Sort(w.few)
		few := w.few
		w.few = w.few[:0]
		return w.pages.write(few)
	}
	n := int(w.many.GetCardinality())
	w.rels = slices.Grow(w.rels[:0], n)[:n]
	err = w.columns.add(w.list>>(32-setBits), *w.many.ToExistingArray(&w.rels))
	w.many = nil
	if err != nil || len(w.twice) == 0 {
		return err
	}
	slices.Sort(w.twice)
	twice := w.twice
	w.twice = w.twice[:0]
	return w.pages.write(twice)
}

// findNext sets next to the least list of the sources.
func (w *postingWriter) findNext() {
	w.next = noList
	for _, s := range w.sources {
		w.next = min(w.next, s.list)
	}
}

// finish returns both runs. columns is nil if no list was long.
func (w *postingWriter) finish() (pages, columns *Run, err error) {
	if w.open {
		if err := w.close(); err != nil {
			return nil, nil, err
		}
	}
	for w.next != noList {
		if err := w.from(w.next); err != nil {
			return nil, nil, err
		}
	}
	if pages, err = w.pages.finish(); err != nil {
		return nil, nil, err
	}
	columns, err = w.columns.finish()
	return pages, columns, err
}

// columnWriter emits columns many at a time, so that they are adjacent in the file.
type columnWriter struct {
	runWriter
	buf     []byte
	waiting []waitingColumn
}

// waitingColumn is a buffered column.
type waitingColumn struct {
	key      uint64
	sets, to int // to is its end in buf
}

// columnsTogether is the size of the buffer.
const columnsTogether = 256 << 10 // bytes

// add buffers a column.
func (w *columnWriter) add(key uint64, rels []uint32) error {
	w.buf = appendColumn(w.buf, rels)
	w.waiting = append(w.waiting, waitingColumn{key, len(rels), len(w.buf)})
	if len(w.buf) < columnsTogether {
		return nil
	}
	return w.flush()
}

// flush emits the buffered columns.
func (w *columnWriter) flush() error {
	from := 0
	for _, c := range w.waiting {
		if err := w.page(c.key, c.sets, w.buf[from:c.to]); err != nil {
			return err
		}
		from = c.to
	}
	w.waiting, w.buf = w.waiting[:0], w.buf[:0]
	return nil
}

// finish returns nil if there are no columns.
func (w *columnWriter) finish() (*Run, error) {
	if err := w.flush(); err != nil || w.run.Entries == 0 {
		return nil, err
	}
	return &w.run, nil
}

// columnSource reads the columns of a merged segment in order.
type columnSource struct {
	ctx         context.Context
	columns     columnRun
	span, shift uint32   // as in wordSource
	live        []uint64 // of the merged segment
	at          int
	list        uint64 // of the next column
}

// noList sorts after all lists.
const noList = ^uint64(0)

// newColumnSource returns the columns of a segment.
func newColumnSource(ctx context.Context, s Stored, lo uint32, live []uint64) *columnSource {
	c := &columnSource{ctx: ctx, columns: columnsOf(s), span: s.Hi - s.Lo, shift: s.Lo - lo, live: live}
	c.find()
	return c
}

// find sets list to the next column.
func (s *columnSource) find() {
	s.list = noList
	if s.columns.run != nil && s.at < len(s.columns.run.First) {
		s.list = s.columns.run.First[s.at]<<(32-setBits) | lastTier
	}
}

// take appends the live sets of the next column to dst, as entries of the merged segment, and
// advances. It uses rels as scratch space and returns it.
func (s *columnSource) take(dst []uint64, rels []uint32) ([]uint64, []uint32, error) {
	if err := s.ctx.Err(); err != nil {
		return dst, rels, err
	}
	c, err := s.columns.page(s.at)
	if err != nil {
		return dst, rels, err
	}
	rels = c.appendTo(rels[:0])
	for _, rel := range rels {
		if rel < s.span && s.live[(rel+s.shift)/64]>>((rel+s.shift)%64)&1 != 0 {
			dst = append(dst, s.list<<setBits|uint64(rel+s.shift))
		}
	}
	s.at++
	s.find()
	return dst, rels, nil
}
