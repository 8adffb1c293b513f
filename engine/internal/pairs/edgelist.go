package pairs

// The edges of a join in the order of sim, in memory as far as there is room, the rest
// in sorted runs on disk.

import (
	"bufio"
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"sync"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/index"
)

// edgeList is the edges of a join in an order, mostly by sim, descending. As many as have room are
// held in memory, the others wait in sorted runs, each a file until the snapshot is closed.
// add is safe for concurrent use.
type edgeList struct {
	scratch *disk.Scratch
	room    int // edges
	by      func(a, b edge) int
	stop    func() error // ends a sort

	mu   sync.Mutex
	held []edge
	runs []vfs.File
	n    int64 // edges in all
	err  error // why a run could not be written
}

const edgeBytes = 48 // in memory and in a run

func newEdgeList(ctx context.Context, m *view.Snapshot) *edgeList {
	return &edgeList{scratch: m.Scratch, room: int(max(m.MemoryBytes/8/edgeBytes, 1)), by: bySim,
		stop: func() error { return m.Interrupted(ctx) }}
}

// add takes edges in any order. What goes wrong is told by sort.
func (l *edgeList) add(edges []edge) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.n += int64(len(edges))
	for len(edges) > 0 && l.err == nil {
		n := min(len(edges), l.room-len(l.held))
		l.held = append(l.held, edges[:n]...)
		if edges = edges[n:]; len(l.held) == l.room {
			l.err = l.write()
			l.held = l.held[:0]
		}
	}
}

// sort ends the adding.
func (l *edgeList) sort() error {
	return cmp.Or(l.err, index.SortFuncUntil(l.stop, l.held, l.by))
}

// bySim needs no unit, which is the same for all edges of a list.
func bySim(a, b edge) int { return b.score(1).Compare(a.score(1)) }

// write makes a run of what is held.
func (l *edgeList) write() (err error) {
	if err := index.SortFuncUntil(l.stop, l.held, l.by); err != nil {
		return err
	}
	f, err := l.scratch.Create()
	if err != nil {
		return fmt.Errorf("pairs that have no room in memory: %w", err)
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
		return fmt.Errorf("pairs that have no room in memory: %w", err)
	}
	return nil
}

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

func (x *edge) get(b *[edgeBytes]byte) {
	e := binary.LittleEndian
	*x = edge{
		fromSet: e.Uint32(b[0:]), toSet: e.Uint32(b[4:]), fromSide: e.Uint16(b[8:]), toSide: e.Uint16(b[10:]), ignored: e.Uint32(b[12:]),
		shared: e.Uint64(b[16:]), union: e.Uint64(b[24:]), of: e.Uint64(b[32:]), directed: b[40] != 0,
	}
}

// edgeReader goes through a sorted list, merging its runs.
type edgeReader struct {
	heap []*edgeSource // the first has the next edge
	by   func(a, b edge) int
}

// edgeSource is what memory holds, or a run.
type edgeSource struct {
	held []edge // after head
	r    *bufio.Reader
	head edge
}

func (l *edgeList) reader() (*edgeReader, error) {
	r := &edgeReader{by: l.by}
	sources := []*edgeSource{{held: l.held}}
	buffer := max(min(l.room*edgeBytes/(len(l.runs)+1), 1<<16), 1<<12) // all together take as much as is held
	for _, f := range l.runs {
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

// next reads the head.
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
		return false, fmt.Errorf("pairs that had no room in memory: %w", err)
	}
	s.head.get(&b)
	return true, nil
}

// each calls yield with the edges of one level after another. They are valid during the
// call.
func (l *edgeList) each(yield func([]edge) error) error {
	r, err := l.reader()
	if err != nil {
		return err
	}
	for list := []edge(nil); ; {
		if list, err = r.level(list[:0]); err != nil || len(list) == 0 {
			return err
		}
		if err := yield(list); err != nil {
			return err
		}
	}
}

// level appends the edges of the next sim, or what the order is by, to dst; none at the
// end.
func (r *edgeReader) level(dst []edge) ([]edge, error) {
	for len(r.heap) > 0 {
		first := r.heap[0]
		if len(dst) > 0 && r.by(first.head, dst[0]) != 0 {
			break
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
