package join

import "sync"

// Storage of the dealt buckets: in memory, then in scratch.

// store keeps words for reading them back. Once its memory is full, or from the start if full
// is set, all words go to scratch and the memory serves the current cell. append is safe for
// concurrent use.
type store struct {
	scratch Scratch

	mu      sync.Mutex
	words   []uint32 // of the length of the memory
	used    int
	full    bool
	base    int64 // offset in scratch of the words that were in memory
	spilled int64 // words in scratch
}

// extent is a range of adjacent words.
type extent struct {
	at      int64
	n       uint32
	scratch bool // appended directly to scratch
}

// append stores words and returns their place.
func (h *store) append(words []uint32) (x extent, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	x = extent{at: int64(h.used), n: uint32(len(words))}
	if !h.full && h.used+len(words) <= len(h.words) {
		h.used += copy(h.words[h.used:], words)
		return x, nil
	}
	if !h.full {
		h.full = true
		if h.base, err = h.write(h.words[:h.used]); err != nil {
			return x, err
		}
	}
	x.scratch = true
	x.at, err = h.write(words)
	return x, err
}

// write appends words to scratch.
func (h *store) write(words []uint32) (at int64, err error) {
	if len(words) == 0 {
		return 0, nil
	}
	h.spilled += int64(len(words))
	return h.scratch.Append(words)
}

// read fills words from a spilled extent.
func (h *store) read(words []uint32, x extent) error {
	if !x.scratch {
		x.at = h.base + 4*x.at
	}
	return h.scratch.Read(words, x.at)
}

// writer buffers the words of one worker for each cell.
type writer struct {
	to      *store
	buffers [][]uint32
	extents [][]extent
}

// writerIn returns a writer that divides words into the buffers of its cells.
func writerIn(to *store, cells int, words []uint32) *writer {
	w, buffer := &writer{to: to, buffers: make([][]uint32, cells), extents: make([][]extent, cells)}, len(words)/max(cells, 1)
	for i := range w.buffers {
		w.buffers[i] = words[i*buffer : i*buffer : (i+1)*buffer]
	}
	return w
}

// room returns the buffer of a cell with room for n words that must stay together. More words
// than a buffer holds form an extent of their own.
func (w *writer) room(number, n int) ([]uint32, error) {
	b := w.buffers[number]
	if len(b)+n <= cap(b) {
		return b, nil
	}
	err := w.flush(number)
	return w.buffers[number], err
}

// put stores the buffer of room after the caller appended to it.
func (w *writer) put(number int, b []uint32) error {
	if cap(b) == cap(w.buffers[number]) {
		w.buffers[number] = b
		return nil
	}
	return w.append(number, b)
}

// flush stores the buffer of a cell.
func (w *writer) flush(number int) error {
	b := w.buffers[number]
	w.buffers[number] = b[:0]
	return w.append(number, b)
}

// append stores words for a cell, if any.
func (w *writer) append(number int, words []uint32) error {
	if len(words) == 0 {
		return nil
	}
	x, err := w.to.append(words)
	w.extents[number] = append(w.extents[number], x)
	return err
}

// flushAll stores all buffers.
func (w *writer) flushAll() error {
	for number := range w.buffers {
		if err := w.flush(number); err != nil {
			return err
		}
	}
	return nil
}

// extents holds the dealt words by worker and cell.
type extents [][][]extent

// of returns the extents that all workers dealt to a cell.
func (x extents) of(number int) []extent {
	var all []extent
	for _, cells := range x {
		all = append(all, cells[number]...)
	}
	return all
}

// shareOf returns worker i's share of extents, of n workers.
func shareOf(list []extent, i, n int) []extent { return list[len(list)*i/n : len(list)*(i+1)/n] }
