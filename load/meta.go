package load

// A record with too much metadata is a reject, not the end of the import.

import (
	"encoding/json"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
)

// tooMuchMeta returns the error of the engine for metadata over its size limit, or nil. Encoding
// every record twice would be expensive, so tooMuchMeta encodes only metadata that may exceed the
// limit.
func tooMuchMeta(m api.Meta) error {
	if longestJSON(map[string]any(m)) <= engine.MaxMetaBytes {
		return nil
	}
	_, err := engine.EncodeMeta(m)
	return err
}

// longestJSON returns an upper bound for the encoded length of a JSON value, in bytes.
func longestJSON(v any) int {
	const escaped = 6 // bytes that one byte may become: \u0001
	n := len("false,")
	switch v := v.(type) {
	case string:
		n += escaped * len(v)
	case json.Number:
		n += len(v)
	case []any:
		for _, item := range v {
			n += longestJSON(item)
		}
	case map[string]any:
		for name, item := range v {
			n += escaped*len(name) + len(`"":`) + longestJSON(item)
		}
	}
	return n
}
