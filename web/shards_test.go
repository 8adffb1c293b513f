package web_test

// Several databases: statements are answered as by one, and nothing else is.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/web"
)

// openShards makes two databases in a directory.
func openShards(dir string) (*simdb.Shards, error) {
	ctx := context.Background()
	var paths []string
	for i, d := range texts[:2] {
		path := filepath.Join(dir, fmt.Sprint("shard-", i))
		db, err := simdb.Open(path, nil)
		if err != nil {
			return nil, err
		}
		if err := errors.Join(db.Put(ctx, d), db.Close()); err != nil {
			return nil, err
		}
		paths = append(paths, path)
	}
	return simdb.OpenShards(ctx, paths, nil)
}

// Statements over HTTP, to all of several databases.
func ExampleShardsHandler() {
	dir, err := os.MkdirTemp("", "simdb-example-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	shards, err := openShards(dir)
	if err != nil {
		log.Fatal(err)
	}
	defer shards.Close()
	server := httptest.NewServer(web.ShardsHandler(shards, nil))
	defer server.Close()

	res, err := http.Post(server.URL+"/api/v1/query", "application/json",
		strings.NewReader(`{"statement": "SIMILAR TO ? WHERE sim >= 40% RETURNING id, shared, union", "params": ["a"]}`))
	if err != nil {
		log.Fatal(err)
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	if err != nil {
		log.Fatal(err)
	}
	before, _, _ := strings.Cut(string(answer), `,"notes"`)
	fmt.Println(res.Status, before)
	// Output: 200 OK {"columns":["id","shared","union"],"rows":[{"id":"b","shared":11,"union":17}]
}

func TestShardsHandler(t *testing.T) {
	shards, err := openShards(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer shards.Close()
	server := httptest.NewServer(web.ShardsHandler(shards, &web.Options{Writable: true, Token: "secret", MaxRows: 1}))
	defer server.Close()
	s := site{t, nil, server.URL}
	token := []string{"Authorization", "Bearer secret"}
	for _, tt := range []struct {
		method, path, body string
		headers            []string
		status             int
		says               string
	}{
		{"GET", "/healthz", "", nil, 200, `"ok"`},
		{"POST", "/api/v1/query", `{"statement": "SIMILAR TO a"}`, nil, 401, "token"},
		{"POST", "/api/v1/query", `{"statement": "SIMILAR TO a WHERE sim > 0"}`, token, 200, `"store":`},
		{"POST", "/api/v1/query", `{"statement": "SIMILAR TO TEXT ? WHERE sim > 0", "params": ["look at many small pieces"]}`, token, 200, `"more":true`},
		{"POST", "/api/v1/query", `{"statement": "SIMILAR PAIRS"}`, token, 400, "simdb scale run"},
		{"POST", "/api/v1/query", `{"statement": "DELETE FROM docs WHERE id = 'a'"}`, token, 403, "open the one that is to change"},
		{"POST", "/api/v1/query", `{"statement": "SIMILAR TO FILE '/etc/passwd'"}`, token, 400, "FILE"},
		{"GET", "/api/v1/session", "", token, 200, `"writable":false`},
		{"POST", "/api/v1/similar", `{"id": "a"}`, token, 404, "nothing at"},
		{"GET", "/", "", nil, 404, "nothing at"},
		{"GET", "/api/v1/query", "", token, 405, "takes POST"},
	} {
		res, body := s.send(tt.method, tt.path, tt.body, tt.headers...)
		if res.StatusCode != tt.status || !strings.Contains(string(body), tt.says) {
			t.Errorf("%s %s %s: %d %s, want %d with %q", tt.method, tt.path, tt.body, res.StatusCode, body, tt.status, tt.says)
		}
	}
	if err := shards.Close(); err != nil {
		t.Fatal(err)
	}
	if res, body := s.send("GET", "/healthz", ""); res.StatusCode != 503 || !strings.Contains(string(body), "closed") {
		t.Errorf("/healthz of closed databases: %d %s", res.StatusCode, body)
	}
}
