package web

// The page: a few files that lie in the binary. They hold no data, so they are given
// without a token; the script asks for one where it must.

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

// files serves index.html as / and every other file of the page by its name.
func (s *server) files(mux *http.ServeMux) {
	list, err := fs.ReadDir(pageFiles, "page")
	if err != nil {
		panic(err) // the folder is in the binary
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

// file serves one file, compressed if the browser takes that. Browsers ask each time whether it has
// changed: a newer command may listen at the same address.
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

func gzipped(content []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write(content) // a buffer takes all
	w.Close()
	return b.Bytes()
}

// describe answers GET /api/v1/openapi.json.
func describe(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	w.Write(description)
}
