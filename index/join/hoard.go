package join

import "sync"

// This file keeps what is dealt to cells: in memory, until it has no room there.

// hoard is words, which are appended and read again. Safe for concurrent use, but for
// fetch. Once its room is full, or if it is full from the start, all words go to scratch, and the room is free for the cell
// at hand.
type hoard struct {
	scratch Scratch

	mu      sync.Mutex
	words   []uint32 // as long as the room
	used    int
	full    bool
	base    int64 // of what was in memory, in scratch
	spilled int64 // words in scratch
}

// extent is words that lie together.
type extent struct {
	at      int64
	n       uint32
	scratch bool // not first in memory
}

func (h *hoard) append(words []uint32) (x extent, err error) {
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

func (h *hoard) write(words []uint32) (at int64, err error) {
	if len(words) == 0 {
		return 0, nil
	}
	h.spilled += int64(len(words))
	return h.scratch.Append(words)
}

// read fills words with those of an extent that was spilled.
func (h *hoard) read(words []uint32, x extent) error {
	if !x.scratch {
		x.at = h.base + 4*x.at
	}
	return h.scratch.Read(words, x.at)
}

// writer gathers the words of one worker for each of many cells.
type writer struct {
	to      *hoard
	buffers [][]uint32
	extents [][]extent
}

// newWriter makes one with so many words of memory for each cell.
func newWriter(to *hoard, cells, buffer int, memory Memory) *writer {
	w := &writer{to: to, buffers: make([][]uint32, cells), extents: make([][]extent, cells)}
	all := memory.Halves(cells * buffer)
	for i := range w.buffers {
		w.buffers[i] = all[i*buffer : i*buffer : (i+1)*buffer]
	}
	return w
}

// room makes room for so many words that stay together, and returns where they are to be
// appended. More than a buffer has room for lie alone.
func (w *writer) room(number, n int) ([]uint32, error) {
	b := w.buffers[number]
	if len(b)+n <= cap(b) {
		return b, nil
	}
	err := w.flush(number)
	return w.buffers[number], err
}

// put takes the buffer that words were appended to.
func (w *writer) put(number int, b []uint32) error {
	if cap(b) == cap(w.buffers[number]) {
		w.buffers[number] = b
		return nil
	}
	return w.append(number, b)
}

func (w *writer) flush(number int) error {
	b := w.buffers[number]
	w.buffers[number] = b[:0]
	return w.append(number, b)
}

func (w *writer) append(number int, words []uint32) error {
	if len(words) == 0 {
		return nil
	}
	x, err := w.to.append(words)
	w.extents[number] = append(w.extents[number], x)
	return err
}

func (w *writer) flushAll() error {
	for number := range w.buffers {
		if err := w.flush(number); err != nil {
			return err
		}
	}
	return nil
}

// extents are what is dealt to each cell, by worker.
type extents [][][]extent

// of lists what all workers dealt to a cell.
func (x extents) of(number int) []extent {
	var all []extent
	for _, cells := range x {
		all = append(all, cells[number]...)
	}
	return all
}
