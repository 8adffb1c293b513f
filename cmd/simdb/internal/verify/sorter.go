package verify

// Sorting of groups outside of memory: sorted runs in a temporary file, then a merge.

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"io"
	"iter"
	"os"
	"slices"
)

// entry is a document of a group, with its number in the input.
type entry struct {
	group, id string
	n         uint64
}

func compareEntries(x, y entry) int {
	return cmp.Or(cmp.Compare(x.group, y.group), cmp.Compare(x.n, y.n))
}

// entryBytes is the memory of an entry without its strings.
const entryBytes = 40

// sorter sorts entries by group, then number. It is not safe for concurrent use.
type sorter struct {
	dir    string
	memory int64
	held   []entry
	bytes  int64
	file   *os.File // of the runs, one after another; nil for none
	runs   []*run
}

// run iterates over the sorted entries of a part of the file.
type run struct {
	from, to int64
	left     int // entries
	in       *bufio.Reader
	buf      []byte
	now      entry
}

// close closes the file, if there is one.
func (s *sorter) close() { s.file.Close() }

// add adds an entry.
func (s *sorter) add(e entry) error {
	s.held = append(s.held, e)
	if s.bytes += entryBytes + int64(len(e.group)+len(e.id)); s.bytes < s.memory {
		return nil
	}
	return s.spill()
}

// spill writes the held entries as a run.
func (s *sorter) spill() (err error) {
	if s.file == nil {
		if s.file, err = os.CreateTemp(s.dir, "groups-*"); err != nil {
			return err
		}
	}
	slices.SortFunc(s.held, compareEntries)
	r := &run{left: len(s.held)}
	if len(s.runs) > 0 {
		r.from = s.runs[len(s.runs)-1].to
	}
	r.to = r.from
	w := bufio.NewWriterSize(s.file, 256<<10)
	for _, e := range s.held {
		r.buf = binary.AppendUvarint(binary.AppendUvarint(binary.AppendUvarint(r.buf[:0], e.n), uint64(len(e.group))), uint64(len(e.id)))
		r.buf = append(append(r.buf, e.group...), e.id...)
		r.to += int64(len(r.buf))
		if _, err := w.Write(r.buf); err != nil {
			return err
		}
	}
	s.runs, s.held, s.bytes = append(s.runs, r), s.held[:0], 0
	return w.Flush()
}

// sorted yields all entries in order. It ends the use of the sorter.
func (s *sorter) sorted() iter.Seq2[entry, error] {
	return func(yield func(entry, error) bool) {
		if s.file == nil {
			slices.SortFunc(s.held, compareEntries)
			for _, e := range s.held {
				if !yield(e, nil) {
					return
				}
			}
			return
		}
		err := s.spill()
		s.held = nil
		waiting := make([]*run, 0, len(s.runs)) // ascending by the entry that each one comes with next
		next := func(r *run) error {
			if r.left == 0 {
				return nil
			}
			if err := r.next(); err != nil {
				return err
			}
			at, _ := slices.BinarySearchFunc(waiting, r.now, func(x *run, e entry) int { return compareEntries(x.now, e) })
			waiting = slices.Insert(waiting, at, r)
			return nil
		}
		buffer := min(max(s.memory/int64(len(s.runs)), 4<<10), 64<<10)
		for _, r := range s.runs {
			r.in = bufio.NewReaderSize(io.NewSectionReader(s.file, r.from, r.to-r.from), int(buffer))
			err = cmp.Or(err, next(r))
		}
		for err == nil && len(waiting) > 0 {
			r := waiting[0]
			if !yield(r.now, nil) {
				return
			}
			waiting = slices.Delete(waiting, 0, 1)
			err = next(r)
		}
		if err != nil {
			yield(entry{}, err)
		}
	}
}

// next reads the next of the entries that are left.
func (r *run) next() error {
	r.left--
	n, err := binary.ReadUvarint(r.in)
	group, err1 := binary.ReadUvarint(r.in)
	id, err2 := binary.ReadUvarint(r.in)
	if err := cmp.Or(err, err1, err2); err != nil {
		return unexpected(err)
	}
	r.buf = slices.Grow(r.buf[:0], int(group+id))[:group+id]
	_, err = io.ReadFull(r.in, r.buf)
	both := string(r.buf)
	r.now = entry{both[:group], both[group:], n}
	return unexpected(err)
}

// unexpected returns an error of a run that ends too early.
func unexpected(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
