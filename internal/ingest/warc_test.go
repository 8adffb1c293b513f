package ingest

// Web archives: documents from pages, and damage.

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/text/encoding/charmap"
)

// record returns a record of a WARC; headers are lines.
func warcRecord(kind, uri, block string, headers ...string) string {
	h := append([]string{"WARC/1.0", "WARC-Type: " + kind, "WARC-Target-URI: " + uri, "WARC-Record-ID: <urn:r" + fmt.Sprint(len(block)) + ">", "WARC-Date: 2024-03-01T10:00:00Z"}, headers...)
	return strings.Join(h, "\r\n") + fmt.Sprintf("\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n", len(block), block)
}

func httpOf(headers, body string) string { return "HTTP/1.1 200 OK\r\n" + headers + "\r\n\r\n" + body }

// telling is a renderer that returns its arguments.
type telling struct{}

func (telling) Reads(name string, head []byte) bool {
	return filepath.Ext(name) == ".html" || strings.HasPrefix(string(head), "<html")
}

func (telling) Render(_ context.Context, name, charset string, file []byte) (string, map[string]any, error) {
	text := string(file)
	if charset == "windows-1252" {
		text, _ = charmap.Windows1252.NewDecoder().String(text)
	}
	return name + " " + text, map[string]any{"charset": charset, "path": "x"}, nil
}

func TestWARC(t *testing.T) {
	chunked := "3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"
	page := func(uri, text string) string { return warcRecord("conversion", uri, text, "Content-Type: text/plain") }
	noted := func(n, all int, what string) string {
		return fmt.Sprintf("note WARC records that are no pages with text are passed over, %d of %d: %s\n", n, all, what)
	}
	long := page("u:2", "two")
	long = strings.Replace(long, "Content-Length: 3", "Content-Length: 500", 1)
	for name, test := range map[string]struct{ content, want string }{
		"a page of HTML":           {warcRecord("response", "u:1", httpOf("Content-Type: text/html; charset=windows-1252", "caf\xe9")), `u:1="page.html café"` + "\n"},
		"a page of text":           {warcRecord("response", "u:1", httpOf("content-type: TEXT/plain", "x")), `u:1="page.txt x"` + "\n"},
		"the text of a page":       {page("u:1", "one\n"), `u:1="page.txt one\n"` + "\n"},
		"a resource":               {warcRecord("resource", "<file:///a>", "x", "Content-Type: text/html"), `file:///a="page.html x"` + "\n"},
		"chunks":                   {warcRecord("response", "u:1", httpOf("Content-Type: text/html\r\nTransfer-Encoding: chunked", chunked)), `u:1="page.html abcde"` + "\n"},
		"chunks that end early":    {warcRecord("response", "u:1", httpOf("Content-Type: text/html\r\nTransfer-Encoding: chunked", chunked[:12])), `u:1="page.html abcd"` + "\n"},
		"chunks that were undone":  {warcRecord("response", "u:1", httpOf("Content-Type: text/html\r\nTransfer-Encoding: chunked", "whole")), `u:1="page.html whole"` + "\n"},
		"gzip":                     {warcRecord("response", "u:1", httpOf("Content-Type: text/html\r\nContent-Encoding: gzip", gz("x y"))), `u:1="page.html x y"` + "\n"},
		"gzip that was undone":     {warcRecord("response", "u:1", httpOf("Content-Type: text/html\r\nContent-Encoding: gzip", "x y")), `u:1="page.html x y"` + "\n"},
		"another coding":           {warcRecord("response", "u:1", httpOf("Content-Type: text/html\r\nContent-Encoding: br", "x y")), "reject w.warc:1 u:1: Content-Encoding \"br\" is not read\n"},
		"no media type":            {warcRecord("response", "u:1", httpOf("Server: x", "<html>y")), `u:1="page <html>y"` + "\n"},
		"cut off by the crawl":     {warcRecord("response", "u:1", httpOf("Content-Type: text/html", "x"), "WARC-Truncated: length"), `u:1="page.html x" (the crawl has cut the page off: length)` + "\n"},
		"one URL three times":      {page("u:1", "one") + page("u:1", "four") + page("u:1", "five5"), `u:1="page.txt one"` + "\n" + `u:1#urn:r4="page.txt four"` + "\n" + `u:1#urn:r5="page.txt five5"` + "\n"},
		"members of gzip":          {gz(warcRecord("warcinfo", "", "x")) + gz(page("u:1", "one")) + gz(page("u:2", "two")), `u:1="page.txt one"` + "\n" + `u:2="page.txt two"` + "\n" + noted(1, 3, "1 warcinfo")},
		"what is no page":          {warcRecord("warcinfo", "", "x") + warcRecord("request", "u:1", "GET") + warcRecord("request", "u:2", "GET") + warcRecord("response", "u:1", "HTTP/1.1 404 No\r\n\r\nx") + warcRecord("response", "u:1", httpOf("Content-Type: image/png", "x")) + warcRecord("response", "dns:x", "2024"), noted(6, 6, "2 request, 1 image/png, 1 response without HTTP, 1 warcinfo, 1 with HTTP status 404")},
		"rubbish between records":  {page("u:1", "one") + "rubbish\nmore\n" + page("u:2", "two"), `u:1="page.txt one"` + "\n" + `u:2="page.txt two"` + "\nreject w.warc:2 : WARC record at byte 168: it begins with \"rubbish\", not with WARC/1.0; 13 bytes to where the next one begins are not read\n"},
		"a length over the record": {page("u:1", "one") + long + page("u:3", "three") + page("u:4", strings.Repeat("x", 500)), `u:1="page.txt one"` + "\n" + `u:3="page.txt three"` + "\n" + `u:4="page.txt ` + strings.Repeat("x", 500) + "\"\nreject w.warc:2 : WARC record at byte 168: it says that it has 500 bytes, and a record begins within them; 170 bytes to where the next one begins are not read\n"},
		"a length over the file":   {page("u:1", "one") + long, `u:1="page.txt one"` + "\nreject w.warc:2 : WARC record at byte 168: it does not end after the 500 bytes that it says; it and what may follow, 170 bytes to the end, are not read\n"},
		"no length":                {"WARC/1.0\r\nWARC-Type: response\r\n\r\nx\n" + page("u:2", "two"), `u:2="page.txt two"` + "\nreject w.warc:1 : WARC record at byte 0: its Content-Length is \"\"; 35 bytes to where the next one begins are not read\n"},
		"headers without an end":   {"WARC/1.0\r\nWARC-Type: response\r\n" + page("u:2", "two"), `u:2="page.txt two"` + "\nreject w.warc:1 : WARC record at byte 0: another record begins in its headers; 31 bytes to where the next one begins are not read\n"},
		"cut off in headers":       {page("u:1", "one") + "WARC/1.0\r\nWARC-Ty", `u:1="page.txt one"` + "\nreject w.warc:2 : WARC record at byte 168: the file ends within it; it and what may follow, 17 bytes to the end, are not read\n"},
		"a record of 65 MiB":       {"WARC/1.0\r\nWARC-Type: response\r\nContent-Length: 68157440\r\n\r\n" + strings.Repeat("x", 65<<20) + "\r\n\r\n" + page("u:2", "two"), `u:2="page.txt two"` + "\nreject w.warc:1 : document of 68157440 bytes is over the limit of 67108864\n"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "w.warc")
			write(t, path, test.content)
			got := readAll(t, Options{Renderer: telling{}, Metadata: []string{}}, path)
			s := got.summary(filepath.Dir(path))
			for _, b := range got.batches {
				for _, n := range b.Warnings {
					s += "note " + n.Why + "\n"
				}
			}
			if s != test.want {
				t.Errorf("Read =\n%swant\n%s", s, test.want)
			}
		})
	}
}

// A page has the metadata of its record, or the selected fields. Without a renderer only plain text
// is read. An import can resume after any page.
func TestWARCMetadata(t *testing.T) {
	path := filepath.Join(t.TempDir(), "named.bin")
	write(t, path, warcRecord("conversion", "u:1", "one", "Content-Type: text/plain", "WARC-Identified-Content-Language: eng")+warcRecord("response", "u:2", httpOf("Content-Type: text/html", "<p>")))
	got := readAll(t, Options{BatchDocs: 1}, path)
	if len(got.docs) != 1 || fmt.Sprint(got.docs[0].Meta) != "map[date:2024-03-01T10:00:00Z language:eng media_type:text/plain record_id:urn:r3 url:u:1]" {
		t.Errorf("documents %v", got.docs)
	}
	if len(got.rejects) != 1 || got.rejects[0].Reason != "text/html, of which only a reader of documents makes text" {
		t.Errorf("rejects %v", got.rejects)
	}
	o := Options{Renderer: telling{}, Metadata: []string{"url"}, Prefix: "crawl/", BatchDocs: 1}
	for b, err := range Read(t.Context(), []string{path}, o) {
		if err != nil || len(b.Docs) != 1 || b.Docs[0].ID != "crawl/u:1" || fmt.Sprint(b.Docs[0].Meta) != "map[url:u:1]" {
			t.Fatal(b, err)
		}
		o.After = b.End
		break
	}
	if got := readAll(t, o, path).summary(""); got != "crawl/u:2=\"page.html <p>\" {\"url\":\"u:2\"}\n" {
		t.Errorf("resumed behind a page = %s", got)
	}
}
