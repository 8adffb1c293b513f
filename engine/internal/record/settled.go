package record

// Operations that later log records depend on: creations, drops and dictionaries. The history
// stores them apart from its segments, because it deletes its oldest segments.

import "slices"

// isSetting reports whether decoding later records depends on the operation.
func (o *Operation) isSetting() bool {
	return o.Kind == OpCreate || o.Kind == OpDrop || o.Kind == OpDictionary
}

// SettingsOf returns the encoded operations of a log record that later records depend on; nil if
// there are none.
func SettingsOf(payload []byte) ([]byte, error) {
	_, ops, err := DecodeOperations(payload)
	var out []byte
	for i := range ops {
		if ops[i].isSetting() {
			out = ops[i].Encode(out)
		}
	}
	return out, err
}

// DecodeSettings decodes the output of SettingsOf and ShortSettings.
func DecodeSettings(encoded []byte) ([]Operation, error) { return decodeOperations(encoded) }

// ShortSettings concatenates settings and leaves out dropped collections.
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
