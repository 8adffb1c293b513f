package web

// Streamed responses, as NDJSON: progress, rows as the search finds them, and last the rest of
// the response or an error.

import (
	"net/http"
	"sync"
	"time"
)

// rowWait is the maximum delay of a row, to flush several rows together: a flush per row would take
// longer than finding the row.
const rowWait = 20 * time.Millisecond

// lines writes a streamed response. It is safe for concurrent use, because progress and rows come
// from different goroutines.
type lines struct {
	mu    sync.Mutex
	w     http.ResponseWriter
	begun bool
	sent  time.Time   // time of the last flush; initially that of the request
	later *time.Timer // flushes waiting lines; nil: none wait
}

// writeEvent writes a line and flushes it; rows and columns within rowWait.
func (l *lines) writeEvent(event string, more ...pair) error {
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
		l.w.Header().Set("X-Accel-Buffering", "no") // proxies would buffer lines
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

// send flushes the written lines; the caller holds mu.
func (l *lines) send() error {
	l.forget()
	l.sent = time.Now()
	return http.NewResponseController(l.w).Flush()
}

// end cancels a pending flush, because the ResponseWriter is invalid after the handler returns.
func (l *lines) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.forget()
}

// forget cancels a pending flush; the caller holds mu.
func (l *lines) forget() {
	if l.later != nil {
		l.later.Stop()
		l.later = nil
	}
}
