package main

import (
	"bytes"
	"io"
)

// jsonPrinter writes rows as objects with their keys in the order of the
// columns: one per line, or all of an answer in one array.
type jsonPrinter struct {
	w       io.Writer
	columns []string
	array   bool
	rows    int
}

func (p *jsonPrinter) row(values []any) error {
	var b bytes.Buffer
	if p.array {
		if p.rows == 0 {
			b.WriteString("[\n")
		} else {
			b.WriteString(",\n")
		}
	}
	p.rows++
	if err := writeObject(&b, p.columns, values); err != nil {
		return err
	}
	if !p.array {
		b.WriteByte('\n')
	}
	_, err := p.w.Write(b.Bytes())
	return err
}

func (p *jsonPrinter) end() error {
	if !p.array {
		return nil
	}
	closing := "\n]\n"
	if p.rows == 0 {
		closing = "[]\n"
	}
	_, err := io.WriteString(p.w, closing)
	return err
}

// writeObject writes {"key":value,…} in the order given, which encoding/json
// would sort.
func writeObject(b *bytes.Buffer, keys []string, values []any) error {
	separator := byte('{')
	for i, key := range keys {
		k, err := marshal(key)
		if err != nil {
			return err
		}
		v, err := marshal(values[i])
		if err != nil {
			return err
		}
		b.WriteByte(separator)
		b.Write(k)
		b.WriteByte(':')
		b.Write(v)
		separator = ','
	}
	if len(keys) == 0 {
		b.WriteByte('{')
	}
	b.WriteByte('}')
	return nil
}
