package web

// The page: a few files embedded in the binary. They contain no data, so they require no token;
// the script requests one when necessary.

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"
	"time"
)

//go:embed page
var pageFiles embed.FS

//go:embed openapi.json
var description []byte

// files registers index.html as / and every other file of the page under its name.
func (s *server) files(mux *http.ServeMux) {
	list, err := fs.ReadDir(pageFiles, "page")
	if err != nil {
		panic(err) // impossible: the directory is embedded
	}
	for _, f := range list {
		content, err := pageFiles.ReadFile("page/" + f.Name())
		if err != nil {
			panic(err)
		}
		pattern := "GET /" + f.Name()
		if f.Name() == "index.html" {
			pattern = "GET /{$}"
		}
		mux.Handle(pattern, file(f.Name(), content))
	}
}

// file serves one file, with gzip if the browser accepts it. Browsers revalidate it each time,
// because a newer version of the command may use the same address.
func file(name string, content []byte) http.Handler {
	sum := sha256.Sum256(content)
	tag := hex.EncodeToString(sum[:8])
	kind := mime.TypeByExtension(path.Ext(name))
	packed := gzipped(content)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if kind != "" {
			w.Header().Set("Content-Type", kind)
		}
		w.Header().Set("Cache-Control", "no-cache")
		w.Header().Set("Vary", "Accept-Encoding")
		if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
			w.Header().Set("Content-Encoding", "gzip")
			w.Header().Set("ETag", `"`+tag+`-gzip"`)
			http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(packed))
			return
		}
		w.Header().Set("ETag", `"`+tag+`"`)
		http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(content))
	})
}

// gzipped compresses a file.
func gzipped(content []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write(content) // never fails on a buffer
	w.Close()
	return b.Bytes()
}

// describe serves openapi.json.
func describe(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	w.Write(description)
}
