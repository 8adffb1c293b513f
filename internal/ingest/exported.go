package ingest

// Lines that export has written, and what import does with them: each says the
// collection that it comes from.

import (
	"bytes"
	"slices"
	"strings"
)

// exported says whether export has written a line of JSON, apart from line ends: its
// first fields are collection, id and text, in this order, without white space. Other
// programs hardly write that by chance, and a field collection anywhere else is
// metadata.
func exported(line []byte) bool {
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

// afterString returns what follows a JSON string.
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

// takeHome makes of a line that export has written the document that was exported: in
// its collection, and with the names that its metadata had.
func takeHome(doc *Doc) {
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

// HomeName takes away the "meta." that export writes before a field of a name that it writes
// itself, or that was called like that and has a "meta." already.
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
