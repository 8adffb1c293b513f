package index

// Finding the columns of a segment by key.

import "fmt"

// columnRun finds the columns of a segment.
type columnRun struct {
	run   *Run
	pages Pages
}

// columnsOf returns the columns of a segment; empty if it has none.
func columnsOf(s Stored) columnRun {
	if s.Runs[Frequent] == nil {
		return columnRun{}
	}
	return columnRun{s.Runs[Frequent], s.Pages(Frequent)}
}

// of returns the column of a key; ok is false if there is none.
func (c *columnRun) of(key uint64) (col column, ok bool, err error) {
	if c.run == nil {
		return col, false, nil
	}
	n := c.run.pageBefore(key)
	if n < len(c.run.First) && c.run.First[n] < key {
		n++
	}
	if n >= len(c.run.First) || c.run.First[n] != key {
		return col, false, nil
	}
	col, err = c.page(n)
	return col, err == nil, err
}

// page returns column n.
func (c *columnRun) page(n int) (col column, err error) {
	b, err := c.pages.Page(n)
	if err != nil {
		return col, err
	}
	if col, err = openColumn(b); err != nil {
		return col, fmt.Errorf("column %d: %w", n, err)
	}
	return col, nil
}

// EachToken calls yield with the token of every posting of a shingle, and with the token and
// number of sets of every column.
func EachToken(s Stored, yield func(token uint64, sets int)) error {
	if s.Runs[Prefix] == nil {
		return nil
	}
	err := Scan(s.Runs[Prefix], s.Pages(Prefix), func(key uint64, _ uint32) error {
		yield(key%(1<<TokenBits), 1)
		return nil
	})
	columns := columnsOf(s)
	for i := 0; err == nil && columns.run != nil && i < len(columns.run.First); i++ {
		var c column
		if c, err = columns.page(i); err == nil {
			yield(columns.run.First[i]%(1<<TokenBits), c.sets)
		}
	}
	return err
}
