package web_test

// Who may ask, and what no one may.

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/simdb/simdb/web"
)

// A name that another site has pointed to this machine is not ours.
func TestHost(t *testing.T) {
	s := open(t, &web.Options{Hosts: []string{"texts.example.org"}})
	_, port, _ := strings.Cut(strings.TrimPrefix(s.url, "http://"), ":")
	for host, status := range map[string]int{
		"127.0.0.1:" + port: 200, "localhost:" + port: 200, "LOCALHOST.": 200, "[::1]:" + port: 200, "127.0.0.1": 200,
		"texts.example.org": 200, "texts.example.org:443": 200,
		"evil.example": 403, "localhost.evil.example": 403, "127.0.0.1.evil.example": 403, "evil.texts.example.org": 403,
		"192.0.2.1": 403, "0.0.0.0": 403, "[::]": 403,
	} {
		for _, path := range []string{"/", "/healthz", "/page.js", "/metrics", "/api/v1/collections", "/api/v1/session"} {
			res, answer := s.send("GET", path, "", "Host", host)
			if res.StatusCode != status {
				t.Errorf("GET %s with Host %s: %s\n%s, want %d", path, host, res.Status, answer, status)
			}
		}
	}
	s.refused("POST", "/api/v1/query", `{"statement":"SHOW STATS"}`, 403, "Host", "evil.example")

	every := open(t, &web.Options{Hosts: []string{"*"}})
	if res, _ := every.send("GET", "/healthz", "", "Host", "any.example"); res.StatusCode != 200 {
		t.Errorf("with *: %s", res.Status)
	}
}

// Another handler is guarded as ours is.
func TestGuard(t *testing.T) {
	inside := 0
	h := web.Guard(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { inside++ }), &web.Options{Token: "secret", Hosts: []string{"texts.example.org"}})
	for _, tt := range []struct {
		host, token, origin string
		status              int
	}{
		{"localhost", "secret", "", 200},
		{"texts.example.org", "secret", "", 200},
		{"localhost", "", "", 401},
		{"localhost", "wrong", "", 401},
		{"evil.example", "secret", "", 403},
		{"localhost", "secret", "https://evil.example", 403},
	} {
		r := httptest.NewRequest("POST", "http://"+tt.host+"/mcp", nil)
		r.Header.Set("Authorization", "Bearer "+tt.token)
		if tt.origin != "" {
			r.Header.Set("Origin", tt.origin)
		}
		w := httptest.NewRecorder()
		before := inside
		h.ServeHTTP(w, r)
		if w.Code != tt.status || (inside > before) != (tt.status == 200) || w.Header().Get("Content-Security-Policy") == "" {
			t.Errorf("%+v: status %d", tt, w.Code)
		}
	}
	w := httptest.NewRecorder()
	web.Guard(http.NotFoundHandler(), nil).ServeHTTP(w, httptest.NewRequest("GET", "http://localhost/", nil))
	if w.Code != 404 {
		t.Errorf("without options: status %d", w.Code)
	}
}

// A page of another site can make a browser send requests, but not ones that are answered.
func TestOtherSites(t *testing.T) {
	s := open(t, &web.Options{Writable: true})
	body := `{"statement":"DROP COLLECTION docs"}`
	for _, headers := range [][]string{
		{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Site", "same-site"}, {"Origin", "https://evil.example"}, {"Origin", "null"},
		{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate"},
	} {
		s.refused("POST", "/api/v1/query", body, 403, headers...)
		s.refused("PUT", "/api/v1/document?id=x", `{"text":"x"}`, 403, headers...)
		s.refused("DELETE", "/api/v1/document?id=a", "", 403, headers...)
		s.refused("POST", "/api/v1/session", `{"token":""}`, 403, headers...)
		s.refused("GET", "/api/v1/collections", "", 403, headers...)
		s.refused("GET", "/metrics", "", 403, headers...)
		if res, _ := s.send("GET", "/", "", headers...); res.StatusCode != 200 {
			t.Errorf("the page, with %v: %s", headers, res.Status)
		}
	}
	for _, site := range []string{"cross-site", "same-site"} {
		for _, mode := range []string{"no-cors", "navigate"} {
			s.refused("GET", "/api/v1/collections", "", 403, "Sec-Fetch-Site", site, "Sec-Fetch-Mode", mode)
		}
	}
	if res, _ := s.send("GET", "/", "", "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate"); res.StatusCode != 200 {
		t.Errorf("a link from another site: %s", res.Status)
	}
	for _, headers := range [][]string{{"Sec-Fetch-Site", "same-origin"}, {"Sec-Fetch-Site", "none"}, {"Origin", s.url}, nil} {
		if res, answer := s.send("POST", "/api/v1/query", `{"statement":"SHOW STATS"}`, headers...); res.StatusCode != 200 {
			t.Errorf("with %v: %s\n%s", headers, res.Status, answer)
		}
		if res, answer := s.send("GET", "/api/v1/collections", "", headers...); res.StatusCode != 200 {
			t.Errorf("reading with %v: %s\n%s", headers, res.Status, answer)
		}
	}
	if n := s.db.Metrics().Documents; n != int64(len(texts)) {
		t.Errorf("%d documents are left, want %d", n, len(texts))
	}
}

// Every answer forbids the page to load, run or send anything else, and no other site may
// show it.
func TestHeaders(t *testing.T) {
	s := open(t, nil)
	for _, path := range []string{"/", "/page.js", "/page.css", "/healthz", "/metrics", "/nosuch", "/api/v1/collections", "/api/v1/document?id=nosuch"} {
		for _, host := range []string{"localhost", "evil.example"} {
			res, _ := s.send("GET", path, "", "Host", host)
			for name, want := range map[string]string{
				"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "X-Frame-Options": "DENY",
				"Cross-Origin-Resource-Policy": "same-origin",
			} {
				if got := res.Header.Get(name); got != want {
					t.Errorf("%s: %s is %q, want %q", path, name, got, want)
				}
			}
			policy := res.Header.Get("Content-Security-Policy")
			for _, want := range []string{"default-src 'none'", "script-src 'self'", "base-uri 'none'", "frame-ancestors 'none'"} {
				if !slices.Contains(strings.Split(policy, "; "), want) {
					t.Errorf("%s: the policy %q has no %q", path, policy, want)
				}
			}
			if strings.Contains(policy, "unsafe") || strings.Contains(policy, "*") {
				t.Errorf("%s: the policy %q allows too much", path, policy)
			}
			if res.Header.Get("Access-Control-Allow-Origin") != "" {
				t.Errorf("%s may be read by other sites", path)
			}
		}
	}
}

// The page asks for no code within HTML, and for nothing from elsewhere.
func TestPageKeepsThePolicy(t *testing.T) {
	s := open(t, nil)
	_, page := s.send("GET", "/", "")
	for _, bad := range []string{`<script>`, `\son[a-z]+\s*=`, `style\s*=`, `<style`, `javascript:`, `(src|href)\s*=\s*["']?(https?:)?//`} {
		if found := regexp.MustCompile(`(?i)` + bad).Find(page); found != nil {
			t.Errorf("the page has %q", found)
		}
	}
	files := regexp.MustCompile(`(?:src|href)="([a-z.]+)"`).FindAllSubmatch(page, -1)
	if len(files) == 0 {
		t.Error("the page names no files")
	}
	for _, f := range files {
		if res, _ := s.send("GET", "/"+string(f[1]), ""); res.StatusCode != 200 {
			t.Errorf("the page names %s: %s", f[1], res.Status)
		}
	}
	res, _ := s.send("GET", "/", "", "If-None-Match", first(s.send("GET", "/", "")).Header.Get("ETag"))
	if res.StatusCode != http.StatusNotModified {
		t.Errorf("the same page again: %s, want 304", res.Status)
	}
}

func first[T, U any](v T, _ U) T { return v }

// Without the token there are no data, whatever is asked for; the page may be seen.
func TestToken(t *testing.T) {
	s := open(t, &web.Options{Token: "a long secret", Writable: true})
	for _, p := range web.Patterns() {
		method, path, _ := strings.Cut(p, " ")
		for _, headers := range [][]string{
			nil, {"Authorization", "Bearer "}, {"Authorization", "Bearer a long secre"}, {"Authorization", "Bearer a long secret1"},
			{"Authorization", "Basic a long secret"}, {"Authorization", "a long secret"}, {"Cookie", "simdb=a long secret"}, {"Cookie", "simdb="},
		} {
			s.refused(method, path, "", 401, headers...)
			res, _ := s.send(method, path, "", headers...)
			if res.Header.Get("WWW-Authenticate") != "Bearer" {
				t.Errorf("%s does not say what is wanted", p)
			}
		}
	}
	for _, path := range []string{"/", "/page.js", "/healthz", "/api/v1/openapi.json", "/api/v1/session"} {
		if res, _ := s.send("GET", path, ""); res.StatusCode != 200 {
			t.Errorf("GET %s without the token: %s", path, res.Status)
		}
	}
	if res, _ := s.send("GET", "/api/v1/collections", "", "Authorization", "bearer a long secret"); res.StatusCode != 200 {
		t.Errorf("with the token: %s", res.Status)
	}
	s.refused("POST", "/api/v1/session", `{"token":"no secret"}`, 401)

	res, answer := s.send("POST", "/api/v1/session", `{"token":"a long secret"}`)
	cookies := res.Cookies()
	if len(cookies) != 1 || !cookies[0].HttpOnly || cookies[0].SameSite != http.SameSiteStrictMode || cookies[0].Path != "/" ||
		strings.Contains(cookies[0].Value, "secret") || strings.Contains(string(answer), "secret") {
		t.Fatalf("signing in: %s, %v\n%s", res.Status, cookies, answer)
	}
	cookie := cookies[0].Name + "=" + cookies[0].Value
	if res, _ := s.send("GET", "/api/v1/collections", "", "Cookie", cookie); res.StatusCode != 200 {
		t.Errorf("with the cookie: %s", res.Status)
	}
	s.refused("GET", "/api/v1/collections", "", 401, "Cookie", cookie, "Authorization", "Bearer wrong")
	other := open(t, &web.Options{Token: "another secret"})
	other.refused("GET", "/api/v1/collections", "", 401, "Cookie", cookie)
	if res, _ := s.send("DELETE", "/api/v1/session", "", "Cookie", cookie); len(res.Cookies()) != 1 || res.Cookies()[0].MaxAge >= 0 {
		t.Errorf("signing out leaves %v", res.Cookies())
	}
}

// A statement reads no file of the machine, wherever a FILE stands in it.
func TestFilesAreRefused(t *testing.T) {
	for _, opts := range []*web.Options{nil, {Writable: true}} {
		s := open(t, opts)
		for _, statement := range []string{
			"SIMILAR TO FILE '/etc/passwd'", "RELATED TO FILE '/etc/passwd'", "similar to file '/etc/passwd'", "SIMILAR TO /* x */ FILE -- y\n'/etc/passwd'", "SIMILAR TO FILE $$/etc/passwd$$",
			"SIMILAR TO FILE ? WHERE sim > 0", "EXPLAIN SIMILAR TO FILE '/etc/passwd'", "EXPLAIN ANALYZE SIMILAR TO FILE '/etc/passwd'",
			"COMPARE 'a' WITH FILE '/etc/passwd'", "COMPARE FILE '/etc/passwd' WITH 'a' SHOW PASSAGES",
			"SELECT id FROM docs WHERE similarity(FILE '/etc/passwd') >= 0", "SELECT id FROM docs WHERE NOT (id = 'a' OR (similarity(FILE '/etc/passwd') > 0.1))",
			"DELETE FROM docs WHERE similarity(FILE '/etc/passwd') >= 0",
			"INSERT INTO docs (id, text) VALUES ('x', FILE '/etc/passwd')",
		} {
			body, _ := json.Marshal(map[string]any{"statement": statement})
			res, answer := s.send("POST", "/api/v1/query", string(body))
			if res.StatusCode < 400 || res.StatusCode > 499 || strings.Contains(string(answer), "root:") {
				t.Errorf("%s: %s\n%s", statement, res.Status, answer)
			}
		}
		if n := s.db.Metrics().Documents; n != int64(len(texts)) {
			t.Errorf("%d documents are left, want %d", n, len(texts))
		}
	}
}

// Nothing is written unless writing is switched on.
func TestWritesAreOff(t *testing.T) {
	s := open(t, nil)
	for _, statement := range []string{
		"INSERT INTO docs (id, text) VALUES ('x', 'y')", "UPDATE docs SET year = 1 WHERE id = 'a'", "DELETE FROM docs WHERE id = 'a'",
		"DELETE DUPLICATES FROM docs WHERE sim >= 0.9", "CREATE COLLECTION x", "DROP COLLECTION docs", "COMPACT", " drop collection docs",
	} {
		body, _ := json.Marshal(map[string]any{"statement": statement})
		s.refused("POST", "/api/v1/query", string(body), 403)
	}
	s.refused("PUT", "/api/v1/document?id=x", `{"text":"y"}`, 403)
	s.refused("DELETE", "/api/v1/document?id=a", "", 403)
	s.refused("POST", "/api/v1/clusters/remove", `{}`, 403)
	if n := s.db.Metrics().Documents; n != int64(len(texts)) {
		t.Errorf("%d documents are left, want %d", n, len(texts))
	}
}

// What is stored comes out as data: the JSON holds nothing that HTML or JavaScript would
// read as code, and decodes to what went in.
func TestMarkupIsData(t *testing.T) {
	s := open(t, nil)
	odd := texts[len(texts)-1]
	id, _ := json.Marshal(odd.ID)
	query := "?id=" + strings.NewReplacer("<", "%3C", ">", "%3E", "&", "%26", `"`, "%22", "'", "%27", "\u2028", "%E2%80%A8", "\x1b", "%1B", "[", "%5B", `\`, "%5C").Replace(odd.ID)
	for _, r := range []asked{
		{"GET", "/api/v1/document", query, "", 200},
		{"GET", "/api/v1/documents", "", "", 200},
		{"POST", "/api/v1/query", "", `{"statement":"SELECT id, text FROM docs"}`, 200},
		{"POST", "/api/v1/query", "", `{"statement":"SELECT nosuch FROM docs WHERE id = '<b>\u2028'"}`, 400},
		{"POST", "/api/v1/similar", "", fmt.Sprintf(`{"id":%s}`, id), 200},
		{"POST", "/api/v1/similar", "", `{"text":"<script>alert(1)</script> & \u2028 and so on for ever","threshold":0.01}`, 200},
		{"POST", "/api/v1/similar", "", `{"id":"<b>no\u2028such"}`, 404},
		{"POST", "/api/v1/compare", "", fmt.Sprintf(`{"a":{"id":%s},"b":{"text":"<i>\u2029"}}`, id), 200},
		{"GET", "/nosuch%3Cb%3E%E2%80%A8", "", "", 404},
	} {
		res, answer := s.send(r.method, r.path+r.query, r.body)
		if kind := res.Header.Get("Content-Type"); res.StatusCode != r.status || kind != "application/json" {
			t.Errorf("%s %s: %s, %s\n%s", r.method, r.path, res.Status, kind, answer)
		}
		if i := strings.IndexAny(string(answer), "<>&\u2028\u2029\x1b"); i >= 0 {
			t.Errorf("%s %s: %q is not escaped:\n%s", r.method, r.path, answer[i:i+1], answer)
		}
	}
	doc := s.get("document" + query)
	if doc["id"] != odd.ID || doc["text"] != strings.ToValidUTF8(odd.Text, "\ufffd") || doc["metadata"].(object)["</script>"] != odd.Meta["</script>"] {
		t.Errorf("the document is %q", doc)
	}
}
