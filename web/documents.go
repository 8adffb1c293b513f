package web

// GET /api/v1/documents: the documents of a collection by id, to complete an id that is
// typed, or to page through all. It seeks to where it begins, so it takes no longer in a
// large collection.

import (
	"cmp"
	"encoding/json"
	"errors"
	"strings"

	"github.com/simdb/simdb/api"
)

type documentsAnswer struct {
	Collection string            `json:"collection"`
	Documents  []json.RawMessage `json:"documents"`
	Next       *string           `json:"next"`
}

type listedDocument struct {
	ID       string   `json:"id"`
	Size     int64    `json:"size"`
	Metadata api.Meta `json:"metadata"`
	Path     *string  `json:"path"`
}

func documents(c *call, asked map[string]string) error {
	limit, err := whole("limit", asked["limit"], 20, maxPage)
	if err != nil {
		return err
	}
	snap, err := c.snapshot()
	if err != nil {
		return err
	}
	a := documentsAnswer{Collection: collectionOf(asked["collection"])}
	list, last := c.rows(), ""
	from := asked["prefix"]
	if after := asked["after"]; after != "" {
		from = max(from, after+"\x00") // the next id that there may be
	}
	for info, err := range snap.Infos(c.ctx, a.Collection, from) {
		if _, ok := errors.AsType[*api.UnreadableError](err); ok { // the others are there
			continue
		}
		if err != nil {
			return err
		}
		if !strings.HasPrefix(info.ID, asked["prefix"]) {
			break
		}
		full := len(list.list) == limit
		if !full {
			err := list.add(listedDocument{info.ID, info.TextBytes, info.Meta, pathOf(info.Meta)})
			if full = errors.Is(err, errFull); err != nil && !full {
				return err
			}
		}
		if full {
			a.Next = of(last != "", last)
			break
		}
		last = info.ID
	}
	a.Documents = list.list
	return c.give(a)
}

func collectionOf(name string) string {
	return cmp.Or(name, api.DefaultCollection)
}

// pathOf is where a text came from, if its metadata says so.
func pathOf(meta api.Meta) *string {
	path, ok := meta["path"].(string)
	return of(ok, path)
}
