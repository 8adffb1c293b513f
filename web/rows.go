package web

// The rows of a response, streamed or collected.

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
)

// maxAnswer is the maximum size in bytes of the rows of a response, or of one row that is streamed.
const maxAnswer = 64 << 20

// errFull means that a response has no room for further rows.
var errFull = errors.New("web: the answer is full")

// fullNote reports errFull to the client.
const fullNote = "the answer is incomplete, because it, or its next row if streamed, would exceed 64 MiB; accept application/x-ndjson, or request less"

// stream switches to a streamed response, with progress, if the client accepts it.
func (c *call) stream() {
	if !strings.Contains(c.r.Header.Get("Accept"), "application/x-ndjson") {
		return
	}
	c.out = &lines{w: c.w, sent: c.start}
	c.ctx = simdb.WithProgress(c.ctx, func(p api.Progress) {
		c.out.writeEvent("progress", pair{"what", p.What}, pair{"done", p.Done}, pair{"total", p.Total})
	})
}

// rowList sends the rows of a streamed response at once, and collects those of any other.
type rowList struct {
	c     *call
	list  []json.RawMessage
	bytes int
}

// rows returns an empty list for the rows of the response.
func (c *call) rows() *rowList { return &rowList{c: c, list: []json.RawMessage{}} }

// add adds a row, or returns errFull if it has no room.
func (r *rowList) add(row any) error {
	if r.c.out != nil {
		return r.c.out.writeEvent("row", pair{"row", row})
	}
	var b []byte
	var err error
	if p, ok := row.(pairs); ok { // a statement may select a long text in several columns
		b, err = p.appendTo(nil, maxAnswer-r.bytes)
	} else {
		b, err = json.Marshal(row)
	}
	if err != nil {
		return err
	}
	if r.bytes += len(b); r.bytes > maxAnswer {
		return errFull
	}
	r.list = append(r.list, b)
	return nil
}
