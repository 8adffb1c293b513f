package run

// Sorted runs of rows in a scratch file.

import (
	"bufio"
	"bytes"
	"context"
	"encoding/gob"
	"encoding/json"
	"fmt"
	"io"
	"math/big"
	"slices"
	"time"

	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/query/value"
)

// sortRuns holds the places of runs in one file, so that many runs need one open file.
type sortRuns struct {
	file engine.ScratchFile
	ends []int64
}

// runBuffer is the size of the buffer of each run.
const runBuffer = 16 << 10

// storedRow is a row as a run stores it: keys, then cells.
type storedRow struct {
	Seq    int64
	Values []storedValue
}

// storedValue is a value with its exact type, or a list or an object as JSON.
type storedValue struct {
	Value any
	JSON  []byte
}

func init() {
	for _, v := range []any{value.Fraction{}, new(big.Rat), time.Time{}, json.Number("")} {
		gob.Register(v)
	}
}

// failedScratch returns an error of the scratch file with its cause and remedy.
func failedScratch(err error) error {
	return fmt.Errorf("query: scratch file of ORDER BY: %w; free disk space, select fewer or shorter fields, or raise the memory setting", err)
}

// write appends sorted rows as a run.
func (r *sortRuns) write(ctx context.Context, items []sortItem) error {
	var b bytes.Buffer
	encoder, end := gob.NewEncoder(&b), int64(0)
	if n := len(r.ends); n > 0 {
		end = r.ends[n-1]
	}
	for i, it := range items {
		row := storedRow{Seq: it.seq, Values: make([]storedValue, 0, len(it.keys)+len(it.row))}
		for _, v := range slices.Concat(it.keys, it.row) {
			stored := storedValue{Value: v}
			switch v.(type) {
			case map[string]any, []any:
				j, err := json.Marshal(v)
				if err != nil {
					return failedScratch(err)
				}
				stored = storedValue{JSON: j}
			}
			row.Values = append(row.Values, stored)
		}
		if err := encoder.Encode(row); err != nil {
			return failedScratch(err)
		}
		if b.Len() >= runBuffer || i == len(items)-1 {
			if err := ctx.Err(); err != nil {
				return err
			}
			n, err := r.file.Write(b.Bytes())
			if err != nil {
				return failedScratch(err)
			}
			end += int64(n)
			b.Reset()
		}
	}
	r.ends = append(r.ends, end)
	return nil
}

// sortRun reads a run.
type sortRun struct {
	decoder *gob.Decoder
	keys    int
	item    sortItem
}

// next reads the next row; io.EOF at the end.
func (r *sortRun) next() error {
	var row storedRow
	if err := r.decoder.Decode(&row); err != nil {
		return err
	}
	values := make([]any, len(row.Values))
	for i, v := range row.Values {
		if values[i] = v.Value; v.JSON != nil {
			d := json.NewDecoder(bytes.NewReader(v.JSON))
			d.UseNumber()
			if err := d.Decode(&values[i]); err != nil {
				return err
			}
		}
	}
	r.item = sortItem{keys: values[:r.keys], seq: row.Seq, row: values[r.keys:]}
	return nil
}

// merge yields the rows of all runs, each with a number of keys, in order.
func (r *sortRuns) merge(ctx context.Context, keys int, compare func(a, b sortItem) int, yield func(sortItem, error) bool) {
	var runs []*sortRun // by their next rows
	byItem := func(a, b *sortRun) int { return compare(a.item, b.item) }
	start := int64(0)
	for _, end := range r.ends {
		runs = append(runs, &sortRun{keys: keys, decoder: gob.NewDecoder(bufio.NewReaderSize(io.NewSectionReader(r.file, start, end-start), runBuffer))})
		if err := runs[len(runs)-1].next(); err != nil {
			yield(sortItem{}, failedScratch(err))
			return
		}
		start = end
	}
	slices.SortFunc(runs, byItem)
	for len(runs) > 0 {
		first := runs[0]
		if err := ctx.Err(); err != nil {
			yield(sortItem{}, err)
			return
		}
		if !yield(first.item, nil) {
			return
		}
		switch err := first.next(); err {
		case nil:
			i, _ := slices.BinarySearchFunc(runs[1:], first, byItem)
			copy(runs, runs[1:i+1])
			runs[i] = first
		case io.EOF:
			runs = runs[1:]
		default:
			yield(sortItem{}, failedScratch(err))
			return
		}
	}
}

// sizeOf returns the approximate memory of a value in bytes.
func sizeOf(v any) (n int64) {
	n = 24
	switch v := v.(type) {
	case string:
		n += int64(len(v))
	case []any:
		for _, x := range v {
			n += sizeOf(x)
		}
	case map[string]any:
		for name, x := range v {
			n += 32 + int64(len(name)) + sizeOf(x)
		}
	}
	return n
}
