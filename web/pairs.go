package web

// Objects of JSON in the order of their names; encoding/json would sort a map.

import "encoding/json"

type pair struct {
	name  string
	value any
}

type pairs []pair

// MarshalJSON writes the object.
func (p pairs) MarshalJSON() ([]byte, error) { return p.appendTo(nil) }

// appendTo writes it behind other JSON. An object within an object is written in its place:
// encoding/json would read it again at each level, which took most of the time of a row.
func (p pairs) appendTo(b []byte) ([]byte, error) {
	b = append(b, '{')
	for i, one := range p {
		if i > 0 {
			b = append(b, ',')
		}
		name, err := json.Marshal(one.name)
		if err != nil {
			return nil, err
		}
		b = append(append(b, name...), ':')
		if inner, ok := one.value.(pairs); ok {
			if b, err = inner.appendTo(b); err != nil {
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
