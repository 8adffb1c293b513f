package web

// Streamed responses, as NDJSON: progress, rows as the search finds them, and last the rest of
// the response or an error.

import (
	"errors"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// eventWait is the maximum delay of an event, to send several together: sending each would take
// longer than finding a row.
const eventWait = 20 * time.Millisecond

// lines writes a streamed response. It is safe for concurrent use, because progress and rows come
// from different goroutines.
type lines struct {
	mu      sync.Mutex
	w       http.ResponseWriter
	begun   bool
	waiting []byte      // events to be sent
	sent    time.Time   // time of the last sending; initially that of the request
	flowing bool        // events have been sent
	later   *time.Timer // sends the waiting events; nil: it is not set
}

// writeEvent writes a line. It is sent within eventWait, or with the end of the response.
func (l *lines) writeEvent(event string, more ...pair) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	with, err := append(pairs{{"event", event}}, more...).appendTo(l.waiting, maxAnswer)
	if err != nil {
		return err
	}
	if !l.begun {
		l.begun = true
		l.w.Header().Set("Content-Type", "application/x-ndjson")
		l.w.Header().Set("Cache-Control", "no-store")
		l.w.Header().Set("X-Accel-Buffering", "no") // proxies would buffer lines
	}
	l.waiting = append(with, '\n')
	since := time.Since(l.sent)
	if since >= eventWait || len(l.waiting) >= pieceBytes {
		return l.send()
	}
	if l.later == nil {
		l.later = time.AfterFunc(eventWait-since, func() {
			l.mu.Lock()
			defer l.mu.Unlock()
			if l.later != nil {
				l.send()
			}
		})
	}
	return nil
}

// send sends the waiting events; the caller holds mu.
func (l *lines) send() error {
	l.forget()
	l.sent, l.flowing = time.Now(), true
	_, err := l.w.Write(l.waiting)
	l.waiting = l.waiting[:0]
	return errors.Join(err, http.NewResponseController(l.w).Flush())
}

// end writes the waiting events, which the caller flushes, and stops the timer, because the
// ResponseWriter is invalid after the handler returns. A response that is sent at once has a length.
func (l *lines) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.forget()
	if !l.flowing && l.begun {
		l.w.Header().Set("Content-Length", strconv.Itoa(len(l.waiting)))
	}
	l.w.Write(l.waiting)
}

// abandon stops the timer of a handler that panicked before end: sending would panic on a goroutine
// that no server recovers.
func (l *lines) abandon() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.forget()
}

// forget stops the timer; the caller holds mu.
func (l *lines) forget() {
	if l.later != nil {
		l.later.Stop()
		l.later = nil
	}
}
