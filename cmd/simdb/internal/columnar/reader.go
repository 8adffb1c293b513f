// Package columnar reads Parquet and Arrow for imports. It yields each row as a JSON object of its
// columns, in the order of the file.
//
// A damaged or hostile file causes rejects or an error, but never a panic or an allocation beyond the
// budget: sizes and counts are validated before the libraries see them. The package does not depend on
// a database. Begin reading at Reader.Records; for Parquet, continue with footer.go, pages.go, cells.go
// and node.go; for Arrow, with arrow.go.
package columnar

// Parallel reading of row groups, which yields rows in the order of the file.

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"runtime"
	"sync"

	"github.com/parquet-go/parquet-go"
	"golang.org/x/sync/semaphore"

	"github.com/simdb/simdb/api"
)

// Reader reads Parquet and Arrow for api.ImportOptions.Tables. It is safe for concurrent use.
type Reader struct {
	MemoryBytes int64 // approximate memory of a call of Records; 0 means 256 MiB

	// From and To limit Records to a part of a Parquet file: with G row groups, number n from 0 belongs
	// to the part that contains byte size·n/G. Parts that tile the file read each row once. To 0 means
	// the whole file.
	From, To int64
}

// defaultMemory is the default budget of the root package, in bytes.
const defaultMemory = 256 << 20

// Reads reports whether head begins a file of Parquet, encrypted or not, or of Arrow.
func (Reader) Reads(head []byte) bool { return readsArrow(head) || readsParquet(head) }

// readsParquet reports whether head begins with the magic of Parquet. It requires a NUL, because a
// text may begin with these letters.
func readsParquet(head []byte) bool {
	return (bytes.HasPrefix(head, []byte("PAR1")) || bytes.HasPrefix(head, []byte("PARE"))) && bytes.IndexByte(head, 0) >= 0
}

// errLast is the error for Parquet input other than a plain file: the footer comes last.
var errLast = errors.New("a Parquet file is read by itself, because what says where its columns lie comes last; name the file, decompressed and unpacked")

// Records yields the rows of a file as JSON, and a record with a Reason for rejected rows. head is the
// beginning of the file; want selects the columns. An error ends the iteration.
func (r Reader) Records(ctx context.Context, head []byte, file io.Reader, size int64, want api.TableFields) iter.Seq2[api.TableRecord, error] {
	memory := cmp.Or(r.MemoryBytes, defaultMemory)
	if readsArrow(head) {
		return arrowRecords(ctx, file, memory/2, want)
	}
	in, ok := file.(io.ReaderAt)
	if !ok {
		return func(yield func(api.TableRecord, error) bool) { yield(api.TableRecord{}, errLast) }
	}
	return r.parquetRecords(ctx, in, size, memory, want)
}

// inPart reports whether row group n of count belongs to the part of a file of size bytes.
func (r Reader) inPart(n, count int, size int64) bool {
	at := int64(float64(size) * float64(n) / float64(count))
	return r.To == 0 || r.From <= at && at < r.To
}

// parquetRecords yields the rows of a Parquet file of size bytes.
func (r Reader) parquetRecords(ctx context.Context, in io.ReaderAt, size, memory int64, want api.TableFields) iter.Seq2[api.TableRecord, error] {
	return func(yield func(api.TableRecord, error) bool) {
		f, err := open(in, size, memory, want)
		if err != nil {
			yield(api.TableRecord{}, err)
			return
		}
		ctx, cancel := context.WithCancel(ctx)
		var running sync.WaitGroup
		defer running.Wait()
		defer cancel()
		for g := range f.groups(ctx, &running, memory/4, func(n int) bool { return r.inPart(n, len(f.meta.RowGroups), size) }) {
			for b := range g.blocks {
				if !b.each(yield) {
					return
				}
				g.ahead.Release(b.weight())
			}
			if err := ctx.Err(); err != nil {
				yield(api.TableRecord{}, err)
				return
			}
			if g.err != nil && !yield(g.lost(), nil) {
				return
			}
			g.done()
		}
	}
}

// lost returns a reject for the unread rows of a damaged row group.
func (g *group) lost() api.TableRecord {
	rows := g.f.meta.RowGroups[g.n].NumRows - g.given
	return api.TableRecord{Reason: fmt.Sprintf("%v; %d rows of it are not read", g.err, rows), Rows: rows}
}

// group is a row group during reading.
type group struct {
	f      *file
	n      int
	given  int64 // rows in blocks, valid once blocks is closed
	needs  int64
	making block
	blocks chan *block
	err    error // valid once blocks is closed
	done   func()
	ahead  *semaphore.Weighted // bytes of unread blocks
}

// Limits of the blocks of a row group that wait for earlier row groups.
const (
	blocksAhead = 16
	bytesAhead  = blocksAhead * blockBytes
)

// groups reads the row groups of a part concurrently, as many as processors and memory allow and at least one, and
// returns them in order.
func (f *file) groups(ctx context.Context, running *sync.WaitGroup, memory int64, inPart func(n int) bool) <-chan *group {
	queue := make(chan *group, max(runtime.GOMAXPROCS(0)-1, 0))
	free := semaphore.NewWeighted(memory)
	running.Go(func() {
		defer close(queue)
		for n := range f.meta.RowGroups {
			if !inPart(n) {
				continue
			}
			needs := f.needs(n)
			takes := min(needs+bytesAhead, memory)
			if free.Acquire(ctx, takes) != nil {
				return
			}
			g := &group{f: f, n: n, needs: needs, blocks: make(chan *block, blocksAhead), ahead: semaphore.NewWeighted(bytesAhead), done: func() { free.Release(takes) }}
			running.Go(func() { g.read(ctx) })
			select {
			case queue <- g:
			case <-ctx.Done():
				return
			}
		}
	})
	return queue
}

// block is a sequence of rows as JSON.
type block struct {
	json []byte
	rows []row
}

// row is the end of a row in the JSON of its block, or the reason of its rejection.
type row struct {
	end    int
	reason string
}

// Limits of a block, in rows and bytes. Both are needed, because rejected rows have no JSON.
const (
	blockBytes = 256 << 10
	blockRows  = 4096
)

// each yields the rows of the block. It returns false if yield did.
func (b *block) each(yield func(api.TableRecord, error) bool) bool {
	from := 0
	for _, r := range b.rows {
		if !yield(api.TableRecord{JSON: b.json[from:r.end:r.end], Reason: r.reason}, nil) {
			return false
		}
		from = r.end
	}
	return true
}

// read sends blocks of the rows, including the rows before an error.
func (g *group) read(ctx context.Context) {
	defer close(g.blocks)
	err := g.rows(ctx)
	if len(g.making.rows) == 0 || g.send(ctx) {
		g.err = err
	}
}

// rows adds the rows to blocks and leaves the last one unsent. It turns a panic of the library over
// damage into an error.
func (g *group) rows(ctx context.Context) (err error) {
	if g.f.meta.RowGroups[g.n].NumRows == 0 {
		return nil // columns without rows need no pages
	}
	if g.needs > g.f.mostNeeds() {
		return fmt.Errorf("row group %d needs about %d bytes, over --memory; raise --memory to %d, or choose fewer fields by --metadata", g.n+1, g.needs, g.needs)
	}
	var columns []*cells
	at := int64(0)
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("row group %d, row %d of it: damaged: %v", g.n+1, at+1, p)
		}
		for _, c := range columns {
			c.close()
		}
	}()
	for _, leaf := range g.f.leaves {
		c, err := g.f.cellsOf(g.n, leaf)
		if err != nil {
			return fmt.Errorf("row group %d, column %s: %w", g.n+1, name(leaf), err)
		}
		columns = append(columns, c)
	}
	values := make([][]parquet.Value, len(columns))
	for rows := g.f.meta.RowGroups[g.n].NumRows; at < rows; at++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		for i, c := range columns {
			if values[i], err = c.row(); err != nil {
				return fmt.Errorf("row group %d, row %d of it, column %s: %w", g.n+1, at+1, name(g.f.leaves[i]), whole(err))
			}
		}
		b := &g.making
		b.add(g.f.append(b.json, values))
		if (len(b.json) >= blockBytes || len(b.rows) == blockRows) && !g.send(ctx) {
			return g.err
		}
	}
	return nil
}

// add appends a row, or a reject if err is set.
func (b *block) add(json []byte, err error) {
	if err != nil {
		b.rows = append(b.rows, row{len(b.json), err.Error()})
		return
	}
	b.json = json
	b.rows = append(b.rows, row{end: len(json)})
}

// weight returns the share of the block in bytesAhead. A larger block must fit too.
func (b *block) weight() int64 { return min(int64(len(b.json)), bytesAhead) }

// send sends the current block and starts another. It returns false if the context has ended.
func (g *group) send(ctx context.Context) bool {
	b := g.making
	g.making = block{json: make([]byte, 0, len(b.json)+len(b.json)/8)}
	if g.err = g.ahead.Acquire(ctx, b.weight()); g.err != nil {
		return false
	}
	select {
	case g.blocks <- &b:
		g.given += int64(len(b.rows))
		return true
	case <-ctx.Done():
		g.err = ctx.Err()
		return false
	}
}

// whole turns the end of a column before the end of its rows into an error.
func whole(err error) error {
	if err == io.EOF {
		return fmt.Errorf("has fewer values than the file says")
	}
	return err
}
