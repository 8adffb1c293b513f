package scale

// Rows on disk: sorted runs of blocks, one section per block. The last section of a file assigns
// the sections to runs.

import (
	"cmp"
	"container/heap"
	"context"
	"encoding/binary"
	"slices"

	"github.com/simdb/simdb/internal/measure"
)

// row is a pair of documents with the overlap of their sets and both sizes, or a member of a group.
// For a member, a is the least id of the group, b the id of the member, and shared the size of the
// group. Before the group is known, a is empty, and shared is the root of the union-find.
type row struct {
	a, b             string
	shared, ofA, ofB uint32
}

const (
	roomRows  = 64 << 20 // bytes of rows in memory before a run is written
	rowBytes  = 48       // size of a row without its ids
	rowsBlock = 128 << 10
)

// sorter writes rows as sorted runs.
type sorter struct {
	o       *output
	compare func(a, b *row) int
	rows    []row
	held    int
	n       int64
	blocks  []uint64 // directory: run<<32 | section
	runs    uint64
}

// add adds a row and flushes a full run.
func (s *sorter) add(r row) error {
	s.rows = append(s.rows, r)
	s.n++
	if s.held += rowBytes + len(r.a) + len(r.b); s.held < roomRows {
		return nil
	}
	return s.flush()
}

// flush sorts the held rows and writes them as a run.
func (s *sorter) flush() error {
	slices.SortFunc(s.rows, func(a, b row) int { return s.compare(&a, &b) })
	var block []byte
	end := func() error {
		s.blocks = append(s.blocks, s.runs<<32|uint64(len(s.o.table)/entryBytes))
		err := s.o.section(block)
		block = block[:0]
		return err
	}
	for _, r := range s.rows {
		block = appendRow(block, r)
		if len(block) >= rowsBlock {
			if err := end(); err != nil {
				return err
			}
		}
	}
	if len(block) > 0 {
		if err := end(); err != nil {
			return err
		}
	}
	s.runs++
	s.rows, s.held = s.rows[:0], 0
	return nil
}

// end completes a file that contains only rows, and opens it for reading.
func (s *sorter) end(plan uint64) (*result, error) {
	err := s.flush()
	if err == nil {
		err = s.o.sectionWords(s.blocks)
	}
	if err != nil {
		return nil, err
	}
	path := s.o.f.Name()
	sum, size, err := s.o.commit(path, plan)
	if err != nil {
		return nil, err
	}
	return openResult(path, Broken{Stage: Clusters, File: path}, plan, sum, size)
}

// appendRow encodes a row.
func appendRow(b []byte, r row) []byte {
	b = append(binary.AppendUvarint(b, uint64(len(r.a))), r.a...)
	b = append(binary.AppendUvarint(b, uint64(len(r.b))), r.b...)
	for _, n := range [...]uint32{r.shared, r.ofA, r.ofB} {
		b = binary.AppendUvarint(b, uint64(n))
	}
	return b
}

// cutRow decodes a row of a verified block.
func cutRow(b []byte) (r row, rest []byte) {
	number := func() uint64 {
		n, size := binary.Uvarint(b)
		b = b[size:]
		return n
	}
	text := func() string {
		n := number()
		s := string(b[:n])
		b = b[n:]
		return s
	}
	r.a, r.b = text(), text()
	r.shared, r.ofA, r.ofB = uint32(number()), uint32(number()), uint32(number())
	return r, b
}

// run iterates over a sorted run.
type run struct {
	r        *result
	sections []int
	block    []byte
	row      row
}

// next reads the next row; false means the end.
func (n *run) next() (bool, error) {
	for len(n.block) == 0 {
		if len(n.sections) == 0 {
			return false, nil
		}
		var err error
		if n.block, err = n.r.section(n.sections[0]); err != nil {
			return false, err
		}
		n.sections = n.sections[1:]
	}
	n.row, n.block = cutRow(n.block)
	return true, nil
}

// runsOf returns the runs of a file.
func runsOf(r *result) ([]*run, error) {
	blocks, err := r.words(r.n - 1)
	if err != nil {
		return nil, err
	}
	var runs []*run
	for i, b := range blocks {
		if i == 0 || b>>32 != blocks[i-1]>>32 {
			runs = append(runs, &run{r: r})
		}
		last := runs[len(runs)-1]
		last.sections = append(last.sections, int(uint32(b)))
	}
	return runs, nil
}

// merge yields the rows of all files of a stage in order.
func (j *Job) merge(ctx context.Context, s Stage, compare func(a, b *row) int, yield func(row) error) error {
	var files []*result
	for t := range j.Tasks(s) {
		r, err := j.open(s, t)
		if err != nil {
			return err
		}
		files = append(files, r)
	}
	return merge(ctx, files, compare, yield)
}

// merge yields the rows of several files in order.
func merge(ctx context.Context, files []*result, compare func(a, b *row) int, yield func(row) error) error {
	m := merger{compare: compare}
	for _, r := range files {
		runs, err := runsOf(r)
		if err != nil {
			return err
		}
		for _, n := range runs {
			more, err := n.next()
			if err != nil {
				return err
			}
			if more {
				m.runs = append(m.runs, n)
			}
		}
	}
	heap.Init(&m)
	for i := 0; len(m.runs) > 0; i++ {
		if i%256 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		n := m.runs[0]
		if err := yield(n.row); err != nil {
			return err
		}
		more, err := n.next()
		if err != nil {
			return err
		}
		if more {
			heap.Fix(&m, 0)
		} else {
			heap.Pop(&m)
		}
	}
	return nil
}

// merger is a heap of runs for container/heap.
type merger struct {
	runs    []*run
	compare func(a, b *row) int
}

func (m *merger) Len() int           { return len(m.runs) }
func (m *merger) Less(a, b int) bool { return m.compare(&m.runs[a].row, &m.runs[b].row) < 0 }
func (m *merger) Swap(a, b int)      { m.runs[a], m.runs[b] = m.runs[b], m.runs[a] }
func (m *merger) Push(x any)         { m.runs = append(m.runs, x.(*run)) }
func (m *merger) Pop() any {
	last := m.runs[len(m.runs)-1]
	m.runs = m.runs[:len(m.runs)-1]
	return last
}

// score returns the score of a row's sets; a is the query.
func (r rule) score(x *row) measure.Score {
	return r.formula.Bound(sizeOf(x.ofA), sizeOf(x.ofB), uint64(x.shared))
}

// sizeOf returns the size of a set without repetitions.
func sizeOf(members uint32) measure.Size {
	return measure.Size{Distinct: uint64(members), Total: uint64(members)}
}

// comparePairs orders rows like SIMILAR PAIRS: descending similarity, a, b.
func (r rule) comparePairs(x, y *row) int {
	return cmp.Or(r.score(y).Compare(r.score(x)), cmp.Compare(x.a, y.a), cmp.Compare(x.b, y.b))
}

// compareRoots orders members by root, then id.
func compareRoots(x, y *row) int {
	return cmp.Or(cmp.Compare(x.shared, y.shared), cmp.Compare(x.b, y.b))
}

// compareMembers orders rows like CLUSTERS: descending size, cluster, id.
func compareMembers(x, y *row) int {
	return cmp.Or(cmp.Compare(y.shared, x.shared), cmp.Compare(x.a, y.a), cmp.Compare(x.b, y.b))
}
