package view

// External counting of documents per shingle: it sorts as many shingles as fit into memory at a
// time, writes them as runs, and merges the runs into a file.

import (
	"bufio"
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math/bits"
	"runtime"
	"slices"
	"sort"

	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/internal/shingle"
)

// ShingleCounts maps shingles to their number of documents, in ascending order of hashes: all
// shingles, or only those in several documents. Counts that exceed memory are in a file, in
// blocks.
type ShingleCounts struct {
	packed []byte            // in memory: the low bytes of each hash, and its count, at most manyDocuments
	starts []uint32          // by the high bits of hashes, the first place in packed
	shift  int               // of the high bits
	many   map[uint64]uint32 // counts of at least manyDocuments
	file   countFile         // nil if all is in memory
	first  []uint64          // first shingle of each block
	n      int64             // shingles in the file
}

const (
	packedBytes   = 7
	packedHash    = 1<<48 - 1
	manyDocuments = 255
)

// countFile is a scratch file of counts.
type countFile interface {
	io.ReaderAt
	io.WriteCloser
}

const (
	countBytes = 12  // hash and count of a shingle
	blockItems = 128 // shingles per block
)

// bytes returns the approximate memory of the counts.
func (c *ShingleCounts) bytes() int64 {
	return int64(cap(c.packed) + 4*cap(c.starts) + 8*cap(c.first) + versionBytes*len(c.many))
}

// Of returns the number of documents with a shingle, or 0 for a shingle that is not listed and so
// occurs in at most one. It panics with index.Unreadable if it cannot read the file.
func (c *ShingleCounts) Of(shingle uint64) uint64 {
	if c.file == nil {
		return c.ofPacked(shingle)
	}
	block, ok := slices.BinarySearch(c.first, shingle)
	if !ok {
		block--
	}
	if block < 0 {
		return 0
	}
	var b [blockItems * countBytes]byte
	from := int64(block) * blockItems
	items := int(min(blockItems, c.n-from))
	if _, err := c.file.ReadAt(b[:items*countBytes], from*countBytes); err != nil {
		panic(&index.Unreadable{Err: fmt.Errorf("scratch file for shingle counts: %w", err)})
	}
	runtime.KeepAlive(c) // until then no cleanup may close the file
	i := sort.Search(items, func(i int) bool { return binary.LittleEndian.Uint64(b[i*countBytes:]) >= shingle })
	if i < items && binary.LittleEndian.Uint64(b[i*countBytes:]) == shingle {
		return uint64(binary.LittleEndian.Uint32(b[i*countBytes+8:]))
	}
	return 0
}

// ofPacked is Of in memory. A cell has about four shingles, because hashes are uniformly
// distributed.
func (c *ShingleCounts) ofPacked(shingle uint64) uint64 {
	cell := shingle >> c.shift
	for at := int(c.starts[cell]); at < int(c.starts[cell+1]); at++ {
		b := c.packed[packedBytes*at:]
		low := uint64(binary.LittleEndian.Uint32(b)) | uint64(binary.LittleEndian.Uint16(b[4:]))<<32
		switch {
		case low > shingle&packedHash:
			return 0
		case low < shingle&packedHash:
		case b[6] == manyDocuments:
			return uint64(c.many[shingle])
		default:
			return uint64(b[6])
		}
	}
	return 0
}

// inMemory returns empty counts with room for about n shingles.
func inMemory(n int) *ShingleCounts {
	high := max(bits.Len(uint(n/4)), 16) // packed lacks 16 bits
	return &ShingleCounts{starts: make([]uint32, 1<<high+1), shift: 64 - high, many: map[uint64]uint32{}}
}

// pack appends a shingle.
func (c *ShingleCounts) pack(shingle uint64, n uint32) {
	low := shingle & packedHash
	c.packed = binary.LittleEndian.AppendUint32(c.packed, uint32(low))
	c.packed = binary.LittleEndian.AppendUint16(c.packed, uint16(low>>32))
	c.packed = append(c.packed, byte(min(n, manyDocuments)))
	c.starts[shingle>>c.shift+1]++
	if n >= manyDocuments {
		c.many[shingle] = n
	}
}

// packedAll completes counts in memory.
func (c *ShingleCounts) packedAll() *ShingleCounts {
	for i := range c.starts[1:] {
		c.starts[i+1] += c.starts[i]
	}
	return c
}

// shingleCounter counts documents per shingle with bounded memory.
type shingleCounter struct {
	ctx   context.Context
	m     *Snapshot
	least uint32          // shingles in fewer documents are left out
	held  [32]shingle.Set // held[i] has shingles that count 1<<i documents each
	n     int             // shingles held
	room  int
	sort  index.Sorter
	runs  []*countRun
	open  map[countFile]bool // for close
}

// newShingleCounter returns a counter that holds shingles of up to a sixteenth of the
// memory setting.
func newShingleCounter(ctx context.Context, m *Snapshot, least uint32) *shingleCounter {
	return &shingleCounter{ctx: ctx, m: m, least: least, room: int(max(m.MemoryBytes/16/8, 1<<10)), open: map[countFile]bool{}}
}

// buffer returns the size of the buffer of each run in bytes. Little memory leads to many runs.
func (c *shingleCounter) buffer() int { return int(min(max(c.m.MemoryBytes>>12, 1<<12), 1<<16)) }

// close closes all files but that of the result.
func (c *shingleCounter) close() {
	for f := range c.open {
		f.Close()
	}
}

// add counts each member of a set once per document.
func (c *shingleCounter) add(set shingle.Set, documents uint32) error {
	for i := range c.held {
		if documents>>i&1 != 0 {
			c.held[i] = append(c.held[i], set...)
			c.n += len(set)
		}
	}
	if c.n < c.room {
		return nil
	}
	return c.spill()
}

// eachHeld sorts held[i] and calls yield for each distinct shingle.
func (c *shingleCounter) eachHeld(i int, yield func(shingle uint64, n uint32) error) error {
	sorted := c.sort.Sort(c.held[i])
	if !slices.IsSorted(sorted) { // Sort may leave hashes with equal high bits unsorted
		slices.Sort(sorted)
	}
	for len(sorted) > 0 {
		n := 1
		for n < len(sorted) && sorted[n] == sorted[0] {
			n++
		}
		if err := yield(sorted[0], uint32(n)<<i); err != nil {
			return err
		}
		sorted = sorted[n:]
	}
	c.held[i] = c.held[i][:0]
	return c.m.Interrupted(c.ctx)
}

// spill writes the held shingles as runs.
func (c *shingleCounter) spill() error {
	for i := range c.held {
		if len(c.held[i]) == 0 {
			continue
		}
		w, err := c.create()
		if err != nil {
			return err
		}
		if err := c.eachHeld(i, w.add); err != nil {
			return err
		}
		run, err := w.finish()
		if err != nil {
			return err
		}
		c.runs = append(c.runs, &countRun{r: bufio.NewReaderSize(io.NewSectionReader(w.file, 0, run.n*countBytes), c.buffer())})
	}
	c.n = 0
	return nil
}

// counts returns the result. It needs no file if nothing was spilled and each held shingle counts
// one document.
func (c *shingleCounter) counts() (*ShingleCounts, error) {
	if len(c.runs) == 0 && c.n == len(c.held[0]) {
		out := inMemory(c.n)
		err := c.eachHeld(0, func(shingle uint64, n uint32) error {
			if n >= c.least {
				out.pack(shingle, n)
			}
			return nil
		})
		return out.packedAll(), err
	}
	if err := c.spill(); err != nil {
		return nil, err
	}
	clear(c.held[:])
	c.sort = index.Sorter{}
	out, err := c.merge()
	if err != nil {
		return nil, err
	}
	if out.n*(packedBytes+1) <= c.m.MemoryBytes/4 {
		return out.load()
	}
	delete(c.open, out.file)
	runtime.AddCleanup(out, func(f countFile) { f.Close() }, out.file)
	return out, nil
}

// merge merges the runs into one file.
func (c *shingleCounter) merge() (*ShingleCounts, error) {
	w, err := c.create()
	if err != nil {
		return nil, err
	}
	for _, r := range c.runs {
		if err := r.next(); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(c.runs, func(a, b *countRun) int { return cmp.Compare(a.shingle, b.shingle) }) // a sorted slice is a heap
	for merged := 0; len(c.runs) > 0; merged++ {
		least, n := c.runs[0].shingle, uint32(0)
		for len(c.runs) > 0 && c.runs[0].shingle == least {
			n += c.runs[0].n
			if err := c.runs[0].next(); err != nil {
				return nil, err
			}
			c.sink()
		}
		if n >= c.least {
			if err := w.add(least, n); err != nil {
				return nil, err
			}
		}
		if merged%(1<<16) == 0 {
			if err := c.m.Interrupted(c.ctx); err != nil {
				return nil, err
			}
		}
	}
	return w.finish()
}

// sink restores the heap after the first run has advanced, and drops a run at its end.
func (c *shingleCounter) sink() {
	if c.runs[0].n == 0 {
		c.runs[0] = c.runs[len(c.runs)-1]
		c.runs = c.runs[:len(c.runs)-1]
	}
	for i, j := 0, 1; j < len(c.runs); i, j = j, 2*j+1 {
		if j+1 < len(c.runs) && c.runs[j+1].shingle < c.runs[j].shingle {
			j++
		}
		if c.runs[i].shingle <= c.runs[j].shingle {
			return
		}
		c.runs[i], c.runs[j] = c.runs[j], c.runs[i]
	}
}

// load reads the file into memory.
func (c *ShingleCounts) load() (*ShingleCounts, error) {
	r := &countRun{r: bufio.NewReaderSize(io.NewSectionReader(c.file, 0, c.n*countBytes), 1<<16)}
	out := inMemory(int(c.n))
	out.packed = make([]byte, 0, packedBytes*c.n)
	for range c.n {
		if err := r.next(); err != nil {
			return nil, err
		}
		out.pack(r.shingle, r.n)
	}
	return out.packedAll(), nil
}

// countRun iterates over a run; n is 0 at its end.
type countRun struct {
	r       *bufio.Reader
	shingle uint64
	n       uint32
}

// next reads the next shingle of the run.
func (r *countRun) next() error {
	b, err := r.r.Peek(countBytes)
	if err == io.EOF && len(b) == 0 {
		r.n = 0
		return nil
	} else if err != nil {
		return fmt.Errorf("scratch file for shingle counts: %w", err)
	}
	r.shingle, r.n = binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint32(b[8:])
	_, err = r.r.Discard(countBytes)
	return err
}

// countWriter writes shingles and counts, in ascending order, to a file.
type countWriter struct {
	ShingleCounts
	w *bufio.Writer
}

// create starts a file.
func (c *shingleCounter) create() (*countWriter, error) {
	f, err := c.m.Counting.Create()
	if err != nil {
		return nil, fmt.Errorf("scratch file for shingle counts: %w", err)
	}
	c.open[f] = true
	return &countWriter{ShingleCounts{file: f}, bufio.NewWriterSize(f, c.buffer())}, nil
}

// add appends a shingle, and notes it in first if it begins a block.
func (w *countWriter) add(shingle uint64, n uint32) error {
	if w.n%blockItems == 0 {
		w.first = append(w.first, shingle)
	}
	w.n++
	b := binary.LittleEndian.AppendUint64(w.w.AvailableBuffer(), shingle)
	if _, err := w.w.Write(binary.LittleEndian.AppendUint32(b, n)); err != nil {
		return fmt.Errorf("scratch file for shingle counts: %w", err)
	}
	return nil
}

// finish flushes the file and returns its counts.
func (w *countWriter) finish() (*ShingleCounts, error) {
	if err := w.w.Flush(); err != nil {
		return nil, fmt.Errorf("scratch file for shingle counts: %w", err)
	}
	out := w.ShingleCounts
	return &out, nil
}
