package record

// Index of metadata fields: keys that lead from a value to the documents with it
// (docs/decisions/0033). A search turns a range of values into a range of keys. The keys find a
// superset, because the search evaluates the predicate on each document afterwards. A key may
// therefore be coarser than its value: numbers are rounded and long strings truncated.

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/internal/keys"
)

const (
	maxFields = 16
	// fieldBytes is the length of a string in a key. The predicate separates strings with a
	// common start.
	fieldBytes = 64
)

// Field is the path of an indexed metadata field, one name per level.
type Field []string

// String returns the path as the setting has it, with dots.
func (f Field) String() string { return strings.Join(f, ".") }

// parseIndex parses Settings.Index and writes it back in canonical form.
func parseIndex(s *api.Settings) (fields []Field, err error) {
	var names []string
	for name := range strings.SplitSeq(s.Index, ",") {
		name = strings.TrimSpace(name)
		if name == "" {
			continue
		}
		f := Field(strings.Split(name, "."))
		if slices.Contains(f, "") || strings.ContainsAny(name, `"'`) {
			return nil, fault.Invalid("index: %q is not the name of a metadata field", name)
		}
		if slices.Contains(names, name) {
			return nil, fault.Invalid("index: %s occurs twice", name)
		}
		if len(fields) == maxFields {
			return nil, fault.Invalid("index: a collection indexes at most %d fields", maxFields)
		}
		names, fields = append(names, name), append(fields, f)
	}
	s.Index = strings.Join(names, ", ")
	return fields, nil
}

// FieldValues are the indexed values of a document in key form: number of the field, then the
// value.
type FieldValues [][]byte

// FieldValues returns the distinct indexed values of stored metadata.
func (c *Schema) FieldValues(meta []byte) (FieldValues, error) {
	if len(c.Fields) == 0 || len(meta) == 0 {
		return nil, nil
	}
	m, err := DecodeMeta(meta)
	if err != nil {
		return nil, err
	}
	var out FieldValues
	for which, f := range c.Fields {
		eachFieldValue(m, f, func(v any) {
			for _, k := range FieldKeys(v) {
				out = append(out, append(binary.BigEndian.AppendUint32(nil, uint32(which)), k...))
			}
		})
	}
	slices.SortFunc(out, bytes.Compare)
	return slices.CompactFunc(out, bytes.Equal), nil
}

// eachFieldValue calls visit with the value at a path or, if it is a list, with each element.
func eachFieldValue(m api.Meta, path Field, visit func(any)) {
	var v any = map[string]any(m)
	for _, name := range path {
		object, _ := v.(map[string]any)
		v = object[name]
	}
	if list, ok := v.([]any); ok {
		for _, item := range list {
			visit(item)
		}
		return
	}
	visit(v)
}

// FieldKey returns the key of an indexed value of a document with the given set.
func (c *Schema) FieldKey(value []byte, set uint32, id string) []byte {
	key := append(keys.Of(keys.Field, c.Number), value...)
	return append(binary.BigEndian.AppendUint32(key, set), id...)
}

// FieldEntry returns the set and the id of a key of space Field. ErrCorrupt if it does not
// decode.
func FieldEntry(key []byte) (set uint32, id []byte, err error) {
	const head = 1 + 4 + 4
	rest := key[min(head, len(key)):]
	n := fieldKeyLen(rest)
	if n == 0 || len(rest) <= n+4 {
		return 0, nil, fault.Corrupt("key %x: want a value, a set and an id", key)
	}
	return binary.BigEndian.Uint32(rest[n:]), rest[n+4:], nil
}

// Value keys begin with the type, because predicates do not compare across types. Strings that
// parse as numbers or times get a key of that type as well.
const (
	boolKey byte = iota + 1
	numberKey
	stringKey
	timeKey
)

// FieldKeys returns the keys of a metadata value; none if no predicate can compare it.
func FieldKeys(v any) (out [][]byte) {
	switch v := v.(type) {
	case bool:
		return [][]byte{FieldKey(v)}
	case json.Number:
		if f, ok := NumberOf(string(v)); ok {
			out = append(out, FieldKey(f))
		}
		// Predicates treat a number that they cannot parse exactly as a string.
		if len(v) > 20 || strings.ContainsAny(string(v), "eE") {
			out = append(out, FieldKey(string(v)))
		}
	case string:
		out = append(out, FieldKey(v))
		if f, ok := NumberOf(strings.TrimSpace(v)); ok {
			out = append(out, FieldKey(f))
		}
		if t, ok := TimeOf(v); ok {
			out = append(out, FieldKey(t))
		}
	}
	return out
}

// FieldKey returns the key of a bool, float64, string or time.Time, and nil for other types.
// Within a type, keys have the order of their values, except that different values may share a
// key.
func FieldKey(v any) []byte {
	switch v := v.(type) {
	case bool:
		if v {
			return []byte{boolKey, 1}
		}
		return []byte{boolKey, 0}
	case float64:
		bits := math.Float64bits(v + 0) // −0 is 0
		if bits>>63 == 1 {
			bits = ^bits
		} else {
			bits |= 1 << 63
		}
		return binary.BigEndian.AppendUint64([]byte{numberKey}, bits)
	case string:
		out := []byte{stringKey}
		for i := range min(len(v), fieldBytes) {
			if out = append(out, v[i]); v[i] == 0 {
				out = append(out, 0xff)
			}
		}
		return append(out, 0, 1)
	case time.Time:
		out := binary.BigEndian.AppendUint64([]byte{timeKey}, uint64(v.Unix())^1<<63)
		return binary.BigEndian.AppendUint32(out, uint32(v.Nanosecond()))
	}
	return nil
}

// fieldKeyLen returns the length of the value key at the start of b; 0 if there is none.
func fieldKeyLen(b []byte) int {
	if len(b) == 0 {
		return 0
	}
	switch b[0] {
	case boolKey:
		return 2
	case numberKey:
		return 9
	case timeKey:
		return 13
	case stringKey:
		for i := 1; i+1 < len(b); i++ {
			if b[i] == 0 {
				if b[i+1] == 1 {
					return i + 2
				}
				i++
			}
		}
	}
	return 0
}

// NumberOf parses every string that predicates treat as a number, including "80%" and "4/5", with
// an error of at most two float64 steps. It may accept more strings than they do.
func NumberOf(s string) (float64, bool) {
	if strings.Trim(s, "0123456789+-.eE/%") != "" {
		return 0, false
	}
	s, percent := strings.CutSuffix(s, "%")
	num, den, fraction := strings.Cut(s, "/")
	if digits, exponent, _ := strings.Cut(strings.ToLower(num), "e"); percent && !fraction {
		n, err := strconv.Atoi(cmp.Or(exponent, "0"))
		if err != nil {
			return 0, false
		}
		num = digits + "e" + strconv.Itoa(n-2)
	}
	f, err := strconv.ParseFloat(num, 64)
	if err != nil && !math.IsInf(f, 0) { // an infinity still sorts correctly
		return 0, false
	}
	if fraction {
		d, err := strconv.ParseFloat(den, 64)
		if err != nil || d == 0 {
			return 0, false
		}
		if f /= d; percent {
			f /= 100
		}
	}
	return f, !math.IsNaN(f)
}

// TimeOf parses an RFC 3339 time, or a date as its midnight in UTC.
func TimeOf(s string) (time.Time, bool) {
	if len(s) < len(time.DateOnly) || s[4] != '-' || s[7] != '-' {
		return time.Time{}, false
	}
	layout := time.RFC3339Nano
	if len(s) == len(time.DateOnly) {
		layout = time.DateOnly
	}
	t, err := time.Parse(layout, s)
	return t, err == nil
}
