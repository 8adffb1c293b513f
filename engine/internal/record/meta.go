package record

// Metadata as JSON. It is written by encoding/json and has to be read by it again, so
// what would be read differently, or not at all, is refused before it is stored.

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"unicode/utf8"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/fault"
)

// MaxMetaBytes bounds the JSON. Reading it cannot be interrupted, and takes some 50 ms at
// this limit; a million fields would take more than a second for each row.
const MaxMetaBytes = 1 << 20

// maxMetaDepth is how deep encoding/json reads. It writes deeper ones too.
const maxMetaDepth = 10_000

func EncodeMeta(m api.Meta) ([]byte, error) {
	if len(m) == 0 {
		return nil, nil
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(map[string]any(m)); err != nil {
		return nil, fault.Invalid("metadata: %w", err)
	}
	out := bytes.TrimSuffix(b.Bytes(), []byte("\n"))
	if len(out) > MaxMetaBytes {
		return nil, fmt.Errorf("%w: metadata of %d bytes of JSON, the limit is %d; store what is large as a text", api.ErrTooLarge, len(out), MaxMetaBytes)
	}
	return out, comesBack(out)
}

// comesBack refuses metadata that would not be read as it was given. Decoding it would
// tell too, and cost more than encoding did.
func comesBack(b []byte) error {
	if !utf8.Valid(b) { // of a type that writes its own JSON
		return errMetaUTF8
	}
	depth, quoted := 0, false
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case c == '\\':
			// U+FFFD itself is written as it is, invalid bytes are written so.
			if bytes.HasPrefix(b[i:], []byte(`\ufffd`)) {
				return errMetaUTF8
			}
			i++ // what is escaped
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			if depth++; depth > maxMetaDepth {
				return fault.Invalid("metadata: objects and arrays nest more than %d deep", maxMetaDepth)
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return nil
}

var errMetaUTF8 = fault.Invalid("metadata: a string or a field name is not valid UTF-8")

func DecodeMeta(b []byte) (api.Meta, error) {
	if len(b) == 0 {
		return nil, nil
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	var m api.Meta
	if err := d.Decode(&m); err != nil {
		return nil, fault.Corrupt("metadata: %w", err)
	}
	return m, nil
}

// Changed is metadata after a change of some fields. If keepNil is set it is a change
// itself, in which nil stands for a field that goes.
func Changed(meta, change api.Meta, keepNil bool) api.Meta {
	out := make(api.Meta, len(meta)+len(change))
	maps.Copy(out, meta)
	for name, v := range change {
		if v == nil && !keepNil {
			delete(out, name)
		} else {
			out[name] = v
		}
	}
	return out
}
