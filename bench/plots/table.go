package main

// This file reads a CSV file with a head.

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
)

// table is a CSV file with a head.
type table struct {
	head []string
	rows [][]string
}

func readTable(r io.Reader) (table, error) {
	all, err := csv.NewReader(r).ReadAll()
	if err != nil {
		return table{}, err
	}
	if len(all) < 2 {
		return table{}, errors.New("has no rows")
	}
	return table{all[0], all[1:]}, nil
}

// column returns the place of a column, −1 if there is none.
func (t table) column(name string) int { return slices.Index(t.head, name) }

// number reads a cell; ok is false for an empty one.
func (t table) number(row, column int) (x float64, ok bool, err error) {
	cell := t.rows[row][column]
	if cell == "" {
		return 0, false, nil
	}
	x, err = strconv.ParseFloat(cell, 64)
	if err == nil && (math.IsNaN(x) || math.IsInf(x, 0)) {
		err = errors.New("not a finite number")
	}
	if err != nil {
		return 0, false, fmt.Errorf("row %d, column %s: %w", row+2, t.head[column], err)
	}
	return x, true, nil
}
