package columnar

// Nested columns as JSON. Lists and groups follow from the two levels of each value: the definition
// level, the depth to which its path is present, and the repetition level, the depth of the list in
// which it begins a new element.

import (
	"bytes"
	"fmt"
	"strconv"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"
)

// node is a column or a group of columns.
type node struct {
	name     []byte // as JSON
	def, rep int    // definition level of presence, and repetition level of a new element
	optional bool
	repeated bool
	shape    shape
	children []*node
	from, to int // range of its leaves among the selected ones
	write    writeValue
	most     rowLimit
}

// rowLimit limits the JSON of a row, in bytes. It is also the error for a longer row.
type rowLimit int64

func (l rowLimit) Error() string {
	return fmt.Sprintf("record is over the limit of %d bytes; raise --max-doc", int64(l))
}

// check returns an error for a partial row beyond the limit. The size in the file does not bound
// the JSON, because names and null take no bytes there. Earlier rows of the block may take
// blockBytes of b.
func (l rowLimit) check(b []byte) error {
	if int64(len(b))-blockBytes > int64(l) {
		return l
	}
	return nil
}

type shape uint8

const (
	leafShape shape = iota
	groupShape
	wrapShape // a group represented by its only child: LIST and its inner group
	mapShape
)

// node returns the node of a column, and adds its leaves to the selected ones.
func (f *file) node(c *parquet.Column) *node {
	n := &node{name: appendString(nil, []byte(c.Name())), def: c.MaxDefinitionLevel(), rep: c.MaxRepetitionLevel(), optional: c.Optional(), repeated: c.Repeated(), from: len(f.leaves), most: f.maxRow}
	if c.Leaf() {
		f.leaves = append(f.leaves, c)
		n.to, n.write = len(f.leaves), writerOf(c.Type(), f.said[c])
		return n
	}
	n.shape = groupShape
	children := c.Columns()
	for _, child := range children {
		n.children = append(n.children, f.node(child))
	}
	n.to = len(f.leaves)
	if len(children) != 1 || !children[0].Repeated() {
		return n
	}
	inner := n.children[0]
	switch {
	case isA[*format.ListType](c, deprecated.List):
		n.shape = wrapShape
		// Otherwise, by the rules for old writers, the inner group is the element itself.
		if len(inner.children) == 1 && children[0].Name() != "array" && children[0].Name() != c.Name()+"_tuple" {
			inner.shape = wrapShape
		}
	case len(inner.children) == 2 && (isA[*format.MapType](c, deprecated.Map) || isA[*format.MapType](c, deprecated.MapKeyValue)):
		n.shape = mapShape
	}
	return n
}

// isA reports whether a column has a logical type, by its new or old name.
func isA[T any](c *parquet.Column, old deprecated.ConvertedType) bool {
	t := c.Type()
	if l := t.LogicalType(); l != nil {
		if _, ok := l.Value.(T); ok {
			return true
		}
	}
	converted := t.ConvertedType()
	return converted != nil && *converted == old
}

// append appends a row as a JSON object.
func (f *file) append(b []byte, values [][]parquet.Value) ([]byte, error) {
	start := len(b)
	b = append(b, '{')
	for i, n := range f.fields {
		if i > 0 {
			b = append(b, ',')
		}
		at := len(b)
		b = append(append(b, n.name...), ':')
		colon := len(b)
		var err error
		if b, err = n.append(b, values); err == nil && int64(len(b)-start) > int64(f.maxRow) {
			err = f.maxRow
		}
		if err != nil {
			return nil, err
		}
		if f.splice != "" && string(n.name) == strconv.Quote(f.splice) {
			b = spliced(b, at, colon)
		}
	}
	return append(b, '}'), nil
}

// spliced replaces the field that begins at b[at] by the members of its value, an object that begins
// at b[colon]. If the value is no object or an empty one, it removes the field.
func spliced(b []byte, at, colon int) []byte {
	members := bytes.TrimSpace(b[colon:])
	if len(members) > 2 && members[0] == '{' {
		return append(b[:at], members[1:len(members)-1]...)
	}
	return bytes.TrimSuffix(b[:at], []byte(","))
}

// append appends the value of a node: one value, null or a list.
func (n *node) append(b []byte, values [][]parquet.Value) (_ []byte, err error) {
	if err := n.most.check(b); err != nil {
		return nil, err
	}
	there := n.from == n.to || values[n.from][0].DefinitionLevel() >= n.def
	switch {
	case n.repeated:
		b = append(b, '[')
		first := true
		err = n.each(values, func() (err error) {
			if !first {
				b = append(b, ',')
			}
			first = false
			if err := n.most.check(b); err != nil {
				return err
			}
			b, err = n.appendOne(b, values)
			return err
		})
		return append(b, ']'), err
	case n.optional && !there:
		return append(b, "null"...), nil
	}
	return n.appendOne(b, values)
}

// each calls do for each element of a repeated node. During a call, values contains only the values
// of that element.
func (n *node) each(values [][]parquet.Value, do func() error) error {
	if n.from == n.to || values[n.from][0].DefinitionLevel() < n.def {
		return nil
	}
	all := make([][]parquet.Value, n.to-n.from)
	copy(all, values[n.from:n.to])
	defer copy(values[n.from:n.to], all)
	rest := make([][]parquet.Value, len(all))
	copy(rest, all)
	for len(rest[0]) > 0 {
		for i := range rest {
			if len(rest[i]) == 0 {
				return errLevels
			}
			end := 1
			for end < len(rest[i]) && rest[i][end].RepetitionLevel() > n.rep {
				end++
			}
			values[n.from+i], rest[i] = rest[i][:end:end], rest[i][end:]
		}
		if err := do(); err != nil {
			return err
		}
	}
	return nil
}

// appendOne appends a single value or element.
func (n *node) appendOne(b []byte, values [][]parquet.Value) (_ []byte, err error) {
	switch n.shape {
	case leafShape:
		v := values[n.from][0]
		if k := v.Kind(); (k == parquet.ByteArray || k == parquet.FixedLenByteArray) && int64(len(v.ByteArray())) > int64(n.most) {
			return nil, n.most // before quoting, which takes memory for each such row
		}
		if b, err = n.write(b, v); err != nil {
			return nil, columnError{n.name, err}
		}
		return b, nil
	case wrapShape:
		return n.children[0].append(b, values)
	case mapShape:
		return n.appendMap(b, values)
	}
	b = append(b, '{')
	for i, child := range n.children {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(b, child.name...), ':')
		if b, err = child.append(b, values); err != nil {
			return nil, err
		}
	}
	return append(b, '}'), nil
}

// appendMap appends a map as an object. Keys other than strings are converted to strings.
func (n *node) appendMap(b []byte, values [][]parquet.Value) (_ []byte, err error) {
	entry := n.children[0]
	b = append(b, '{')
	first := true
	err = entry.each(values, func() error {
		if !first {
			b = append(b, ',')
		}
		first = false
		key, err := entry.children[0].append(nil, values)
		if err != nil {
			return err
		}
		if key[0] != '"' {
			key = appendString(nil, key)
		}
		b = append(append(b, key...), ':')
		b, err = entry.children[1].append(b, values)
		return err
	})
	return append(b, '}'), err
}
