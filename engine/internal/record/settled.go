package record

// What of a log record later ones cannot be read without: which collections there are,
// and their dictionaries. History keeps it apart from its segments, of which the oldest go.

import "slices"

// settles tells whether later records are read by what the operation did.
func (o *Operation) settles() bool {
	return o.Kind == OpCreate || o.Kind == OpDrop || o.Kind == OpDictionary
}

// SettingsOf returns the operations of a log record that later ones need, encoded; nil if
// there is none.
func SettingsOf(payload []byte) ([]byte, error) {
	_, ops, err := DecodeOperations(payload)
	var out []byte
	for i := range ops {
		if ops[i].settles() {
			out = ops[i].Encode(out)
		}
	}
	return out, err
}

// DecodeSettings reads what SettingsOf and ShortSettings have encoded.
func DecodeSettings(encoded []byte) ([]Operation, error) { return decodeOperations(encoded) }

// ShortSettings makes one of several settings, without collections that were dropped.
func ShortSettings(settings [][]byte) ([]byte, error) {
	var left []Operation
	for _, s := range settings {
		ops, err := decodeOperations(s)
		if err != nil {
			return nil, err
		}
		for _, o := range ops {
			if o.Kind == OpDrop {
				left = slices.DeleteFunc(left, func(old Operation) bool { return old.Number == o.Number })
			} else {
				left = append(left, o)
			}
		}
	}
	out := []byte{}
	for i := range left {
		out = left[i].Encode(out)
	}
	return out, nil
}
