package ingest

// Compressed files, texts in any encoding, and positions, from arbitrary bytes.

import (
	"bytes"
	"compress/gzip"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/klauspost/compress/zstd"

	"github.com/simdb/simdb/internal/guard"
)

func FuzzGzip(f *testing.F) {
	f.Add([]byte(gz("{\"id\":\"a\",\"text\":\"x\"}\n")))
	f.Add([]byte(gz(strings.Repeat("{\"id\":\"a\",\"text\":\"x\"}\n", 100)))[:40])
	f.Add([]byte(gz("a") + gz("b")))
	var headed bytes.Buffer
	z := gzip.NewWriter(&headed)
	z.Name, z.Extra = "../../a", []byte{1, 2}
	z.Close()
	f.Add(headed.Bytes())
	fuzzArchive(f, "jsonl.gz")
}

func FuzzZstd(f *testing.F) {
	w, err := zstd.NewWriter(nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(w.EncodeAll([]byte("{\"id\":\"a\",\"text\":\"x\"}\n"), nil))
	f.Add([]byte{0x28, 0xb5, 0x2f, 0xfd, 0xa0, 0xff, 0xff, 0xff, 0x3f, 0x01, 0, 0}) // declares 1 GiB
	fuzzArchive(f, "jsonl.zst")
}

func FuzzWARC(f *testing.F) {
	f.Add([]byte(warcRecord("response", "u:1", httpOf("Content-Type: text/html\r\nTransfer-Encoding: chunked\r\nContent-Encoding: gzip", "3\r\nabc\r\n0\r\n\r\n"))))
	f.Add([]byte(strings.Replace(warcRecord("conversion", "u:1", "one", "Content-Type: text/plain"), ": 3", ": 300", 1) + warcRecord("warcinfo", "", "x")))
	f.Add([]byte("WARC/1.0\nWARC-Type: resource\n folded\n:\nContent-Length: 0\n\n\n\nrubbish"))
	fuzzArchive(f, "warc")
}

// A file becomes a text or a reject, in memory bounded by its length.
func FuzzText(f *testing.F) {
	f.Add([]byte("\xef\xbb\xbfsome text\xff"), false)
	f.Add([]byte("\xff\xfea\x00\x3d\xd8\x00\xde"), false)
	f.Add([]byte("\xfe\xff\x00a\xd8"), true)
	f.Add([]byte("PK\x03\x04mimetype"), true)
	f.Fuzz(func(t *testing.T, raw []byte, binary bool) {
		var doc Doc
		var reason string
		if n := guard.Allocates(func() { doc, reason = textDocument(raw, binary) }); n > 20*uint64(len(raw))+1<<16 {
			t.Fatalf("%d bytes allocate %d", len(raw), n)
		}
		if reason == "" && utf8.Valid(raw) && !utf8.ValidString(doc.Text) {
			t.Fatalf("%q is read as %q", raw, doc.Text)
		}
		if reason != "" && binary {
			t.Fatalf("%q is rejected in spite of --binary: %s", raw, reason)
		}
	})
}

// A position decodes for its run; any other string is an error.
func FuzzPosition(f *testing.F) {
	f.Add("0000000000000007:1:2:3:0000000000000004:a%2Fb", uint64(7), 1, int64(2), int64(3), uint64(4), "a/b:\n\xff")
	f.Add(":::::", uint64(0), 0, int64(0), int64(0), uint64(0), "")
	f.Fuzz(func(t *testing.T, s string, run uint64, path int, entry, record int64, sum uint64, file string) {
		if c, err := Position(s).parse(run); err == nil && s != "" {
			if back, err := c.position(run).parse(run); err != nil || back != c {
				t.Fatalf("%q is %+v, which comes back as %+v, %v", s, c, back, err)
			}
		}
		c := cursor{path: path, file: file, entry: entry, record: record, sum: sum}
		if back, err := c.position(run).parse(run); err != nil || back != c {
			t.Fatalf("%+v comes back as %+v, %v", c, back, err)
		}
		if _, err := c.position(run).parse(run + 1); err == nil {
			t.Fatal("a position of another run is taken")
		}
	})
}
