// Package dump writes and reads dumps: everything that a database is made of, as
// lines of JSON. In come collections and documents, out come lines, or the other
// way round. The package does not know what settings or metadata mean, and it
// knows no database.
//
// A dump of two collections, one of them empty:
//
//	{"simdb_dump":1,"collections":2,"documents":1,"crc":"5d1f30b2"}
//	{"collection":"docs","settings":{"Unit":"word","K":3},"groups":[{"Name":"copies"}],"documents":1,"crc":"…"}
//	{"id":"a","text":"some text","meta":{"year":2026},"crc":"…"}
//	{"collection":"drafts","settings":{"Unit":"char","K":5},"documents":0,"crc":"…"}
//	{"end":true,"collections":2,"documents":1,"crc":"…"}
//
// Collections stand in the order of their names, the documents of each behind it in
// the order of their ids. So equal databases have equal dumps. The fields of a line
// have this order too:
//
//   - id, or id64 in base64 if the id is not UTF-8;
//   - text, or text64 likewise;
//   - tokens if the document brings its own, even none, or tokens64 as a list of base64
//     if one of them is not UTF-8;
//   - lexed in base64, what a lexer has found in the text of a collection of code;
//   - meta if there is any, or meta64 if it nests too deep to stand in an object;
//   - crc, the CRC-32C of all lines up to here without their crc, in hexadecimal.
//
// Since a crc covers the lines before it, a line that is damaged, missing, doubled or
// moved shows there, not at the end of a long dump. The last line shows that the dump
// was not cut off. It counts what was written, and as "unreadable" the documents that
// a damaged database could not give.
package dump

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
	"unicode/utf8"
)

// version is the format of dumps. It changes when an older program would read a
// dump wrongly.
const version = 1

// Collection is a collection, what groups are kept of it, and how many documents it has.
type Collection struct {
	Name      string          `json:"collection"`
	Settings  json.RawMessage `json:"settings"`
	Groups    json.RawMessage `json:"groups,omitempty"` // a list
	Documents int64           `json:"documents"`
}

// Document is a document of the collection before it. Tokens are nil if it brings none
// of its own: a list without any is another thing. Meta is an object, or nil.
type Document struct {
	ID, Text string
	Tokens   []string
	Lexed    []byte
	Meta     []byte
}

// documentLine is a document as it is written.
type documentLine struct {
	ID       string          `json:"id,omitempty"`
	ID64     []byte          `json:"id64,omitempty"`
	Text     *string         `json:"text,omitempty"`
	Text64   []byte          `json:"text64,omitempty"`
	Tokens   []string        `json:"tokens,omitzero"`
	Tokens64 [][]byte        `json:"tokens64,omitzero"`
	Lexed    []byte          `json:"lexed,omitempty"`
	Meta     json.RawMessage `json:"meta,omitempty"`
	Meta64   []byte          `json:"meta64,omitempty"`
}

type headLine struct {
	Version     int   `json:"simdb_dump"`
	Collections int64 `json:"collections"`
	Documents   int64 `json:"documents"`
}

type endLine struct {
	End         bool  `json:"end"`
	Collections int64 `json:"collections"`
	Documents   int64 `json:"documents"`
	Unreadable  int64 `json:"unreadable,omitempty"`
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Writer writes a dump: its head, then collections, each with its documents behind
// it, then the end.
type Writer struct {
	w    *bufio.Writer
	line bytes.Buffer
	enc  *json.Encoder
	crc  uint32
	end  endLine
}

// NewWriter begins a dump of so many collections and documents.
func NewWriter(w io.Writer, collections, documents int64) (*Writer, error) {
	d := &Writer{w: bufio.NewWriterSize(w, 64<<10), end: endLine{End: true}}
	d.enc = json.NewEncoder(&d.line)
	d.enc.SetEscapeHTML(false)
	return d, d.write(headLine{Version: version, Collections: collections, Documents: documents})
}

// Collection writes a collection.
func (d *Writer) Collection(c Collection) error {
	d.end.Collections++
	return d.write(c)
}

// Document writes a document of the last collection.
func (d *Writer) Document(doc Document) error {
	d.end.Documents++
	l := documentLine{Lexed: doc.Lexed}
	if utf8.ValidString(doc.ID) {
		l.ID = doc.ID
	} else {
		l.ID64 = []byte(doc.ID)
	}
	if utf8.ValidString(doc.Text) {
		l.Text = &doc.Text
	} else {
		l.Text64 = []byte(doc.Text)
	}
	if notUTF8 := func(t string) bool { return !utf8.ValidString(t) }; slices.ContainsFunc(doc.Tokens, notUTF8) {
		l.Tokens64 = make([][]byte, len(doc.Tokens))
		for i, t := range doc.Tokens {
			l.Tokens64[i] = []byte(t)
		}
	} else {
		l.Tokens = doc.Tokens
	}
	if tooDeep(doc.Meta) {
		l.Meta64 = doc.Meta
	} else {
		l.Meta = doc.Meta
	}
	return d.write(l)
}

// Unreadable counts a document that is left out.
func (d *Writer) Unreadable() { d.end.Unreadable++ }

// Close ends the dump. Without it the dump counts as cut off.
func (d *Writer) Close() error {
	if err := d.write(d.end); err != nil {
		return err
	}
	return d.w.Flush()
}

func (d *Writer) write(line any) error {
	d.line.Reset()
	if err := d.enc.Encode(line); err != nil {
		return err
	}
	b := bytes.TrimSuffix(d.line.Bytes(), []byte("}\n"))
	d.crc = crc32.Update(d.crc, castagnoli, b)
	if _, err := d.w.Write(b); err != nil {
		return err
	}
	_, err := fmt.Fprintf(d.w, crcFormat+"\n", d.crc)
	return err
}

// crcFormat ends a line. It has crcBytes bytes.
const (
	crcFormat = `,"crc":"%08x"}`
	crcBytes  = len(`,"crc":"12345678"}`)
)

// tooDeep says whether metadata may nest so deep that encoding/json would not read
// it inside of another object. It reads 10,000 levels.
func tooDeep(meta []byte) bool {
	const levels = 9_000
	return len(meta) > levels && bytes.Count(meta, []byte("["))+bytes.Count(meta, []byte("{")) > levels
}
