package agent

// Agents over HTTP: the limit of requests, and disconnects.

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/internal/guard"
)

const statement = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"query","arguments":{"statement":"SHOW COLLECTIONS"}}}`

// post sends a message over HTTP to a server with the database of lend.
func post(ctx context.Context, h http.Handler, message string) *httptest.ResponseRecorder {
	r := httptest.NewRequestWithContext(ctx, "POST", "http://localhost/mcp", strings.NewReader(message))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func overHTTP(t *testing.T, lend func(*simdb.DB) (*simdb.DB, func())) http.Handler {
	t.Helper()
	db, err := simdb.Open("", &simdb.Options{InMemory: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	s := serving{maxBytes: 64 << 10}
	s.Web.MaxRows, s.Web.MaxTime = 100, time.Hour
	s.Web.Lend = func() (*simdb.DB, func()) { return lend(db) }
	return s.overHTTP(s.server())
}

// Requests beyond the limit are rejected before they are read.
func TestBusy(t *testing.T) {
	inside, free := make(chan bool), make(chan bool)
	h := overHTTP(t, func(db *simdb.DB) (*simdb.DB, func()) {
		inside <- true
		<-free
		return db, func() {}
	})
	var wait sync.WaitGroup
	codes := make(chan int, maxRequests+1)
	for range maxRequests + 1 {
		wait.Go(func() { codes <- post(t.Context(), h, statement).Code })
	}
	for range maxConcurrent {
		<-inside
	}
	if code := <-codes; code != http.StatusServiceUnavailable {
		t.Errorf("one more request than are held: %d", code)
	}
	go func() {
		for range maxRequests - maxConcurrent {
			<-inside
		}
	}()
	close(free)
	wait.Wait()
	for range maxRequests {
		if code := <-codes; code != http.StatusOK {
			t.Errorf("a request that is held: %d", code)
		}
	}
}

// A message is refused before it is decoded if it is a batch, or has too many values in any part.
func TestRefusedMessages(t *testing.T) {
	h := overHTTP(t, func(db *simdb.DB) (*simdb.DB, func()) { return db, func() {} })
	for message, says := range map[string]string{
		" \n[" + strings.Repeat(statement+",", 1000) + statement + "]":                                                            "one message in each request",
		strings.Replace(statement, `{"name"`, `{"_meta":{"a":[1`+strings.Repeat(",1", 1_000_000)+`]},"name"`, 1):                  "more than 100000 values",
		strings.Replace(statement, `{"name"`, `{"_meta":{"a":"`+strings.Repeat(`,`, 1_000_000)+`"},"name"`, 1):                    "",
		strings.Replace(statement, `"SHOW COLLECTIONS"`, `"SHOW COLLECTIONS","params":[`+strings.Repeat("1,", 1_000_000)+`1]`, 1): "more than 100000 values",
	} {
		var got *httptest.ResponseRecorder
		n := guard.Allocates(func() { got = post(t.Context(), h, message) })
		switch {
		case says == "" && got.Code == http.StatusOK:
		case says == "" || got.Code != http.StatusBadRequest || !strings.Contains(got.Body.String(), says) || n > 4<<20:
			t.Errorf("%.100s: status %d, %.200s after %d bytes, want %q", message, got.Code, got.Body, n, says)
		}
	}
}

// When the caller goes the work ends.
func TestGone(t *testing.T) {
	s := serving{maxBytes: 64 << 10}
	s.Web.MaxRows, s.Web.MaxTime = 100, time.Hour
	s.Web.Lend = func() (*simdb.DB, func()) { return nil, func() {} }
	m, working, ended := waiting(&s)
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-working; cancel() }()
	post(ctx, s.overHTTP(m), `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait"}}`)
	<-ended
}

// A fault of ours ends the call, and not the server.
func TestFault(t *testing.T) {
	first := true
	h := overHTTP(t, func(db *simdb.DB) (*simdb.DB, func()) {
		if first {
			first = false
			return nil, func() {}
		}
		return db, func() {}
	})
	if got := post(t.Context(), h, statement).Body.String(); !strings.Contains(got, "a bug of simdb") {
		t.Errorf("a fault: %s", got)
	}
	if got := post(t.Context(), h, statement).Body.String(); !strings.Contains(got, `"columns"`) {
		t.Errorf("after a fault: %s", got)
	}
}
