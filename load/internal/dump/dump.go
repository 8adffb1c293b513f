// Package dump writes and reads dumps: the complete content of a database as lines of
// JSON. Equal databases have equal dumps, and a reader detects any damage. The package
// interprets neither settings nor metadata, and depends on no database. Begin with
// Writer and Reader.
//
// A dump of two collections, the second one empty:
//
//	{"simdb_dump":1,"collections":2,"documents":1,"crc":"5d1f30b2"}
//	{"collection":"docs","settings":{"Unit":"word","K":3},"groups":[{"Name":"copies"}],"documents":1,"crc":"…"}
//	{"id":"a","text":"some text","meta":{"year":2026},"crc":"…"}
//	{"collection":"drafts","settings":{"Unit":"char","K":5},"documents":0,"crc":"…"}
//	{"end":true,"collections":2,"documents":1,"crc":"…"}
//
// Collections are ordered by name, and the documents after each by id. The fields of a
// line are ordered too:
//
//   - id, or id64 in base64 if the id is not UTF-8;
//   - text, or text64 likewise;
//   - tokens if the document supplies a list of tokens, even an empty one, or tokens64
//     with each token in base64 if any token is not UTF-8;
//   - lexed in base64, the tokens found by a lexer in a collection of code;
//   - meta if there is any, or meta64 in base64 if it nests too deep for encoding/json;
//   - crc, the CRC-32C of all lines up to here without their crc, in hexadecimal.
//
// Since a crc covers the lines before it, a damaged, missing, repeated or moved line is
// detected there, not at the end of a long dump. The last line proves that the dump is
// complete. It counts the written documents, and as "unreadable" the documents that a
// damaged database could not return.
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

// version is the format of dumps. It changes if an older program would misread a dump.
const version = 1

// Collection is a collection: its settings, its materialised groups, and the number of
// its documents.
type Collection struct {
	Name      string          `json:"collection"`
	Settings  json.RawMessage `json:"settings"`
	Groups    json.RawMessage `json:"groups,omitempty"` // a list
	Documents int64           `json:"documents"`
}

// Document is a document of the collection before it. Tokens is nil if the document
// supplies no list of tokens, and empty if it supplies an empty list. Meta is a JSON
// object, or nil.
type Document struct {
	ID, Text string
	Tokens   []string
	Lexed    []byte
	Meta     []byte
}

// documentLine is the JSON form of a document.
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

// headLine is the first line of a dump.
type headLine struct {
	Version     int   `json:"simdb_dump"`
	Collections int64 `json:"collections"`
	Documents   int64 `json:"documents"`
}

// endLine is the last line of a dump.
type endLine struct {
	End         bool  `json:"end"`
	Collections int64 `json:"collections"`
	Documents   int64 `json:"documents"`
	Unreadable  int64 `json:"unreadable,omitempty"`
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Writer writes a dump: its head, then each collection followed by its documents, then
// the end. It must not be used concurrently.
type Writer struct {
	w    *bufio.Writer
	line bytes.Buffer
	enc  *json.Encoder
	crc  uint32
	end  endLine
}

// NewWriter starts a dump with the given numbers of collections and documents.
func NewWriter(w io.Writer, collections, documents int64) (*Writer, error) {
	d := &Writer{w: bufio.NewWriterSize(w, 64<<10), end: endLine{End: true}}
	d.enc = json.NewEncoder(&d.line)
	d.enc.SetEscapeHTML(false)
	return d, d.write(headLine{Version: version, Collections: collections, Documents: documents})
}

// Collection writes the line of a collection.
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

// Unreadable counts an omitted document.
func (d *Writer) Unreadable() { d.end.Unreadable++ }

// Close writes the end of the dump and flushes it. Without Close the dump is
// incomplete, and a Reader rejects it.
func (d *Writer) Close() error {
	if err := d.write(d.end); err != nil {
		return err
	}
	return d.w.Flush()
}

// write writes a line with its crc.
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

// crcFormat formats the end of a line, of crcBytes bytes.
const (
	crcFormat = `,"crc":"%08x"}`
	crcBytes  = len(`,"crc":"12345678"}`)
)

// tooDeep reports whether metadata may nest too deep for encoding/json inside another
// object. Its limit is 10,000 levels.
func tooDeep(meta []byte) bool {
	const levels = 9_000
	return len(meta) > levels && bytes.Count(meta, []byte("["))+bytes.Count(meta, []byte("{")) > levels
}
