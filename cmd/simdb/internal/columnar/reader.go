// Package columnar reads Parquet and Arrow for imports: each row comes out as a JSON object of
// its columns, in the order of the file. What a damaged or hostile file says of itself is
// checked before memory is reserved for it. The package knows no database.
package columnar

// Row groups are read side by side and handed on in their order.

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

// Reader reads Parquet and Arrow for api.ImportOptions.Tables.
type Reader struct {
	MemoryBytes int64 // for all that is read at once, roughly; 0 means 256 MiB
}

// defaultMemory is that of the library.
const defaultMemory = 256 << 20

// Reads reports whether a file begins as Parquet does, encrypted or not, or as Arrow does.
func (Reader) Reads(head []byte) bool { return readsArrow(head) || readsParquet(head) }

func readsParquet(head []byte) bool {
	return (bytes.HasPrefix(head, []byte("PAR1")) || bytes.HasPrefix(head, []byte("PARE"))) && bytes.IndexByte(head, 0) >= 0
}

// errLast is the error of Parquet that is no file by itself.
var errLast = errors.New("a Parquet file is read by itself, because what says where its columns lie comes last; name the file, decompressed and unpacked")

// Records yields the rows of a file.
func (r Reader) Records(ctx context.Context, head []byte, file io.Reader, size int64, want api.TableFields) iter.Seq2[api.TableRecord, error] {
	memory := cmp.Or(r.MemoryBytes, defaultMemory)
	if readsArrow(head) {
		return arrowRecords(ctx, file, memory/2, want)
	}
	in, ok := file.(io.ReaderAt)
	if !ok {
		return func(yield func(api.TableRecord, error) bool) { yield(api.TableRecord{}, errLast) }
	}
	return parquetRecords(ctx, in, size, memory, want)
}

func parquetRecords(ctx context.Context, in io.ReaderAt, size, memory int64, want api.TableFields) iter.Seq2[api.TableRecord, error] {
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
		for g := range f.groups(ctx, &running, memory/4) {
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

// lost returns the reject of the rows that a row group no longer gives.
func (g *group) lost() api.TableRecord {
	rows := g.f.meta.RowGroups[g.n].NumRows - g.given
	return api.TableRecord{Reason: fmt.Sprintf("%v; %d rows of it are not read", g.err, rows), Rows: rows}
}

// group is a row group that is being read.
type group struct {
	f      *file
	n      int
	given  int64 // rows that blocks have, valid once blocks is closed
	needs  int64
	making block
	blocks chan *block
	err    error // valid once blocks is closed
	done   func()
	ahead  *semaphore.Weighted // bytes of blocks that are handed on
}

// A row group may be so far ahead of the one that is handed on.
const (
	blocksAhead = 16
	bytesAhead  = blocksAhead * blockBytes
)

// groups starts to read the row groups, as many at once as there are processors and memory
// is for, and always one.
func (f *file) groups(ctx context.Context, running *sync.WaitGroup, memory int64) <-chan *group {
	queue := make(chan *group, max(runtime.GOMAXPROCS(0)-1, 0))
	free := semaphore.NewWeighted(memory)
	running.Go(func() {
		defer close(queue)
		for n := range f.meta.RowGroups {
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

// block is some rows as JSON, one after another.
type block struct {
	json []byte
	rows []row
}

// row says where the JSON of a row ends, or why it is rejected.
type row struct {
	end    int
	reason string
}

// A block is handed on once it holds so much. Rows that are rejected have no JSON.
const (
	blockBytes = 256 << 10
	blockRows  = 4096
)

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

// read makes blocks of the rows, and hands on those before an error too.
func (g *group) read(ctx context.Context) {
	defer close(g.blocks)
	err := g.rows(ctx)
	if len(g.making.rows) == 0 || g.send(ctx) {
		g.err = err
	}
}

// rows adds the rows to blocks, of which the last is not yet sent. The library may panic over
// a damaged file; that is an error of the file.
func (g *group) rows(ctx context.Context) (err error) {
	if g.f.meta.RowGroups[g.n].NumRows == 0 {
		return nil // its columns need no pages then
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

func (b *block) add(json []byte, err error) {
	if err != nil {
		b.rows = append(b.rows, row{len(b.json), err.Error()})
		return
	}
	b.json = json
	b.rows = append(b.rows, row{end: len(json)})
}

func (b *block) weight() int64 { return min(int64(len(b.json)), bytesAhead) }

// send hands on the block that was made, and begins another.
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

// whole is an end of a column that comes before that of its rows.
func whole(err error) error {
	if err == io.EOF {
		return fmt.Errorf("has fewer values than the file says")
	}
	return err
}
