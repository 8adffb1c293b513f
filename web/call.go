package web

// One request for data: whether it may be made, its limits, its body, its database, and its
// answer, as JSON or line by line.

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/simdb/simdb"
)

// patience is how long a request waits for others to end before it is refused.
const patience = time.Second

// pieceBytes of a body are read at a time. The first piece of a request is not counted among the
// bodies that are held: it is as much as the headers may be.
const pieceBytes = 64 << 10

// lastWrites is how much longer than MaxTime the caller has to take the answer.
const lastWrites = 10 * time.Second

// statusGone is what the figures have for a caller who has gone. No one reads it as a status.
const statusGone = 499

// streamed is the request whose body is not read before it is answered.
const streamed = "POST /api/v1/import"

// call is a request that is being answered.
type call struct {
	*server
	db     *simdb.DB
	ctx    context.Context // ends with MaxTime, and when the caller goes
	w      http.ResponseWriter
	r      *http.Request
	body   []byte // nil of a request that is streamed
	held   int64  // bytes of the body that are counted
	start  time.Time
	out    *lines // nil: the answer is JSON
	status int
	opened []io.Closer // snapshots
}

// posted makes an answer of one to the JSON of a body.
func posted[T any](answer func(*call, T) error) func(*call) error {
	return func(c *call) error {
		var asked T
		if err := c.asked(&asked); err != nil {
			return err
		}
		return answer(c, asked)
	}
}

// with makes an answer of one to these parameters of the URL.
func with(answer func(c *call, asked map[string]string) error, names ...string) func(*call) error {
	return func(c *call) error {
		asked, err := c.parameters(names...)
		if err != nil {
			return err
		}
		return answer(c, asked)
	}
}

// writing makes an answer of one that changes the database.
func writing(answer func(*call) error) func(*call) error {
	return func(c *call) error {
		if !c.Writable {
			return errClosed
		}
		return answer(c)
	}
}

// answering makes a handler of an answer to a request for data.
func (s *server) answering(pattern string, answer func(*call) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := &call{server: s, w: w, r: r, start: time.Now(), status: http.StatusOK}
		to := http.NewResponseController(w)
		to.SetWriteDeadline(c.start.Add(c.MaxTime + lastWrites)) // where the writer has no deadlines, whoever made it has set some
		switch err := c.work(answer, pattern == streamed); {
		case err != nil && r.Context().Err() != nil && !errors.Is(err, context.DeadlineExceeded):
			c.status = statusGone
		case err != nil:
			c.fail(err)
		}
		if c.out != nil {
			c.out.end()
		}
		to.Flush()
		to.SetWriteDeadline(time.Time{}) // the connection may serve other requests
		s.figures.note(pattern, c.status, time.Since(c.start))
	})
}

// work answers once the body is there and a slot is free: a caller who is slow to send holds up
// only itself. A body that is streamed is read by the answer.
func (c *call) work(answer func(*call) error, streamed bool) error {
	if !c.signedIn(c.r) {
		return refuse(http.StatusUnauthorized, "unauthorized", "this server wants its token: as Authorization: Bearer TOKEN, or sign in on the page")
	}
	var cancel context.CancelFunc
	c.ctx, cancel = context.WithTimeout(c.r.Context(), c.MaxTime)
	defer cancel()
	defer func() { c.bodies.Add(-c.held) }()
	if streamed {
		http.NewResponseController(c.w).SetReadDeadline(c.start.Add(c.MaxTime + patience))
	} else if err := c.read(); err != nil {
		return err
	}
	select {
	case c.slots <- struct{}{}:
	case <-time.After(patience):
		return refuse(http.StatusServiceUnavailable, "busy", "%d requests are being answered already; try again in a moment", c.MaxConcurrent)
	case <-c.ctx.Done():
		return c.ctx.Err()
	}
	defer func() { <-c.slots }()
	db, done := c.Lend()
	defer done()
	c.db = db
	defer func() {
		for _, snap := range c.opened {
			snap.Close()
		}
	}()
	return answer(c)
}

// fail ends the answer with an error.
func (c *call) fail(err error) {
	if c.out != nil && c.out.begun {
		f := failureOf(err)
		c.status = f.status
		c.out.tell("error", pair{"error", f})
		return
	}
	c.status = fail(c.w, err)
}

// read reads the body, for MaxTime at most. All bodies together are no more than the requests
// that are worked on may send.
func (c *call) read() error {
	to := http.NewResponseController(c.w)
	to.SetReadDeadline(c.start.Add(c.MaxTime + patience)) // the context ends first, so the caller is told
	var body bytes.Buffer
	from := http.MaxBytesReader(c.w, c.r.Body, c.MaxBody)
	for {
		_, err := io.CopyN(&body, from, pieceBytes)
		_, large := errors.AsType[*http.MaxBytesError](err)
		switch {
		case large:
			return err
		case c.ctx.Err() != nil:
			return c.ctx.Err()
		case err == io.EOF:
			c.body = body.Bytes()
			to.SetReadDeadline(c.start.Add(c.MaxTime + lastWrites))
			return nil
		case err != nil:
			return bad("the request cannot be read: %v", err)
		}
		c.held += pieceBytes
		if c.bodies.Add(pieceBytes) > int64(c.MaxConcurrent)*c.MaxBody {
			return refuse(http.StatusServiceUnavailable, "busy", "too much is being sent already; try again in a moment")
		}
	}
}

// asked decodes the body into a struct. Fields that it does not have are refused: they would
// be a misspelt wish, silently not heeded.
func (c *call) asked(into any) error {
	if !utf8.Valid(c.body) {
		return bad("the request is not UTF-8")
	}
	d := json.NewDecoder(bytes.NewReader(c.body))
	d.UseNumber()
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return bad("the request is not the JSON that is wanted here: %v; see /api/v1/openapi.json", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return bad("the request goes on after its JSON; send one object")
	}
	return nil
}

// parameters reads those of the URL, and refuses others than the names given.
func (c *call) parameters(names ...string) (map[string]string, error) {
	given := map[string]string{}
	q := c.r.URL.Query()
	for _, name := range names {
		given[name] = q.Get(name)
		q.Del(name)
	}
	for name := range q {
		return nil, bad("there is no parameter %s here; there are %v", shown(name), names)
	}
	return given, nil
}

// whole reads a number that a request may leave out.
func whole(name, value string, otherwise, most int) (int, error) {
	if value == "" {
		return otherwise, nil
	}
	n, err := strconv.Atoi(value)
	if err != nil {
		return 0, bad("%s is %s, and must be a whole number", name, shown(value))
	}
	return n, within(name, n, 0, most)
}

func within(name string, n, least, most int) error {
	if n < least || n > most {
		return bad("%s is %d, and must be from %d to %d", name, n, least, most)
	}
	return nil
}

// elapsed is how long the request has taken, in milliseconds.
func (c *call) elapsed() float64 { return float64(time.Since(c.start).Microseconds()) / 1000 }

// give ends the answer.
func (c *call) give(answer any) error {
	if c.out != nil {
		return c.out.tell("end", pair{"answer", answer})
	}
	give(c.w, http.StatusOK, answer)
	return nil
}

// snapshot is one moment of the database, until the request has been answered.
func (c *call) snapshot() (snap *simdb.Snapshot, err error) {
	if snap, err = c.db.Snapshot(); err == nil {
		c.opened = append(c.opened, snap)
	}
	return snap, err
}
