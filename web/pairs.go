package web

// Objects of JSON in the order of their names; encoding/json would sort a map.

import "encoding/json"

type pair struct {
	name  string
	value any
}

type pairs []pair

// MarshalJSON writes the object.
func (p pairs) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	for i, one := range p {
		if i > 0 {
			b = append(b, ',')
		}
		name, err := json.Marshal(one.name)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(one.value)
		if err != nil {
			return nil, err
		}
		b = append(append(append(b, name...), ':'), value...)
	}
	return append(b, '}'), nil
}
