package ingest

// How a document gets its id: from the path of a file, the name of an entry of
// an archive, or the fields of a record.

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"
)

// The names of the fields of a record that are no metadata.
const (
	idField         = "id"
	textField       = "text"
	collectionField = "collection" // in lines that export has written
)

// maxIDBytes is the longest id that a store accepts. A longer id is rejected
// here, where its place is known.
const maxIDBytes = 4096

// pathID returns the id of a file: its path as it was named, or its path below
// the named one. The ending of a compression that was removed is left out.
func pathID(path string) string { return trimCompression(path) }

// entryPath cleans the name of an entry of an archive. It removes leading
// slashes, "." and empty elements. It reports false for a name with ".." and
// for one of which nothing is left.
func entryPath(name string) (string, bool) {
	if slices.Contains(strings.Split(name, "/"), "..") {
		return "", false
	}
	inner := strings.TrimLeft(path.Clean("/"+name), "/")
	return inner, inner != ""
}

// entryID returns the id of a file in an archive. If the archive lies in a
// directory, its own path comes first.
func entryID(archive stream, inner string) string {
	if archive.named {
		return inner
	}
	return archive.id + "/" + inner
}

// jsonID returns the id of a JSON object, or the reason why it has none. A
// number is taken as it is written.
func jsonID(fields map[string]any) (id, reason string) {
	switch id := fields[idField].(type) {
	case string:
		return id, ""
	case json.Number:
		return id.String(), ""
	case nil:
		return "", missing(fields, idField)
	default:
		return "", fmt.Sprintf("field %q is %s, want a string or a number", idField, jsonType(id))
	}
}

// header says what the fields of a CSV record are.
type header struct {
	names    []string
	id, text int // places
}

// newHeader finds id and text among the names of a CSV header. They may stand
// anywhere. All other fields are metadata.
func newHeader(names []string) (*header, string) {
	h := &header{names: names, id: slices.Index(names, idField), text: slices.Index(names, textField)}
	if h.id < 0 || h.text < 0 {
		return nil, fmt.Sprintf("CSV header needs the fields id and text, has %s", someNames(names))
	}
	seen := make(map[string]bool, len(names))
	for _, name := range names {
		if seen[name] {
			return nil, fmt.Sprintf("CSV header has field %.200q twice", name)
		}
		seen[name] = true
	}
	return h, ""
}

// someNames writes the first names of a header.
func someNames(names []string) string {
	const shown = 10
	if len(names) <= shown {
		return fmt.Sprintf("%.40q", names)
	}
	return fmt.Sprintf("%.40q and %d more", names[:shown], len(names)-shown)
}

// checkID returns why an id is not accepted, or "" if it is.
func checkID(id string) string {
	switch {
	case id == "":
		return "empty id"
	case len(id) > maxIDBytes:
		return fmt.Sprintf("id of %d bytes is over the limit of %d", len(id), maxIDBytes)
	}
	return ""
}
