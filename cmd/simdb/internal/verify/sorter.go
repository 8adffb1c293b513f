package verify

// Sorting of groups outside of memory: sorted runs in temporary files, then a merge.

import (
	"bufio"
	"cmp"
	"container/heap"
	"encoding/binary"
	"errors"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strconv"
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
	runs   []string // files
}

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
	slices.SortFunc(s.held, compareEntries)
	f, err := os.Create(filepath.Join(s.dir, "run"+strconv.Itoa(len(s.runs))))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	w := bufio.NewWriterSize(f, 256<<10)
	var b []byte
	for _, e := range s.held {
		b = binary.AppendUvarint(binary.AppendUvarint(binary.AppendUvarint(b[:0], e.n), uint64(len(e.group))), uint64(len(e.id)))
		b = append(append(b, e.group...), e.id...)
		if _, err := w.Write(b); err != nil {
			return err
		}
	}
	s.runs, s.held, s.bytes = append(s.runs, f.Name()), s.held[:0], 0
	return w.Flush()
}

// sorted yields all entries in order. It ends the use of the sorter.
func (s *sorter) sorted() iter.Seq2[entry, error] {
	return func(yield func(entry, error) bool) {
		slices.SortFunc(s.held, compareEntries)
		m := merger{{held: s.held}}
		defer func() {
			for _, r := range m {
				r.file.Close() // of nothing, of the entries in memory
			}
		}()
		for _, path := range s.runs {
			f, err := os.Open(path)
			if err != nil {
				yield(entry{}, err)
				return
			}
			m = append(m, &run{file: f, in: bufio.NewReaderSize(f, 64<<10)})
		}
		waiting := slices.Clone(m)
		for _, r := range waiting {
			if err := r.next(); err != nil && err != io.EOF {
				yield(entry{}, err)
				return
			}
		}
		waiting = slices.DeleteFunc(waiting, func(r *run) bool { return r.over })
		heap.Init(&waiting)
		for len(waiting) > 0 {
			r := waiting[0]
			if !yield(r.now, nil) {
				return
			}
			switch err := r.next(); {
			case err == io.EOF:
				heap.Pop(&waiting)
			case err != nil:
				yield(entry{}, err)
				return
			default:
				heap.Fix(&waiting, 0)
			}
		}
	}
}

// run iterates over sorted entries, in memory or in a file.
type run struct {
	held []entry
	file *os.File
	in   *bufio.Reader
	buf  []byte
	now  entry
	over bool
}

// next reads the next entry, or returns io.EOF.
func (r *run) next() error {
	if r.in == nil {
		if r.over = len(r.held) == 0; r.over {
			return io.EOF
		}
		r.now, r.held = r.held[0], r.held[1:]
		return nil
	}
	n, err := binary.ReadUvarint(r.in)
	if err != nil {
		r.over = err == io.EOF
		return err
	}
	group, err1 := binary.ReadUvarint(r.in)
	id, err2 := binary.ReadUvarint(r.in)
	if err := cmp.Or(err1, err2); err != nil {
		return io.ErrUnexpectedEOF
	}
	r.buf = slices.Grow(r.buf[:0], int(group+id))[:group+id]
	if _, err := io.ReadFull(r.in, r.buf); err != nil {
		return io.ErrUnexpectedEOF
	}
	both := string(r.buf)
	r.now = entry{both[:group], both[group:], n}
	return nil
}

// merger is a heap of runs for container/heap.
type merger []*run

func (m merger) Len() int           { return len(m) }
func (m merger) Less(a, b int) bool { return compareEntries(m[a].now, m[b].now) < 0 }
func (m merger) Swap(a, b int)      { m[a], m[b] = m[b], m[a] }
func (m *merger) Push(x any)        { *m = append(*m, x.(*run)) }
func (m *merger) Pop() any {
	last := len(*m) - 1
	r := (*m)[last]
	*m = (*m)[:last]
	return r
}
