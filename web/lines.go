package web

// Answers line by line, as NDJSON: progress, rows as they are found, and last the rest of the
// answer or an error.

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
)

// maxAnswer bounds the rows of an answer that is not streamed, in bytes.
const maxAnswer = 64 << 20

// errFull says that no more rows have room in an answer.
var errFull = errors.New("web: the answer is full")

// fullNote says so to the caller.
const fullNote = "all that was asked for would take more than 64 MiB, so this is not all; ask for application/x-ndjson, or for less"

// rowWait is how long a row may wait for others to be sent off with: to send each one by itself
// takes longer than to find it.
const rowWait = 20 * time.Millisecond

// lines writes a streamed answer. Progress comes from other goroutines than rows do.
type lines struct {
	mu    sync.Mutex
	w     http.ResponseWriter
	begun bool
	sent  time.Time   // the last time that lines were sent off; at first when the request came
	later *time.Timer // sends off what waits; nil: nothing does
}

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

// tell writes a line, and sends it off; a row, and the columns before them, within rowWait.
func (l *lines) tell(event string, more ...pair) error {
	b, err := append(pairs{{"event", event}}, more...).appendTo(nil)
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.begun {
		l.begun = true
		l.w.Header().Set("Content-Type", "application/x-ndjson")
		l.w.Header().Set("Cache-Control", "no-store")
		l.w.Header().Set("X-Accel-Buffering", "no") // a proxy would hold lines back
	}
	if _, err := l.w.Write(append(b, '\n')); err != nil {
		return err
	}
	if since := time.Since(l.sent); (event == "row" || event == "columns") && since < rowWait {
		if l.later == nil {
			l.later = time.AfterFunc(rowWait-since, func() {
				l.mu.Lock()
				defer l.mu.Unlock()
				if l.later != nil {
					l.send()
				}
			})
		}
		return nil
	}
	return l.send()
}

// send sends off what was written; the caller holds mu.
func (l *lines) send() error {
	l.forget()
	l.sent = time.Now()
	return http.NewResponseController(l.w).Flush()
}

// end makes sure that nothing is sent off later: the answer is over.
func (l *lines) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.forget()
}

// forget gives up sending later; the caller holds mu.
func (l *lines) forget() {
	if l.later != nil {
		l.later.Stop()
		l.later = nil
	}
}

// rows are sent off as they come in a streamed answer, and else gathered for its end.
type rows struct {
	c     *call
	list  []json.RawMessage
	bytes int
}

func (c *call) rows() *rows { return &rows{c: c, list: []json.RawMessage{}} }

// add takes a row. errFull means that it has no room.
func (r *rows) add(row any) error {
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
