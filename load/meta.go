package load

// The metadata of a record that is imported: too much of it is a reject, not the end of
// the import.

import (
	"encoding/json"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
)

// tooMuchMeta returns why the engine would refuse metadata for its size, or nil. To
// encode every record twice would be dear, so only what may be too long is encoded.
func tooMuchMeta(m api.Meta) error {
	if longestJSON(map[string]any(m)) <= engine.MaxMetaBytes {
		return nil
	}
	_, err := engine.EncodeMeta(m)
	return err
}

// longestJSON returns a length that a value of JSON does not exceed.
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
