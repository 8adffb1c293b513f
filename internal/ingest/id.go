package ingest

// Ids of documents: from the path of a file, the name of an archive entry, or the fields of a
// record.

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Fields of a record that are not metadata.
const (
	idField         = "id"
	textField       = "text"
	collectionField = "collection" // in lines written by export
)

// maxIDBytes is the longest id that a store accepts. Longer ids are rejected here, where their
// place is known.
const maxIDBytes = 4096

// idRule determines the id of a document.
type idRule struct {
	of     string     // path, name or sha256
	field  field      // field of a record that is its id; the name is "" if there is none
	named  bool       // the user chose the field: a record without it is rejected
	text   textFields // fields of a record that are its text
	chosen bool       // the user chose the text fields
	meta   []string   // fields that are metadata; nil means all
	prefix string     // added to every id
	strip  int        // leading path elements to remove, but never the last
}

// CheckFields returns an error for invalid options of ids or fields.
func CheckFields(o Options) error {
	_, err := newIDRule(o)
	return err
}

// newIDRule checks the options of ids and fields.
func newIDRule(o Options) (rule idRule, err error) {
	rule = idRule{of: cmp.Or(o.ID, "path"), named: o.IDField != "", chosen: o.TextField != "", meta: o.Metadata, prefix: o.Prefix, strip: o.Strip}
	if rule.field, err = newField(cmp.Or(o.IDField, idField)); err == nil {
		rule.text, err = newTextFields(cmp.Or(o.TextField, textField))
		rule.text.scalar = o.Scalar
	}
	switch {
	case err != nil:
		return rule, err
	case rule.of == "sha256" && o.IDField != "":
		return rule, fmt.Errorf("the id is the hash of the text, or the field %q, not both", o.IDField)
	case rule.of == "sha256":
		rule.field = field{}
	case rule.of != "path" && rule.of != "name":
		return rule, fmt.Errorf("unknown id %q; use path, name or sha256", o.ID)
	}
	switch {
	case slices.ContainsFunc(rule.text.fields, func(f field) bool { return f.name == rule.field.name }):
		return rule, fmt.Errorf("the field %q cannot be both id and text", rule.field.name)
	case o.Delimiter != 0 && strings.ContainsRune("\"\r\n", rune(o.Delimiter)) || o.Delimiter >= utf8.RuneSelf:
		return rule, fmt.Errorf("the character %q cannot stand between fields; use one such as ; or | or a tab", o.Delimiter)
	}
	if o.Strip < 0 {
		return rule, fmt.Errorf("cannot strip %d directories of a path", o.Strip)
	}
	return rule, nil
}

// keeps reports whether a field of a record becomes metadata.
func (r idRule) keeps(field string) bool { return r.meta == nil || slices.Contains(r.meta, field) }

// ofFile returns the id of a file, given its path below the base of the import (base.go). The
// extensions remain, so that a.txt and a.txt.gz are two documents.
func (r idRule) ofFile(file, text string) string {
	switch r.of {
	case "name":
		return r.prefix + path.Base(file)
	case "sha256":
		return r.prefix + hashID(text)
	}
	// The last element remains, so that no id is empty.
	for range r.strip {
		_, rest, more := strings.Cut(file, "/")
		if !more {
			break
		}
		file = rest
	}
	return r.prefix + file
}

// ofRecord sets the id of a record, given the value of its id field in doc.ID. A record without an
// id gets the id of its file, # and its number.
func (r idRule) ofRecord(u unit, doc *Doc) {
	switch {
	case r.of == "sha256":
		doc.ID = r.prefix + hashID(doc.Text)
	case doc.ID == "":
		doc.ID, doc.numbered = r.ofFile(u.path, "")+"#"+strconv.FormatInt(u.n, 10), true
	default:
		doc.ID = r.prefix + doc.ID
	}
}

// hashID returns the SHA-256 of a text, in hexadecimal.
func hashID(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// entryPath cleans the name of an archive entry: it removes leading slashes, "." and empty
// elements. It returns false for a name with "..", and if nothing remains.
func entryPath(name string) (string, bool) {
	if slices.Contains(strings.Split(name, "/"), "..") {
		return "", false
	}
	inner := strings.TrimLeft(path.Clean("/"+name), "/")
	return inner, inner != ""
}

// entryID returns the path of a file in an archive, below the path of the archive unless the
// archive is the only named input.
func entryID(archive stream, inner string) string {
	if archive.named {
		return inner
	}
	return archive.path + "/" + inner
}

// jsonID returns the id of a JSON object, "" if it has and requires none, or the reason of the
// reject. A number keeps its notation.
func (r idRule) jsonID(fields map[string]any) (id, reason string) {
	if r.field.name == "" {
		return "", ""
	}
	values, ok := r.field.values(fields, false)
	if len(values) > 1 {
		return "", fmt.Sprintf("field %q is %d values, want one", r.field.name, len(values))
	}
	var value any
	if ok && len(values) == 1 {
		value = values[0]
	}
	switch id := value.(type) {
	case string:
		if id == "" {
			reason = emptyID
		}
		return id, reason
	case json.Number:
		return id.String(), ""
	case nil:
		switch {
		case !r.named:
			return "", ""
		case ok:
			return "", fmt.Sprintf("field %q is null", r.field.name)
		}
		return "", missingField(fields, r.field.name, "")
	default:
		return "", fmt.Sprintf("field %q is %s, want a string or a number", r.field.name, jsonType(id))
	}
}

// someNames formats the first names of a header.
func someNames(names []string) string {
	const shown = 10
	if len(names) <= shown {
		return fmt.Sprintf("%.40q", names)
	}
	return fmt.Sprintf("%.40q and %d more", names[:shown], len(names)-shown)
}

const emptyID = "empty id"

// checkID returns the reason to reject an id, or "".
func checkID(id string) string {
	switch {
	case id == "":
		return emptyID
	case len(id) > maxIDBytes:
		return fmt.Sprintf("id of %d bytes is over the limit of %d", len(id), maxIDBytes)
	}
	return ""
}
