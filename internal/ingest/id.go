package ingest

// How a document gets its id: from the path of a file, the name of an entry of
// an archive, or the fields of a record.

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"
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

// idRule says what becomes the id of a document.
type idRule struct {
	of     string   // path, name or sha256
	field  string   // of a record that is its id; "" if no field is
	text   string   // and the one that is its text
	meta   []string // fields that are metadata; nil means all
	prefix string   // of every id
	strip  int      // elements of a path that are left out, but never the last one
}

// CheckFields refuses options that say nothing of ids, or of the fields of records.
func CheckFields(o Options) error {
	_, err := newIDRule(o)
	return err
}

func newIDRule(o Options) (idRule, error) {
	rule := idRule{of: cmp.Or(o.ID, "path"), field: cmp.Or(o.IDField, idField), text: cmp.Or(o.TextField, textField), meta: o.Metadata, prefix: o.Prefix, strip: o.Strip}
	switch {
	case rule.of == "sha256" && o.IDField != "":
		return rule, fmt.Errorf("the id is the hash of the text, or the field %q, not both", o.IDField)
	case rule.of == "sha256":
		rule.field = ""
	case rule.of != "path" && rule.of != "name":
		return rule, fmt.Errorf("unknown id %q; use path, name or sha256", o.ID)
	}
	switch {
	case rule.field == rule.text:
		return rule, fmt.Errorf("the field %q cannot be both id and text", rule.text)
	case o.Delimiter != 0 && strings.ContainsRune("\"\r\n", rune(o.Delimiter)) || o.Delimiter >= utf8.RuneSelf:
		return rule, fmt.Errorf("the character %q cannot stand between fields; use one such as ; or | or a tab", o.Delimiter)
	}
	if o.Strip < 0 {
		return rule, fmt.Errorf("cannot strip %d directories of a path", o.Strip)
	}
	return rule, nil
}

// keeps reports whether a field of a record is metadata.
func (r idRule) keeps(field string) bool { return r.meta == nil || slices.Contains(r.meta, field) }

// ofFile returns the id of a file, of which file is the path below the base of the
// import (paths.go). It has the endings that the file has, so that a.txt and a.txt.gz
// are two documents.
func (r idRule) ofFile(file, text string) string {
	switch r.of {
	case "name":
		return r.prefix + path.Base(file)
	case "sha256":
		return r.prefix + hashID(text)
	}
	for range r.strip {
		_, rest, more := strings.Cut(file, "/")
		if !more {
			break
		}
		file = rest
	}
	return r.prefix + file
}

// ofRecord returns the id of a record, of which id is what its field says.
func (r idRule) ofRecord(id, text string) string {
	switch {
	case r.of == "sha256":
		return r.prefix + hashID(text)
	case id == "":
		return "" // rejected, whatever the prefix
	}
	return r.prefix + id
}

func hashID(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

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

// entryID returns the path of a file in an archive. If the archive is not the only thing
// that was named, its own path comes first.
func entryID(archive stream, inner string) string {
	if archive.named {
		return inner
	}
	return archive.path + "/" + inner
}

// jsonID returns the id of a JSON object, or the reason why it has none. A
// number is taken as it is written.
func jsonID(fields map[string]any, idField string) (id, reason string) {
	if idField == "" {
		return "", ""
	}
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
	id, text int  // places; id is -1 if no field is the id
	between  byte // two fields
	ids      idRule
}

// newHeader finds id and text among the names of a CSV header. They may stand
// anywhere. All other fields are metadata.
func newHeader(names []string, ids idRule) (*header, string) {
	h := &header{names: names, ids: ids, id: slices.Index(names, ids.field), text: slices.Index(names, ids.text)}
	hint := fieldHint
	switch {
	case ids.field == "" && h.text < 0:
		return nil, fmt.Sprintf("CSV header needs the field %.40s, has %s%s", ids.text, someNames(names), hint)
	case ids.field == "":
		h.id = -1
	case h.id < 0 || h.text < 0:
		return nil, fmt.Sprintf("CSV header needs the fields %.40s and %.40s, has %s%s", ids.field, ids.text, someNames(names), hint)
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

// fieldHint says how to name fields.
const fieldHint = "; --id-field, --text-field and --delimiter name others"

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
