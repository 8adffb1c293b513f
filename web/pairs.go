package web

// JSON objects with ordered fields; encoding/json would sort the keys of a map.

import (
	"encoding/json"
	"math"
)

type pair struct {
	name  string
	value any
}

// pairs is a JSON object with its fields in order.
type pairs []pair

// MarshalJSON encodes the object.
func (p pairs) MarshalJSON() ([]byte, error) { return p.appendTo(nil, math.MaxInt) }

// appendTo appends the object to b, or returns errFull once it has more than most bytes. It encodes
// nested pairs in place: encoding/json would scan them again at each level, which took most of the
// time of a row.
func (p pairs) appendTo(b []byte, most int) ([]byte, error) {
	start := len(b)
	b = append(b, '{')
	for i, one := range p {
		if len(b)-start > most {
			return nil, errFull
		}
		if i > 0 {
			b = append(b, ',')
		}
		name, err := json.Marshal(one.name)
		if err != nil {
			return nil, err
		}
		b = append(append(b, name...), ':')
		if inner, ok := one.value.(pairs); ok {
			if b, err = inner.appendTo(b, most); err != nil {
				return nil, err
			}
			continue
		}
		value, err := json.Marshal(one.value)
		if err != nil {
			return nil, err
		}
		b = append(b, value...)
	}
	return append(b, '}'), nil
}
