package columnar

// Copies of Parquet files without some of their rows.

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"
)

// copiedRows is the number of rows that Copy holds at a time.
const copiedRows = 64

// Copy copies a Parquet file without the rows that stays refuses, by their numbers from 1. Columns,
// types, compression, row groups and the metadata of the file remain.
func Copy(ctx context.Context, to io.Writer, from io.ReaderAt, size int64, stays func(row int64) bool) (err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("a damaged Parquet file: %v", fault)
		}
	}()
	f, err := parquet.OpenFile(from, size)
	if err != nil {
		return err
	}
	options := []parquet.WriterOption{f.Schema()}
	for _, pair := range f.Metadata().KeyValueMetadata {
		options = append(options, parquet.KeyValueMetadata(pair.Key, pair.Value))
	}
	w := parquet.NewGenericWriter[any](to, options...)
	number := int64(0)
	for _, group := range f.RowGroups() {
		if number, err = copyGroup(ctx, w, group, number, stays); err != nil {
			return err
		}
		if err := w.Flush(); err != nil {
			return err
		}
	}
	return w.Close()
}

// copyGroup copies the rows of a row group. It returns the number of the last row.
func copyGroup(ctx context.Context, w *parquet.GenericWriter[any], group parquet.RowGroup, number int64, stays func(row int64) bool) (_ int64, err error) {
	rows := group.Rows()
	defer func() { err = errors.Join(err, rows.Close()) }()
	buf := make([]parquet.Row, copiedRows)
	for {
		if err := ctx.Err(); err != nil {
			return number, err
		}
		n, err := rows.ReadRows(buf)
		if err != nil && !errors.Is(err, io.EOF) {
			return number, err
		}
		left := buf[:0:0]
		for _, row := range buf[:n] {
			if number++; stays(number) {
				left = append(left, row)
			}
		}
		if _, writeErr := w.WriteRows(left); writeErr != nil {
			return number, writeErr
		}
		if err != nil {
			return number, nil
		}
	}
}
