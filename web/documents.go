package web

// GET /api/v1/documents: the documents of a collection by id, for completion and paging. The
// cost does not depend on the size of the collection, because the iterator seeks to the first
// id.

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

// documents answers with a page of documents. It skips unreadable documents, so that the others
// remain accessible.
func documents(c *call, req map[string]string) error {
	limit, err := whole("limit", req["limit"], 20, maxPage)
	if err != nil {
		return err
	}
	snap, err := c.snapshot()
	if err != nil {
		return err
	}
	a := documentsAnswer{Collection: collectionOf(req["collection"])}
	list, last := c.rows(), ""
	from := req["prefix"]
	if after := req["after"]; after != "" {
		from = max(from, after+"\x00") // the least id after it
	}
	for info, err := range snap.Infos(c.ctx, a.Collection, from) {
		if _, ok := errors.AsType[*api.UnreadableError](err); ok {
			continue
		}
		if err != nil {
			return err
		}
		if !strings.HasPrefix(info.ID, req["prefix"]) {
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
	return c.respond(a)
}

// collectionOf returns the name, docs for "".
func collectionOf(name string) string {
	return cmp.Or(name, api.DefaultCollection)
}

// pathOf returns the path of the original file, if the metadata contains it.
func pathOf(meta api.Meta) *string {
	path, ok := meta["path"].(string)
	return of(ok, path)
}
