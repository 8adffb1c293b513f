package index

// Writing runs: entries are cut into pages, and the directory is kept beside.

import "slices"

// Emit stores one page of a run under construction. The pages of a kind come in
// order. Emit must not keep data, which is used again for the next page. Merge
// calls it from another goroutine, while pages are read.
type Emit func(k Kind, page int, data []byte) error

// runWriter counts the pages of a run and passes them on.
type runWriter struct {
	kind Kind
	emit Emit
	run  Run
}

// expect makes room for the pages of segments that are merged. The directory of four million texts has
// 1.2 million pages, and one that grows by append leaves more than its length behind.
func (w *runWriter) expect(segments []Stored) {
	pages := 0
	for _, s := range segments {
		if run := s.Runs[w.kind]; run != nil {
			pages += len(run.First)
		}
	}
	w.run.First = slices.Grow(w.run.First, pages)
}

// page takes the next page, which has n entries.
func (w *runWriter) page(first uint64, n int, data []byte) error {
	w.run.First = append(w.run.First, first)
	w.run.Entries += uint64(n)
	return w.emit(w.kind, len(w.run.First)-1, data)
}

// wordWriter cuts ascending entries, key<<32 | payload, into packed pages.
type wordWriter struct {
	runWriter
	rest  []uint64 // less than a page
	pages pageWriter
}

func (w *wordWriter) write(words []uint64) error {
	if len(w.rest) > 0 {
		n := min(pageEntries-len(w.rest), len(words))
		w.rest = append(w.rest, words[:n]...)
		if words = words[n:]; len(w.rest) < pageEntries {
			return nil
		}
		if err := w.flush(w.rest); err != nil {
			return err
		}
	}
	for ; len(words) >= pageEntries; words = words[pageEntries:] {
		if err := w.flush(words[:pageEntries]); err != nil {
			return err
		}
	}
	w.rest = append(w.rest[:0], words...)
	return nil
}

func (w *wordWriter) flush(words []uint64) error {
	return w.page(words[0]>>32, len(words), w.pages.page(words))
}

func (w *wordWriter) finish() (*Run, error) {
	if len(w.rest) > 0 {
		if err := w.flush(w.rest); err != nil {
			return nil, err
		}
	}
	return &w.run, nil
}

// flatWriter cuts ascending entries of a rotated table into flat pages.
type flatWriter struct {
	runWriter
	keys     []uint64
	payloads []uint32
	data     []byte
}

func (w *flatWriter) add(key uint64, payload uint32) error {
	w.keys = append(w.keys, key)
	w.payloads = append(w.payloads, payload)
	if len(w.keys) < flatEntries {
		return nil
	}
	return w.flush()
}

func (w *flatWriter) flush() error {
	if len(w.keys) == 0 {
		return nil
	}
	w.data = appendFlatPage(w.data[:0], w.keys, w.payloads)
	err := w.page(w.keys[0], len(w.keys), w.data)
	w.keys, w.payloads = w.keys[:0], w.payloads[:0]
	return err
}

func (w *flatWriter) finish() (*Run, error) {
	if err := w.flush(); err != nil {
		return nil, err
	}
	return &w.run, nil
}
