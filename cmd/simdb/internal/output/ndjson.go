package output

// The formats json and ndjson, for programs, with the escapes that JSON requires.

import (
	"bytes"
	"encoding/json"
	"io"
	"math"
	"strconv"
)

// jsonPrinter writes rows as objects with keys in the order of the columns: one object per line, or
// one array.
type jsonPrinter struct {
	w       io.Writer
	columns []string
	b       *JSONBuffer
	array   bool
	rows    int
}

func (p *jsonPrinter) Row(values []any) error {
	p.b.Reset()
	if p.array {
		if p.rows == 0 {
			p.b.WriteString("[\n")
		} else {
			p.b.WriteString(",\n")
		}
	}
	p.rows++
	if err := p.b.Object(p.columns, values); err != nil {
		return err
	}
	if !p.array {
		p.b.WriteByte('\n')
	}
	_, err := p.w.Write(p.b.Bytes())
	return err
}

func (p *jsonPrinter) End() error {
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

// JSONBuffer builds JSON. It reuses its encoder, because a new encoder per value doubled the time.
type JSONBuffer struct {
	bytes.Buffer
	enc *json.Encoder
}

// NewJSONBuffer returns an empty buffer.
func NewJSONBuffer() *JSONBuffer {
	b := &JSONBuffer{}
	b.enc = json.NewEncoder(&b.Buffer)
	b.enc.SetEscapeHTML(false) // the escapes serve web pages only
	return b
}

// value appends a value in the form of encoding/json, without the trailing newline. It writes the
// usual values of rows itself, because the encoder takes four times as long for them.
func (b *JSONBuffer) value(v any) error {
	to := b.AvailableBuffer()
	switch v := v.(type) {
	case string:
		if plain(v) {
			b.Write(append(append(append(to, '"'), v...), '"'))
			return nil
		}
	case int:
		b.Write(strconv.AppendInt(to, int64(v), 10))
		return nil
	case uint64:
		b.Write(strconv.AppendUint(to, v, 10))
		return nil
	case float64:
		if size := math.Abs(v); size == 0 || 1e-6 <= size && size < 1e21 { // others have an exponent
			b.Write(strconv.AppendFloat(to, v, 'f', -1, 64))
			return nil
		}
	}
	if err := b.enc.Encode(v); err != nil {
		return err
	}
	b.Truncate(b.Len() - 1)
	return nil
}

// plain reports whether a string needs no escapes.
func plain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c >= 0x7f || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}

// Object appends {"key":value,…} in the given order; encoding/json would sort the keys.
func (b *JSONBuffer) Object(keys []string, values []any) error {
	b.WriteByte('{')
	for i, key := range keys {
		if i > 0 {
			b.WriteByte(',')
		}
		if err := b.value(key); err != nil {
			return err
		}
		b.WriteByte(':')
		if err := b.value(values[i]); err != nil {
			return err
		}
	}
	b.WriteByte('}')
	return nil
}
