package web

// The rows of an answer: streamed, or gathered for its end.

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
)

// maxAnswer bounds the rows of an answer that is not streamed, in bytes.
const maxAnswer = 64 << 20

// errFull says that no more rows have room in an answer.
var errFull = errors.New("web: the answer is full")

// fullNote says so to the caller.
const fullNote = "all that was asked for would take more than 64 MiB, so this is not all; ask for application/x-ndjson, or for less"

// stream makes the answer a streamed one if the caller accepts that. Long work tells how far
// it is then.
func (c *call) stream() {
	if !strings.Contains(c.r.Header.Get("Accept"), "application/x-ndjson") {
		return
	}
	c.out = &lines{w: c.w, sent: c.start}
	c.ctx = simdb.WithProgress(c.ctx, func(p api.Progress) {
		c.out.tell("progress", pair{"what", p.What}, pair{"done", p.Done}, pair{"total", p.Total})
	})
}

// rowList takes rows, which are sent off as they come in a streamed answer, and else gathered for its end.
type rowList struct {
	c     *call
	list  []json.RawMessage
	bytes int
}

func (c *call) rows() *rowList { return &rowList{c: c, list: []json.RawMessage{}} }

// add takes a row. errFull means that it has no room.
func (r *rowList) add(row any) error {
	if r.c.out != nil {
		return r.c.out.tell("row", pair{"row", row})
	}
	b, err := json.Marshal(row)
	if err != nil {
		return err
	}
	if r.bytes += len(b); r.bytes > maxAnswer {
		return errFull
	}
	r.list = append(r.list, b)
	return nil
}
