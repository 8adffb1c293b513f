package index

// Writing runs: dividing entries into pages, and collecting the directory.

import "slices"

// Emit stores one page of a run under construction. The pages of a kind arrive in order. Emit
// must not retain data, which the next page overwrites. Merge calls it from another goroutine
// while pages are read.
type Emit func(k Kind, page int, data []byte) error

// runWriter emits the pages of a run and records its directory.
type runWriter struct {
	kind Kind
	emit Emit
	run  Run
}

// expect allocates the directory for the pages of merged segments. Four million texts have 1.2
// million pages, and growing by append would leave more garbage than that.
func (w *runWriter) expect(segments []Stored) {
	pages := 0
	for _, s := range segments {
		if run := s.Runs[w.kind]; run != nil {
			pages += len(run.First)
		}
	}
	w.run.First = slices.Grow(w.run.First, pages)
}

// page emits the next page, which has n entries.
func (w *runWriter) page(first uint64, n int, data []byte) error {
	w.run.First = append(w.run.First, first)
	w.run.Entries += uint64(n)
	return w.emit(w.kind, len(w.run.First)-1, data)
}

// wordWriter divides ascending entries, key<<32 | payload, into packed pages.
type wordWriter struct {
	runWriter
	rest  []uint64 // fewer than pageEntries
	pages pageWriter
}

// write takes the next entries.
func (w *wordWriter) write(words []uint64) error {
	for len(w.rest) > 0 {
		had := len(w.rest)
		w.rest = append(w.rest, words[:min(pageEntries-had, len(words))]...)
		if len(w.rest) < pageEntries {
			return nil
		}
		n, err := w.flush(w.rest)
		if err != nil {
			return err
		}
		if n < had {
			w.rest = append(w.rest[:0], w.rest[n:had]...)
		} else {
			w.rest, words = w.rest[:0], words[n-had:]
		}
	}
	for len(words) >= pageEntries {
		n, err := w.flush(words)
		if err != nil {
			return err
		}
		words = words[n:]
	}
	w.rest = append(w.rest[:0], words...)
	return nil
}

// flush emits a page of the first entries, and returns their number.
func (w *wordWriter) flush(words []uint64) (int, error) {
	page, n := w.pages.page(words)
	return n, w.page(words[0]>>32, n, page)
}

// finish emits the last pages and returns the directory.
func (w *wordWriter) finish() (*Run, error) {
	for words := w.rest; len(words) > 0; {
		n, err := w.flush(words)
		if err != nil {
			return nil, err
		}
		words = words[n:]
	}
	return &w.run, nil
}

// flatWriter divides ascending entries of a rotated table into flat pages.
type flatWriter struct {
	runWriter
	keys     []uint64
	payloads []uint32
	data     []byte
}

// add takes the next entry.
func (w *flatWriter) add(key uint64, payload uint32) error {
	w.keys = append(w.keys, key)
	w.payloads = append(w.payloads, payload)
	if len(w.keys) < flatEntries {
		return nil
	}
	return w.flush()
}

// flush emits a page, unless it is empty.
func (w *flatWriter) flush() error {
	if len(w.keys) == 0 {
		return nil
	}
	w.data = appendFlatPage(w.data[:0], w.keys, w.payloads)
	err := w.page(w.keys[0], len(w.keys), w.data)
	w.keys, w.payloads = w.keys[:0], w.payloads[:0]
	return err
}

// finish emits the last page and returns the directory.
func (w *flatWriter) finish() (*Run, error) {
	if err := w.flush(); err != nil {
		return nil, err
	}
	return &w.run, nil
}
