package web

// Pages: which items of many an answer has.

import (
	"encoding/json"
	"errors"
	"iter"
)

const (
	maxPage     = 1000   // items of a page
	maxOffset   = 10_000 // items before it
	usualGroups = 50
)

// page checks which items are wanted.
func page(limit *int, otherwise, offset int) (int, error) {
	n := otherwise
	if limit != nil {
		n = *limit
	}
	if err := within("limit", n, 0, maxPage); err != nil {
		return 0, err
	}
	return n, within("offset", offset, 0, maxOffset)
}

// paged are some rows of a sequence, as they are shown, and whether there are more.
func paged[T any](c *call, all iter.Seq2[T, error], limit, offset int, shown func(T) (any, error)) (rows []json.RawMessage, more bool, notes []string, err error) {
	list, n := c.rows(), 0
	notes = []string{}
	for x, err := range all {
		if err != nil {
			return nil, false, nil, err
		}
		if n++; n <= offset {
			continue
		}
		if more = n > offset+limit; more {
			break
		}
		row, err := shown(x)
		if err == nil {
			err = list.add(row)
		}
		if errors.Is(err, errFull) {
			more, notes = true, append(notes, fullNote)
			break
		} else if err != nil {
			return nil, false, nil, err
		}
	}
	return list.list, more, notes, nil
}

// part reads which rows are wanted.
func part(asked map[string]string) (limit, offset int, err error) {
	if limit, err = whole("limit", asked["limit"], usualGroups, maxPage); err == nil {
		offset, err = whole("offset", asked["offset"], 0, maxOffset)
	}
	return limit, offset, err
}
