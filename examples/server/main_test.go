package main

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/simdb/simdb"
)

const text = "Similar texts share most of their shingles, and exact answers count them."

func TestHandler(t *testing.T) {
	db, err := simdb.Open(filepath.Join(t.TempDir(), "texts.simdb"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	srv := httptest.NewServer(newHandler(db))
	defer srv.Close()
	for _, tt := range []struct {
		method, path, body string
		status             int
		want               string
	}{
		{"PUT", "/texts/a", text, 204, ""},
		{"PUT", "/texts/b", text + " All of them.", 204, ""},
		{"PUT", "/texts/c", "Something else.", 204, ""},
		{"GET", "/texts/a/similar?min=50%25", "", 200, `[{"id":"b","sim":0.7692307692307693,"shared":10,"union":13}]`},
		{"GET", "/texts/a/similar", "", 200, `[]`},
		{"POST", "/similar", text, 200, `[{"id":"a","sim":1,"shared":10,"union":10}]`},
		{"GET", "/texts/z/similar", "", 404, "404 Not Found"},
		{"GET", "/texts/a/similar?min=high", "", 400, ""},
		{"POST", "/similar", strings.Repeat("x", maxBody+1), 413, "413 Request Entity Too Large"},
		{"PUT", "/texts/d", strings.Repeat("x", maxBody+1), 413, ""},
		{"PUT", "/texts/" + strings.Repeat("d", 5000), text, 413, ""},
		{"DELETE", "/texts/a", "", 405, ""},
		{"GET", "/", "", 404, ""},
	} {
		status, got := ask(t, tt.method, srv.URL+tt.path, tt.body, "")
		if status != tt.status || tt.want != "" && strings.TrimSpace(got) != tt.want {
			t.Errorf("%s %.40s: %d %s, want %d %s", tt.method, tt.path, status, got, tt.status, tt.want)
		}
	}
	if status, _ := ask(t, "POST", srv.URL+"/similar", text, "https://example.org"); status != http.StatusForbidden {
		t.Errorf("a request of another site: %d, want %d", status, http.StatusForbidden)
	}
}

func ask(t *testing.T, method, url, body, origin string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if origin != "" {
		r.Header.Set("Origin", origin)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	got, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(got)
}

// When it is told to end, the server finishes the request under way, and closes the
// store, so that what was put is there the next time.
func TestShutdown(t *testing.T) {
	store := filepath.Join(t.TempDir(), "texts.simdb")
	url, end := serve(t, store)
	body, write := io.Pipe()
	r, err := http.NewRequestWithContext(t.Context(), "PUT", url+"/texts/a", body)
	if err != nil {
		t.Fatal(err)
	}
	// So the body is not sent before the server reads it.
	r.Header.Set("Expect", "100-continue")
	client := &http.Client{Transport: &http.Transport{ExpectContinueTimeout: time.Hour}}
	defer client.CloseIdleConnections()
	status := make(chan int, 1)
	go func() {
		answer, err := client.Do(r)
		if err != nil {
			t.Error(err)
			status <- 0
			return
		}
		answer.Body.Close()
		status <- answer.StatusCode
	}()
	io.WriteString(write, text[:20]) // returns when the request is under way
	ended := make(chan error, 1)
	go func() { ended <- end() }()
	io.WriteString(write, text[20:])
	write.Close()
	if got := <-status; got != http.StatusNoContent {
		t.Errorf("the request under way ends with %d, want %d", got, http.StatusNoContent)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	url, end = serve(t, store)
	if status, got := ask(t, "POST", url+"/similar", text, ""); status != 200 || !strings.Contains(got, `"id":"a"`) {
		t.Errorf("after the restart: %d %s", status, got)
	}
	if err := end(); err != nil {
		t.Error(err)
	}
}

// serve runs the server until end is called, which returns how it ended.
func serve(t *testing.T, store string) (url string, end func() error) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	out, in := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		err := run(ctx, []string{"-addr", "127.0.0.1:0", store}, in)
		in.CloseWithError(err)
		ended <- err
	}()
	line := make([]byte, 100)
	n, err := out.Read(line)
	if err != nil {
		t.Fatal(err)
	}
	_, url, _ = strings.Cut(strings.TrimSpace(string(line[:n])), " on ")
	return url, func() error { cancel(); return <-ended }
}
