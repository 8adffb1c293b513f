package web

// Answers line by line, as NDJSON: progress, rows as they are found, and last the rest of the
// answer or an error.

import (
	"net/http"
	"sync"
	"time"
)

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
