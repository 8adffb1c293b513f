package web

// Paging of lists.

import (
	"encoding/json"
	"errors"
	"iter"
)

const (
	maxPage       = 1000   // maximum number of items of a page
	maxOffset     = 10_000 // maximum offset
	defaultGroups = 50
)

// page validates an optional limit and an offset, and returns the limit.
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

// paged returns one page of a sequence as JSON, and whether more items follow.
func paged[T any](c *call, all iter.Seq2[T, error], limit, offset int, quoted func(T) (any, error)) (rows []json.RawMessage, more bool, notes []string, err error) {
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
		row, err := quoted(x)
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

// part parses limit and offset of a URL.
func part(req map[string]string) (limit, offset int, err error) {
	if limit, err = whole("limit", req["limit"], defaultGroups, maxPage); err == nil {
		offset, err = whole("offset", req["offset"], 0, maxOffset)
	}
	return limit, offset, err
}
