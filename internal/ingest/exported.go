package ingest

// Lines written by export. Import can return each to its collection.

import (
	"bytes"
	"slices"
	"strings"
)

// isExported reports whether export wrote a line of JSON, not counting line ends: its first fields
// are collection, id and text, in this order, without white space. Other programs rarely produce
// that by chance, and a field collection anywhere else is metadata.
func isExported(line []byte) bool {
	for _, name := range []string{`{"collection":`, `,"id":`, `,"text":`} {
		rest, ok := bytes.CutPrefix(line, []byte(name))
		if !ok {
			return false
		}
		if line, ok = afterString(rest); !ok {
			return false
		}
	}
	return true
}

// afterString returns the bytes after a JSON string.
func afterString(b []byte) (rest []byte, ok bool) {
	if len(b) == 0 || b[0] != '"' {
		return nil, false
	}
	for i := 1; i < len(b); i++ {
		switch b[i] {
		case '\\':
			i++
		case '"':
			return b[i+1:], true
		}
	}
	return nil, false
}

// restoreExported restores the exported document from a line of export: its collection, and the original
// names of its metadata.
func restoreExported(doc *Doc) {
	doc.Collection, _ = doc.Meta[collectionField].(string)
	var meta map[string]any
	for name, value := range doc.Meta {
		if name != collectionField {
			if meta == nil {
				meta = make(map[string]any)
			}
			meta[HomeName(name, collectionField, idField, textField)] = value
		}
	}
	doc.Meta = meta
}

// HomeName returns the original name of an exported field. Export adds the prefix "meta." to a
// metadata field whose name, without any such prefixes, is one of its own fields; HomeName removes
// it.
func HomeName(name string, own ...string) string {
	home, renamed := strings.CutPrefix(name, "meta.")
	bare := home
	for strings.HasPrefix(bare, "meta.") {
		bare = strings.TrimPrefix(bare, "meta.")
	}
	if renamed && slices.Contains(own, bare) {
		return home
	}
	return name
}
