package pairs

// Edges of a join in the order of sim: in memory within the budget, the rest in sorted runs
// on disk.

import (
	"bufio"
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"sync"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/index"
)

// edgeList is a list of edges in an order, mostly descending by sim. Edges beyond its memory
// are in sorted runs, one temporary file each until the snapshot closes. Only add is safe
// for concurrent use.
type edgeList struct {
	scratch *disk.Scratch
	room    int // capacity in memory, in edges
	by      func(a, b edge) int
	stop    func() error // returns an error to stop a sort
	best    int          // edges to keep, with those that tie with the last of them; 0: all
	fail    func()       // called at the first error; nil: none

	mu   sync.Mutex
	held []edge
	runs []vfs.File
	n    int64 // all edges
	last *edge // the last of the best that a full list had
	err  error // first error of writing a run
}

const (
	edgeBytes   = 48   // in memory and in a run
	edgesAtOnce = 4096 // edges of one set that a strategy holds before it adds them
)

// newEdgeList returns an empty list by sim with an eighth of the memory budget.
func newEdgeList(ctx context.Context, m *view.Snapshot) *edgeList {
	return &edgeList{scratch: m.Scratch, room: int(max(m.MemoryBytes/8/edgeBytes, 1)), by: bySim,
		stop: func() error { return m.Interrupted(ctx) }}
}

// add appends edges in any order. sort reports its errors.
func (l *edgeList) add(edges []edge) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, x := range edges {
		if l.err != nil || l.last != nil && l.by(x, *l.last) > 0 {
			continue
		}
		l.n++
		if l.held = append(l.held, x); len(l.held) == l.room {
			if l.err = l.full(); l.err != nil && l.fail != nil {
				l.fail()
			}
		}
	}
}

// full makes room in a full list: it drops edges that are not among the best, or writes a run.
func (l *edgeList) full() error {
	if err := index.SortFuncUntil(l.stop, l.held, l.by); err != nil {
		return err
	}
	if l.best > 0 && l.best < len(l.held) {
		last := l.held[l.best-1]
		n := l.best
		for n < len(l.held) && l.by(l.held[n], last) == 0 {
			n++
		}
		if l.last = &last; n <= l.room/2 {
			l.n -= int64(len(l.held) - n)
			l.held = l.held[:n]
			return nil
		}
	}
	err := l.write()
	l.held = l.held[:0]
	return err
}

// free releases the memory and the files of the list.
func (l *edgeList) free() {
	for _, f := range l.runs {
		f.Close() // a file that fails to close ends with the snapshot
	}
	l.held, l.runs = nil, nil
}

// sort ends the adding and reports errors of add.
func (l *edgeList) sort() error {
	return cmp.Or(l.err, index.SortFuncUntil(l.stop, l.held, l.by))
}

// bySim orders edges by descending score. It ignores the unit, which all edges of a list
// share.
func bySim(a, b edge) int { return b.score(1).Compare(a.score(1)) }

// write writes the sorted edges in memory as a run.
func (l *edgeList) write() (err error) {
	if !l.scratch.Fits(int64(len(l.runs)+1) * int64(l.room) * edgeBytes) {
		return fmt.Errorf("%w: %d pairs of sets and more reach the threshold, and their list would take half of the free space of the disk: raise the threshold, give a LIMIT, or disregard what a template gives many documents by IGNORING MORE THAN n DOCUMENTS; CLUSTERS needs no such list",
			api.ErrTooLarge, l.n)
	}
	f, err := l.scratch.Create()
	if err != nil {
		return fmt.Errorf("write pairs that exceed the memory to disk: %w", err)
	}
	l.runs = append(l.runs, f)
	w := bufio.NewWriterSize(f, 1<<16)
	var b [edgeBytes]byte
	for _, x := range l.held {
		x.put(&b)
		if _, err = w.Write(b[:]); err != nil {
			break
		}
	}
	if err := cmp.Or(err, w.Flush()); err != nil {
		return fmt.Errorf("write pairs that exceed the memory to disk: %w", err)
	}
	return nil
}

// put encodes an edge.
func (x *edge) put(b *[edgeBytes]byte) {
	e := binary.LittleEndian
	e.PutUint32(b[0:], x.fromSet)
	e.PutUint32(b[4:], x.toSet)
	e.PutUint16(b[8:], x.fromSide)
	e.PutUint16(b[10:], x.toSide)
	e.PutUint32(b[12:], x.ignored)
	e.PutUint64(b[16:], x.shared)
	e.PutUint64(b[24:], x.union)
	e.PutUint64(b[32:], x.of)
	b[40] = 0
	if x.directed {
		b[40] = 1
	}
}

// get decodes an edge.
func (x *edge) get(b *[edgeBytes]byte) {
	e := binary.LittleEndian
	*x = edge{
		fromSet: e.Uint32(b[0:]), toSet: e.Uint32(b[4:]), fromSide: e.Uint16(b[8:]), toSide: e.Uint16(b[10:]), ignored: e.Uint32(b[12:]),
		shared: e.Uint64(b[16:]), union: e.Uint64(b[24:]), of: e.Uint64(b[32:]), directed: b[40] != 0,
	}
}

// edgeReader iterates over a sorted list by merging its runs.
type edgeReader struct {
	heap []*edgeSource // the first has the next edge
	by   func(a, b edge) int
	stop func() error
}

// edgeSource is the part of a list in memory, or a run.
type edgeSource struct {
	held []edge // after head
	r    *bufio.Reader
	head edge
}

// reader begins an iteration. Any number may run one after another.
func (l *edgeList) reader() (*edgeReader, error) {
	r := &edgeReader{by: l.by, stop: l.stop}
	sources := []*edgeSource{{held: l.held}}
	buffer := max(min(l.room*edgeBytes/(len(l.runs)+1), 1<<16), 1<<12) // all buffers together take as much as the edges in memory
	for _, f := range l.runs {
		// Every run has exactly room edges: add writes only full lists.
		run := io.NewSectionReader(f, 0, int64(l.room)*edgeBytes)
		sources = append(sources, &edgeSource{r: bufio.NewReaderSize(run, buffer)})
	}
	for _, s := range sources {
		ok, err := s.next()
		if err != nil {
			return nil, err
		}
		if ok {
			r.heap = append(r.heap, s)
		}
	}
	for i := len(r.heap)/2 - 1; i >= 0; i-- {
		r.sink(i)
	}
	return r, nil
}

// next reads the next edge into head.
func (s *edgeSource) next() (ok bool, err error) {
	if s.r == nil {
		if len(s.held) > 0 {
			s.head, s.held, ok = s.held[0], s.held[1:], true
		}
		return ok, nil
	}
	var b [edgeBytes]byte
	if _, err := io.ReadFull(s.r, b[:]); err != nil {
		if err == io.EOF {
			return false, nil
		}
		return false, fmt.Errorf("read pairs that exceed the memory from disk: %w", err)
	}
	s.head.get(&b)
	return true, nil
}

// each calls yield with the edges of one level of the order after another. They are valid
// during the call only.
func (l *edgeList) each(yield func([]edge) error) error { return l.levels(math.MaxInt, yield) }

// pieces is each for a yield that needs no whole levels: it gets no more edges at a time than the
// list may have in memory.
func (l *edgeList) pieces(yield func([]edge) error) error { return l.levels(l.room, yield) }

// levels calls yield with the edges of each level, at most most at a time.
func (l *edgeList) levels(most int, yield func([]edge) error) error {
	r, err := l.reader()
	if err != nil {
		return err
	}
	for list := []edge(nil); ; {
		if list, err = r.level(list[:0], most); err != nil || len(list) == 0 {
			return err
		}
		if err := yield(list); err != nil {
			return err
		}
	}
}

// level appends the edges of the next level of the order to dst, at most most; none at the end.
func (r *edgeReader) level(dst []edge, most int) ([]edge, error) {
	for len(r.heap) > 0 && len(dst) < most {
		first := r.heap[0]
		if len(dst) > 0 && r.by(first.head, dst[0]) != 0 {
			break
		}
		if len(dst)%(1<<16) == 0 {
			if err := r.stop(); err != nil {
				return nil, err
			}
		}
		dst = append(dst, first.head)
		ok, err := first.next()
		if err != nil {
			return nil, err
		}
		if !ok {
			last := len(r.heap) - 1
			r.heap[0], r.heap = r.heap[last], r.heap[:last]
		}
		r.sink(0)
	}
	return dst, nil
}

// sink restores the heap below place i.
func (r *edgeReader) sink(i int) {
	for {
		least := i
		for _, c := range []int{2*i + 1, 2*i + 2} {
			if c < len(r.heap) && r.by(r.heap[c].head, r.heap[least].head) < 0 {
				least = c
			}
		}
		if least == i {
			return
		}
		r.heap[i], r.heap[least] = r.heap[least], r.heap[i]
		i = least
	}
}
