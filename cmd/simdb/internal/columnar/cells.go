package columnar

// Iteration over the values of a column by row.

import (
	"errors"
	"io"
	"slices"

	"github.com/parquet-go/parquet-go"
)

// cellsAhead is the number of values that one call reads from a page.
const cellsAhead = 256

// maxRowValues limits the values of a column in one row.
const maxRowValues = 4 << 20

// cells iterates over the rows of a column. The values of a row are valid until the next call.
type cells struct {
	pages  *parquet.FilePages
	page   parquet.Page
	held   []parquet.Page // exhausted pages whose values may be in use
	values parquet.ValueReader
	nested bool // a row may have several values
	buf    []parquet.Value
	ahead  []parquet.Value // unread part of buf
	given  []parquet.Value // values of the row of a nested column
}

// cellsOf opens a column of a row group. The caller must close it.
func (f *file) cellsOf(group int, column *parquet.Column) (*cells, error) {
	p, err := f.pagesOf(group, column)
	if err != nil {
		return nil, err
	}
	chunk := f.model.RowGroups()[0].ColumnChunks()[column.Index()].(*parquet.FileColumnChunk)
	return &cells{pages: chunk.PagesFrom(p), nested: column.MaxRepetitionLevel() > 0, buf: make([]parquet.Value, cellsAhead)}, nil
}

// row returns the values of the next row, or io.EOF.
func (c *cells) row() ([]parquet.Value, error) {
	c.release()
	if err := c.fill(); err != nil {
		return nil, err
	}
	if !c.nested {
		v := c.ahead[:1:1]
		c.ahead = c.ahead[1:]
		return v, nil
	}
	c.given = append(c.given[:0], c.ahead[0])
	for c.ahead = c.ahead[1:]; ; c.ahead = c.ahead[1:] {
		if err := c.fill(); err == io.EOF {
			return c.given, nil
		} else if err != nil {
			return nil, err
		}
		if c.ahead[0].RepetitionLevel() == 0 {
			return c.given, nil
		}
		if len(c.given) == maxRowValues {
			return nil, errors.New("the row has more than 4,194,304 values in this column")
		}
		c.given = append(c.given, c.ahead[0])
	}
}

// fill reads values until ahead is not empty.
func (c *cells) fill() error {
	for len(c.ahead) == 0 {
		if c.values == nil {
			page, err := c.pages.ReadPage()
			if err != nil {
				return err
			}
			c.page, c.values = page, page.Values()
		}
		n, err := c.values.ReadValues(c.buf)
		c.ahead = c.buf[:n]
		if err == io.EOF {
			c.held = append(c.held, c.page)
			c.page, c.values = nil, nil
		} else if err != nil {
			return err
		}
	}
	return nil
}

// release releases the pages of the previous row. The values in ahead belong to the last page, which
// stays.
func (c *cells) release() {
	done := len(c.held)
	if len(c.ahead) > 0 && c.page == nil {
		done--
	}
	for _, p := range c.held[:done] {
		parquet.Release(p)
	}
	c.held = slices.Delete(c.held, 0, done)
}

func (c *cells) close() { c.pages.Close() }
