package web

// A request for data: its authorization, limits, body, database, and its response as JSON or
// NDJSON.

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

// patience is the time that a request waits for a slot before it is rejected.
const patience = time.Second

// pieceBytes is the size of a read from a body, and of waiting events that are sent at once. The
// limit of all bodies does not count the last, partial piece of a body, nor the headers, which may
// be as large.
const pieceBytes = 64 << 10

// lastWrites is the time after MaxTime in which the client may read the response.
const lastWrites = 10 * time.Second

// statusGone is the status in the metrics for clients that disconnected. It is never sent.
const statusGone = 499

// streamed is the request whose handler reads the body as a stream.
const streamed = "POST /api/v1/import"

// call is a request in progress.
type call struct {
	*server
	db     *simdb.DB
	ctx    context.Context // ends after MaxTime, and when the client disconnects
	w      http.ResponseWriter
	r      *http.Request
	body   []byte // nil for a streamed request
	held   int64  // bytes of the body that count in server.bodies
	start  time.Time
	out    *lines // nil: the response is JSON
	status int
	opened []io.Closer // snapshots
}

// posted adapts a handler of a JSON body.
func posted[T any](answer func(*call, T) error) func(*call) error {
	return func(c *call) error {
		var req T
		if err := c.decode(&req); err != nil {
			return err
		}
		return answer(c, req)
	}
}

// with adapts a handler of URL parameters.
func with(answer func(c *call, req map[string]string) error, names ...string) func(*call) error {
	return func(c *call) error {
		req, err := c.parameters(names...)
		if err != nil {
			return err
		}
		return answer(c, req)
	}
}

// writing rejects the request unless the server allows writes.
func writing(answer func(*call) error) func(*call) error {
	return func(c *call) error {
		if !c.Writable {
			return errReadOnly
		}
		return answer(c)
	}
}

// answering returns the http.Handler of a request for data.
func (s *server) answering(pattern string, answer func(*call) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := &call{server: s, w: w, r: r, start: time.Now(), status: http.StatusOK}
		to := http.NewResponseController(w)
		to.SetWriteDeadline(c.start.Add(c.MaxTime + lastWrites)) // an error means that the writer has no deadlines, as in tests
		defer func() {
			if c.out != nil {
				c.out.abandon()
			}
		}()
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

// work calls the handler once the body has arrived and a slot is free, in this order, so that a
// slow client blocks only itself. The handler of a streamed request reads the body in its slot.
func (c *call) work(answer func(*call) error, streamed bool) error {
	if !c.signedIn(c.r) {
		return refuse(http.StatusUnauthorized, "unauthorized", "this server requires its token: send Authorization: Bearer TOKEN, or sign in on the page")
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

// fail ends the response with an error: as the last line of a stream, otherwise with a status.
func (c *call) fail(err error) {
	if c.out != nil && c.out.begun {
		f := failureOf(err)
		c.status = f.status
		c.out.writeEvent("error", pair{"error", f})
		return
	}
	c.status = fail(c.w, err)
}

// read reads the body, within MaxTime. All bodies together, including those of waiting requests, are
// limited to the size of MaxConcurrent bodies of the maximum size.
func (c *call) read() error {
	to := http.NewResponseController(c.w)
	to.SetReadDeadline(c.start.Add(c.MaxTime + patience)) // the context ends first, so that the client gets a response
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
			return refuse(http.StatusServiceUnavailable, "busy", "too many large requests are arriving; try again in a moment")
		}
	}
}

// decode decodes the JSON body into a struct. It rejects unknown fields, because ignoring a
// misspelt option would give a wrong result silently.
func (c *call) decode(into any) error {
	if !utf8.Valid(c.body) {
		return bad("the request is not UTF-8")
	}
	d := json.NewDecoder(bytes.NewReader(c.body))
	d.UseNumber()
	d.DisallowUnknownFields()
	if err := d.Decode(into); err == io.EOF {
		return bad("the body is empty; send a JSON object, such as {}; see /api/v1/openapi.json")
	} else if err != nil {
		return bad("the body is not the expected JSON: %v; see /api/v1/openapi.json", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return bad("the body continues after its JSON; send one object")
	}
	return nil
}

// parameters returns the URL parameters of these names, and rejects others.
func (c *call) parameters(names ...string) (map[string]string, error) {
	given := map[string]string{}
	q := c.r.URL.Query()
	for _, name := range names {
		given[name] = q.Get(name)
		q.Del(name)
	}
	for name := range q {
		return nil, bad("there is no parameter %s here; there are %v", quoted(name), names)
	}
	return given, nil
}

// whole parses an optional whole number from 0 to most.
func whole(name, value string, otherwise, most int) (int, error) {
	if value == "" {
		return otherwise, nil
	}
	n, err := strconv.Atoi(value)
	if err != nil {
		return 0, bad("%s is %s, and must be a whole number", name, quoted(value))
	}
	return n, within(name, n, 0, most)
}

// within rejects a number out of range.
func within(name string, n, least, most int) error {
	if n < least || n > most {
		return bad("%s is %d, and must be from %d to %d", name, n, least, most)
	}
	return nil
}

// elapsed returns the time since the request began in milliseconds.
func (c *call) elapsed() float64 { return float64(time.Since(c.start).Microseconds()) / 1000 }

// respond ends the response.
func (c *call) respond(answer any) error {
	if c.out != nil {
		return c.out.writeEvent("end", pair{"answer", answer})
	}
	respond(c.w, http.StatusOK, answer)
	return nil
}

// snapshot returns a snapshot that lasts until the response is complete.
func (c *call) snapshot() (snap *simdb.Snapshot, err error) {
	if snap, err = c.db.Snapshot(); err == nil {
		c.opened = append(c.opened, snap)
	}
	return snap, err
}
