// Package corpora reads the corpora of experiments: lines of JSON, and folders of texts.
package corpora

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/klauspost/compress/gzip"
)

// Doc is one text of a corpus.
type Doc struct {
	ID   string `json:"id"`
	Text string `json:"text"`

	// Label is what a corpus says of a text, where it says something: texts with
	// equal labels belong together.
	Label Label `json:"label,omitempty"`
}

// A Label is a string, or another JSON value as it is written.
type Label string

// UnmarshalJSON takes any value; null is no label.
func (l *Label) UnmarshalJSON(b []byte) error {
	var s string
	switch {
	case string(b) == "null":
	case json.Unmarshal(b, &s) == nil:
		*l = Label(s)
	default:
		*l = Label(b)
	}
	return nil
}

// ReadJSONL reads the lines {"id": …, "text": …}, and "label" where it is, of a file, plain or .gz; at
// most limit of them, all if limit is 0.
func ReadJSONL(name string, limit int) (docs []Doc, err error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var r io.Reader = bufio.NewReaderSize(f, 1<<20)
	if strings.HasSuffix(name, ".gz") {
		z, err := gzip.NewReader(r)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		defer z.Close()
		r = z
	}
	d := json.NewDecoder(r)
	for limit == 0 || len(docs) < limit {
		var doc Doc
		if err := d.Decode(&doc); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("%s: document %d: %w", name, len(docs)+1, err)
		}
		docs = append(docs, doc)
	}
	return docs, nil
}

// ReadFolder reads the files of a folder that globs match.
func ReadFolder(dir string, globs ...string) (docs []Doc, err error) {
	for _, g := range globs {
		names, err := filepath.Glob(filepath.Join(dir, g))
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			b, err := os.ReadFile(name)
			if err != nil {
				return nil, err
			}
			docs = append(docs, Doc{ID: filepath.Base(name), Text: string(b)})
		}
	}
	if len(docs) == 0 {
		return nil, fmt.Errorf("%s: no documents", dir)
	}
	return docs, nil
}

// Work is the text that a file of roth is of; "" if it is alone.
func Work(id string) string {
	id = strings.ToLower(id)
	for _, w := range [][]string{{"proverbs"}, {"usconst", "constitution"}, {"usdoi", "declaration"}, {"gettysburg"}} {
		if slices.ContainsFunc(w, func(prefix string) bool { return strings.HasPrefix(id, prefix) }) {
			return w[0]
		}
	}
	return ""
}

// Licence is what the names of spdx call a licence, be it -only or -or-later.
func Licence(id string) string {
	for _, suffix := range []string{".txt", "-only", "-or-later", "+"} {
		id = strings.TrimSuffix(id, suffix)
	}
	return id
}
