package record

// Metadata as JSON. encoding/json writes it and must read it back unchanged, so EncodeMeta
// refuses values that would change or fail to parse.

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"unicode/utf8"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/fault"
)

// MaxMetaBytes bounds the JSON in bytes. Parsing cannot be interrupted and takes about 50 ms at
// this limit; without a limit, a million fields would take more than a second per row.
const MaxMetaBytes = 1 << 20

// maxMetaDepth is the greatest nesting depth that encoding/json reads, although it writes deeper
// values.
const maxMetaDepth = 10_000

// EncodeMeta returns the JSON of metadata, or nil if it is empty. ErrTooLarge above MaxMetaBytes;
// ErrInvalid if it would not read back unchanged.
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
		return nil, fmt.Errorf("%w: metadata of %d bytes of JSON, the limit is %d; store large values as texts", api.ErrTooLarge, len(out), MaxMetaBytes)
	}
	return out, checkReadsBack(out)
}

// checkReadsBack returns ErrInvalid for JSON that would read back differently. Decoding would
// find out as well, but costs more than the encoding.
func checkReadsBack(b []byte) error {
	if !utf8.Valid(b) { // a type with its own MarshalJSON may write anything
		return errMetaUTF8
	}
	depth, quoted := 0, false
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case c == '\\':
			// encoding/json writes U+FFFD itself as it is, but invalid bytes as this escape.
			if bytes.HasPrefix(b[i:], []byte(`\ufffd`)) {
				return errMetaUTF8
			}
			i++ // skip the escaped byte
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

// DecodeMeta parses stored metadata, with numbers as json.Number. ErrCorrupt if it does not
// parse.
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

// Changed returns meta with the fields of change; nil removes a field. With keepNil, meta is
// itself a change, and the result keeps the nils as removals.
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
