package main

// A script is the steps of one store, from the empty one on. Scripts are kept as JSON, with
// every statement as text beside its tree.

import (
	"encoding/json"
	"fmt"
	"math/big"
)

// A Script is a store's options and its steps.
type Script struct {
	Seed        uint64  `json:",omitzero"` // it was drawn from
	Why         string  `json:",omitzero"` // what it showed when it was kept
	SegmentSets uint32  `json:",omitzero"`
	MemoryBytes int64   `json:",omitzero"`
	KeepLog     bool    `json:",omitzero"`
	Steps       []*Step `json:",omitzero"`
}

// A Step is one thing done to a store.
type Step struct {
	Op         string     `json:",omitzero"` // statement, beside, shards, relations, explain, tokens, mark, tail, traces, reopen, crash, backup, dump, salvage
	Text       string     `json:",omitzero"` // of the statement, for people
	Statement  *Statement `json:",omitzero"` // of the first five
	Collection string     `json:",omitzero"` // of tokens
	Docs       []Document `json:",omitzero"` // of tokens
	Mark       int        `json:",omitzero"` // name of the mark
}

func (s *Step) String() string {
	switch s.Op {
	case "statement":
		return s.Statement.String() + ";"
	case "beside", "shards", "relations", "explain":
		return "." + s.Op + " " + s.Statement.String() + ";"
	case "tokens":
		text := ""
		for _, d := range s.Docs {
			text += fmt.Sprintf(".tokens %s %q %q %q %v\n", s.Collection, d.ID, d.Tokens, d.Text, d.Meta)
		}
		return text
	case "mark":
		return fmt.Sprintf(".mark %d", s.Mark)
	}
	return "." + s.Op
}

// constants and fields are values in JSON: a number is an object, as its digits alone would
// come back as a float or a string.
type (
	constants []value
	fields    map[string]value
)

func encoded(v value) any {
	switch v := v.(type) {
	case *big.Rat:
		return map[string]any{"num": v.RatString()}
	case []value:
		out := []any{}
		for _, x := range v {
			out = append(out, encoded(x))
		}
		return out
	}
	return v
}

func decoded(v any) (value, error) {
	switch v := v.(type) {
	case map[string]any:
		s, _ := v["num"].(string)
		r, ok := new(big.Rat).SetString(s)
		if !ok {
			return nil, fmt.Errorf("no number: %v", v)
		}
		return r, nil
	case []any:
		out := []value{}
		for _, x := range v {
			d, err := decoded(x)
			if err != nil {
				return nil, err
			}
			out = append(out, d)
		}
		return out, nil
	}
	return v, nil
}

func (c constants) MarshalJSON() ([]byte, error) { return json.Marshal(encoded([]value(c))) }

func (c *constants) UnmarshalJSON(b []byte) error {
	var list []any
	if err := json.Unmarshal(b, &list); err != nil || list == nil {
		return err
	}
	v, err := decoded(list)
	if err == nil {
		*c = v.([]value)
	}
	return err
}

func (f fields) MarshalJSON() ([]byte, error) {
	out := map[string]any{}
	for name, v := range f {
		out[name] = encoded(v)
	}
	return json.Marshal(out)
}

func (f *fields) UnmarshalJSON(b []byte) error {
	var in map[string]any
	if err := json.Unmarshal(b, &in); err != nil {
		return err
	}
	*f = fields{}
	for name, v := range in {
		d, err := decoded(v)
		if err != nil {
			return err
		}
		(*f)[name] = d
	}
	return nil
}
