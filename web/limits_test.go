package web_test

// How much a request may ask for, and what becomes of one whose caller has gone.

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/internal/torture"
	"github.com/simdb/simdb/web"
)

// A statement that is too large fails; its answer is not only cut after some rows.
func TestTooLargeStatement(t *testing.T) {
	db, err := simdb.Open("", &simdb.Options{InMemory: true, MemoryBytes: 8 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for i := range 600 {
		if err := db.Put(t.Context(), api.Document{ID: fmt.Sprint(i), Text: "all of these documents have one text"}); err != nil {
			t.Fatal(err)
		}
	}
	server := httptest.NewServer(web.Handler(db, nil))
	defer server.Close()
	if says := (site{t, db, server.URL}).refused("POST", "/api/v1/query", `{"statement":"SIMILAR PAIRS NEAREST 600"}`, 413); !strings.Contains(says, "have one sim") {
		t.Errorf("too many rows of one sim: %s", says)
	}
}

// What is asked, and what is answered, has a bound.
func TestLimits(t *testing.T) {
	s := open(t, &web.Options{MaxBody: 1000, MaxRows: 3})
	s.refused("POST", "/api/v1/query", `{"statement":"`+strings.Repeat("x", 1000)+`"}`, 413)
	open(t, nil).refused("POST", "/api/v1/session", `{"token":"`+strings.Repeat("x", 5000)+`"}`, 413)
	for path, body := range map[string]string{
		"documents?limit=1001": "", "documents?limit=-1": "", "documents?limit=x": "", "collections?limit=1001": "",
		"groupings?limit=1001": "", "groups?in=g&limit=1001": "", "groups?in=g&offset=10001": "", "groups?in=g&min_size=-1": "", "group?in=g&of=a&limit=1001": "",
		"similar": `{"id":"a","limit":1001}`, "similar?": `{"id":"a","offset":10001}`, "clusters": `{"limit":-1}`, "similar?x": `{"id":"a","nearest":-1}`,
		"query": `{"statement":"SHOW STATS"} {}`, "query?": "[]", "query?x": "\xff", "query?y": "",
	} {
		method := "POST"
		if body == "" && path != "query?y" {
			method = "GET"
		}
		s.refused(method, "/api/v1/"+path, body, 400)
	}
	answer := s.post("query", `{"statement":"SELECT id FROM docs"}`)
	if rows, notes := answer["rows"].([]any), answer["notes"].([]any); len(rows) != 3 || answer["more"] != true || len(notes) != 1 {
		t.Errorf("more rows than there may be: %v", answer)
	}
	answer = s.post("query", `{"statement":"SELECT id FROM docs LIMIT 3"}`)
	if rows := answer["rows"].([]any); len(rows) != 3 || answer["more"] != false {
		t.Errorf("as many rows as there may be: %v", answer)
	}
	events := s.lines("query", `{"statement":"SELECT id FROM docs"}`)
	if last := events[len(events)-1]["answer"].(object); count(events, "row") != 3 || last["more"] != true {
		t.Errorf("more lines than there may be: %v", events)
	}

	hurried := open(t, &web.Options{MaxTime: time.Nanosecond})
	hurried.refused("POST", "/api/v1/query", `{"statement":"SIMILAR PAIRS USING words WHERE sim > 0"}`, 504)
	hurried.refused("POST", "/api/v1/compare", `{"a":{"id":"a"},"b":{"id":"b"}}`, 504)
	body, w := io.Pipe()
	go io.WriteString(w, `{"statement":`) // and no more
	if res, err := http.Post(hurried.url+"/api/v1/query", "application/json", body); err != nil || res.StatusCode != 504 {
		t.Errorf("a body that does not end: %v, %v, want 504", res, err)
	} else {
		res.Body.Close()
	}
}

// An answer that would be too long ends before, says so, and the next page goes on from there.
func TestFullAnswers(t *testing.T) {
	if torture.Short() {
		t.Skip("makes answers of 64 MiB: SIMDB_TORTURE=ci does")
	}
	s := open(t, nil)
	const n = 90
	for i := range n {
		meta := api.Meta{"long": strings.Repeat("x", 900_000)}
		if err := s.db.Put(t.Context(), api.Document{Collection: "long", ID: fmt.Sprintf("%03d", i), Text: "the same text in all of them", Meta: meta}); err != nil {
			t.Fatal(err)
		}
	}
	seen, next := 0, ""
	for {
		a := s.get("documents?collection=long&limit=1000&after=" + next)
		list := a["documents"].([]any)
		for i, d := range list {
			if d.(object)["id"] != fmt.Sprintf("%03d", seen+i) {
				t.Fatalf("document %d is %v", seen+i, d.(object)["id"])
			}
		}
		if seen += len(list); a["next"] == nil {
			break
		}
		if next = a["next"].(string); len(list) == n || len(list) == 0 {
			t.Fatalf("a page of %d documents", len(list))
		}
	}
	if seen != n {
		t.Errorf("%d documents on all pages, want %d", seen, n)
	}
	a := s.post("similar", `{"id":"000","collections":["long"],"limit":1000}`)
	if got := len(a["matches"].([]any)); got == 0 || got >= n-1 || a["more"] != true || a["total"] != json.Number(fmt.Sprint(n-1)) || len(a["notes"].([]any)) != 1 {
		t.Errorf("%d matches of %v, more: %v, notes %v", got, a["total"], a["more"], a["notes"])
	}
	if rows := count(s.lines("similar", `{"id":"000","collections":["long"],"limit":1000}`), "row"); rows != n-1 {
		t.Errorf("%d streamed matches, want %d", rows, n-1)
	}
	a = s.post("query", `{"statement":"SELECT id, long FROM long"}`)
	if got := len(a["rows"].([]any)); got == 0 || got >= n || a["more"] != true || len(a["notes"].([]any)) != 1 {
		t.Errorf("%d rows, more: %v, notes %v", got, a["more"], a["notes"])
	}
}

// Requests beyond those that are worked on are refused, and told when to come again.
func TestConcurrency(t *testing.T) {
	db, err := simdb.Open("", &simdb.Options{InMemory: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	inside, free := make(chan bool), make(chan bool)
	lend := func() (*simdb.DB, func()) {
		inside <- true
		<-free
		return db, func() {}
	}
	server := httptest.NewServer(web.Handler(nil, &web.Options{MaxConcurrent: 2, Lend: lend}))
	defer server.Close()
	s := site{t, db, server.URL}
	var wait sync.WaitGroup
	for range 2 {
		wait.Go(func() {
			if res, err := http.Get(s.url + "/api/v1/collections"); err != nil || res.StatusCode != 200 {
				t.Errorf("a request that has a place: %v, %v", res, err)
			} else {
				res.Body.Close()
			}
		})
		<-inside
	}
	res, _ := s.send("GET", "/api/v1/collections", "")
	if res.StatusCode != 503 || res.Header.Get("Retry-After") == "" {
		t.Errorf("one more request: %s, retry after %q", res.Status, res.Header.Get("Retry-After"))
	}
	close(free)
	wait.Wait()
}

// Bodies that are slow to come take no place, and all that are held have a bound; the small ones
// of others come through.
func TestSlowBodies(t *testing.T) {
	s := open(t, nil)
	handler := web.Handler(s.db, &web.Options{MaxConcurrent: 2, MaxBody: 200 << 10})
	ask := func(body io.Reader) int {
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequest("POST", "http://localhost/api/v1/query", body))
		return w.Code
	}
	statement := func(size int) string {
		return `{"statement":"SHOW STATS"` + strings.Repeat(" ", size) + "}"
	}
	var wait sync.WaitGroup
	var slow []*io.PipeWriter
	for range 3 {
		body, w := io.Pipe()
		slow = append(slow, w)
		wait.Go(func() {
			defer body.Close()
			if status := ask(body); status != 200 {
				t.Errorf("a body that came in the end: %d", status)
			}
		})
		io.WriteString(w, statement(190 << 10)[:130<<10]) // returns when all of it was read
	}
	for size, want := range map[int]int{0: 200, 50 << 10: 200, 190 << 10: 503} {
		if status := ask(strings.NewReader(statement(size))); status != want {
			t.Errorf("a body of %d bytes beside three slow ones: %d, want %d", size, status, want)
		}
	}
	for _, w := range slow {
		io.WriteString(w, statement(190 << 10)[130<<10:])
		w.Close()
	}
	wait.Wait()
	if status := ask(strings.NewReader(statement(190 << 10))); status != 200 {
		t.Errorf("a large body afterwards: %d", status)
	}
}

// When the caller goes, the work ends: the database is given back.
func TestGone(t *testing.T) {
	db, err := simdb.Open("", &simdb.Options{InMemory: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var docs []api.Document
	for i := range 2000 {
		var b strings.Builder
		for j := range 300 {
			fmt.Fprintf(&b, "w%d ", i*j%7919)
		}
		docs = append(docs, api.Document{ID: fmt.Sprint(i), Text: b.String()})
	}
	if err := db.Put(t.Context(), docs...); err != nil {
		t.Fatal(err)
	}
	done := make(chan bool, 1)
	handler := web.Handler(db, nil)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		handler.ServeHTTP(w, r)
		done <- true
	}))
	defer server.Close()
	for _, asked := range [][2]string{
		{"query", `{"statement":"EXPLAIN ANALYZE SIMILAR PAIRS WHERE sim >= 0.01"}`},
		{"clusters", `{"threshold":0.1}`},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		r, _ := http.NewRequestWithContext(ctx, "POST", server.URL+"/api/v1/"+asked[0], strings.NewReader(asked[1]))
		r.Header.Set("Accept", "application/x-ndjson")
		res, err := http.DefaultClient.Do(r) // returns with the first line, which tells of progress
		if err != nil {
			t.Fatal(err)
		}
		cancel()
		<-done
		res.Body.Close()
		s := site{t, db, server.URL}
		_, figures := s.send("GET", "/metrics", "")
		<-done
		if want := fmt.Sprintf(`simdb_requests_total{path="POST /api/v1/%s",status="499"} 1`, asked[0]); !strings.Contains(string(figures), want) {
			t.Errorf("the figures have no %s:\n%s", want, figures)
		}
	}
}

// count is how many events there are of a kind.
func count(events []map[string]any, kind string) (n int) {
	for _, e := range events {
		if e["event"] == kind {
			n++
		}
	}
	return n
}

// A body that never ends holds no request up for ever, nor does a caller who does not read.
func TestDeadlinesAreSet(t *testing.T) {
	w := &deadlines{ResponseRecorder: httptest.NewRecorder()}
	db, err := simdb.Open("", &simdb.Options{InMemory: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	r := httptest.NewRequest("POST", "http://localhost/api/v1/query", io.NopCloser(strings.NewReader(`{"statement":"SHOW STATS"}`)))
	web.Handler(db, nil).ServeHTTP(w, r)
	if w.Code != 200 || w.read.IsZero() || w.wrote.IsZero() {
		t.Errorf("status %d, read until %v, written until %v", w.Code, w.read, w.wrote)
	}
}

type deadlines struct {
	*httptest.ResponseRecorder
	read, wrote time.Time
}

func (d *deadlines) SetReadDeadline(at time.Time) error { d.read = at; return nil }
func (d *deadlines) SetWriteDeadline(at time.Time) error {
	if !at.IsZero() {
		d.wrote = at
	}
	return nil
}
