// Command reader dumps a simdb store as simdb dump does, and imports nothing of simdb: it
// follows docs/format.md alone. Pebble reads its own tables. Nobody may have the store open.
//
//	go -C tools run ./reader STORE >dump.ndjson
package main

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/cockroachdb/pebble/v2"
)

func main() {
	if err := dump(os.Stdout, os.Args[len(os.Args)-1]); err != nil {
		fmt.Fprintln(os.Stderr, "reader:", err)
		os.Exit(1)
	}
}

// format is the one in STATE that this program was written for, as formatVersion of
// engine/internal/disk is.
const format = 9

type store struct {
	collections map[uint32]*collection
	applied     uint64 // log records up to here are done
}

type collection struct {
	Name      string
	Settings  json.RawMessage
	books     []*book
	documents map[string]document
	groupings []grouping
}

// grouping is how groups are kept, as a dump has it. What is stored has its fields in small
// letters, and more of them.
type grouping struct {
	Name, Collection, Measure string
	Min                       string
	Stars                     bool
	Keep                      string
}

type document struct{ text, meta []byte } // as they are stored

// dump writes the dump of a store. Whatever does not decode is a panic below it.
func dump(w io.Writer, dir string) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%s: %v", dir, r)
		}
	}()
	head, body, _ := bytes.Cut(must(os.ReadFile(filepath.Join(dir, "STATE"))), []byte("\n"))
	check(string(head) == fmt.Sprintf("simdb %08x", crc(0, body)), "STATE is damaged")
	var state struct{ Format int }
	check(json.Unmarshal(body, &state) == nil && state.Format == format, "format %d, this program reads %d", state.Format, format)

	s := store{collections: map[uint32]*collection{}}
	s.readTables(filepath.Join(dir, "store"))
	for _, path := range must(filepath.Glob(filepath.Join(dir, "log", "*.log"))) { // in the order of their names
		s.readLog(must(os.ReadFile(path)))
	}
	s.write(w)
	return nil
}

// readTables reads the ground state. Settings and books come before documents, and these
// before their texts.
func (s *store) readTables(dir string) {
	p := must(pebble.Open(dir, &pebble.Options{ReadOnly: true, Logger: quiet{}}))
	defer p.Close()
	it := must(p.NewIter(nil))
	defer it.Close()
	meta := map[string][]byte{} // of a document, by the key of its text
	for ok := it.First(); ok; ok = it.Next() {
		key, value := it.Key(), reader{bytes.Clone(it.Value())}
		if key[0] == 0x01 {
			s.applied = binary.BigEndian.Uint64(value.b)
		}
		if !slices.Contains([]byte{0x02, 0x05, 0x10, 0x22, 0x2e}, key[0]) {
			continue
		}
		value.b = value.b[:len(value.b)-4]
		check(crc(crc(0, key), value.b) == binary.LittleEndian.Uint32(it.Value()[len(value.b):]), "the seal of key %q", key)
		number, rest := binary.BigEndian.Uint32(key[1:]), key[5:]
		switch key[0] {
		case 0x02:
			s.create(number, value.b)
		case 0x05:
			s.of(number).addBook(value.b)
		case 0x2e:
			if len(rest) == 4 { // else of one that was being built
				s.of(number).addGrouping(value.b)
			}
		case 0x10:
			set := uint32(value.uvarint()) - 1
			for range 3 { // length of the text, record, place
				value.uvarint()
			}
			text := binary.BigEndian.AppendUint32(append([]byte{0x22}, key[1:5]...), set)
			meta[string(append(text, rest...))] = value.b
		case 0x22:
			m, ok := meta[string(key)]
			check(ok, "text %q has no document", key)
			s.of(number).documents[string(rest[4:])] = document{value.b, m}
			delete(meta, string(key))
		}
	}
	check(it.Error() == nil && len(meta) == 0, "%v; %d documents without a text", it.Error(), len(meta))
}

// readLog applies the records of a segment that are not in the tables, up to a torn tail.
func (s *store) readLog(b []byte) {
	le := binary.LittleEndian
	if len(b) < 24 || string(b[:8]) != "simdbwal" || le.Uint32(b[20:]) != crc(0, b[:20]) {
		return // a crash as it was made
	}
	check(le.Uint32(b[8:]) == 1, "a log of version %d", le.Uint32(b[8:]))
	for at := 24; len(b)-at >= 32; {
		head, payload := b[at:at+32], b[at+32:]
		length := uint64(le.Uint32(head[8:]))
		if le.Uint32(head) != crc(uint32(at), head[4:]) || string(head[12:16]) != "REC\x01" ||
			length > uint64(len(payload)) || le.Uint32(head[4:]) != crc(0, payload[:length]) {
			return
		}
		if seq := le.Uint64(head[16:]); seq > s.applied {
			check(seq == s.applied+1, "record %d follows %d", seq, s.applied)
			s.apply(reader{payload[:length-8]}) // the time stands behind
			s.applied = seq
		}
		at += 32 + int(length)
	}
}

func (s *store) apply(r reader) {
	for len(r.b) > 0 {
		kind, number, name := r.take(1)[0], uint32(r.uvarint()), string(r.blob())
		switch kind {
		case 1: // put
			meta := r.blob()
			s.of(number).documents[name] = document{r.blob(), meta}
		case 2, 13: // delete, erase
			if c := s.collections[number]; kind == 2 || c != nil { // an erasure may concern a dropped collection
				delete(s.of(number).documents, name)
			}
		case 3, 4, 6, 12: // note, create, book, ledger
			r.take(1)
			if value := r.blob(); kind == 4 {
				s.create(number, value)
			} else if kind == 6 {
				s.of(number).addBook(value)
			}
		case 8, 9: // similar sets, what became of groups
			r.blob()
		case 10: // a grouping
			s.of(number).addGrouping(r.blob())
		case 11: // a grouping that goes
			c := s.of(number)
			c.groupings = slices.DeleteFunc(c.groupings, func(g grouping) bool { return g.Name == name })
		case 5: // drop
			delete(s.collections, number)
		case 7: // metadata
			d := s.of(number).documents[name]
			s.of(number).documents[name] = document{d.text, changed(d.meta, r.blob())}
		default:
			check(false, "operation %d", kind)
		}
	}
}

func (c *collection) addGrouping(stored []byte) {
	g := grouping{Collection: c.Name}
	check(json.Unmarshal(stored, &g) == nil, "a grouping of collection %q", c.Name)
	c.groupings = append(c.groupings, g)
}

func (s *store) of(number uint32) *collection {
	c := s.collections[number]
	check(c != nil, "collection %d is missing", number)
	return c
}

func (s *store) create(number uint32, settings []byte) {
	c := &collection{documents: map[string]document{}}
	check(json.Unmarshal(settings, c) == nil, "settings of collection %d", number)
	s.collections[number] = c
}

// changed is metadata with other values in some fields; null removes one.
func changed(meta, by []byte) []byte {
	fields := map[string]json.RawMessage{}
	check(len(meta) == 0 || json.Unmarshal(meta, &fields) == nil, "metadata %q", meta)
	check(json.Unmarshal(by, &fields) == nil, "metadata %q", by)
	var change map[string]any
	check(json.Unmarshal(by, &change) == nil, "metadata %q", by)
	for name, v := range change {
		if v == nil {
			delete(fields, name)
		}
	}
	if len(fields) == 0 {
		return nil
	}
	return encode(fields)
}

// write writes the dump: collections by name, documents by id, each line with the checksum of
// all so far.
func (s *store) write(w io.Writer) {
	all := slices.SortedFunc(maps.Values(s.collections), func(a, b *collection) int { return strings.Compare(a.Name, b.Name) })
	documents, sum := 0, uint32(0)
	for _, c := range all {
		documents += len(c.documents)
	}
	line := func(format string, args ...any) {
		b := fmt.Appendf(nil, format, args...)
		sum = crc(sum, b)
		must(fmt.Fprintf(w, "%s,\"crc\":\"%08x\"}\n", b, sum))
	}
	line(`{"simdb_dump":1,"collections":%d,"documents":%d`, len(all), documents)
	for _, c := range all {
		kept := ""
		if len(c.groupings) > 0 {
			kept = fmt.Sprintf(`,"groups":%s`, must(json.Marshal(c.groupings)))
		}
		line(`{"collection":%s,"settings":%s%s,"documents":%d`, encode(c.Name), c.Settings, kept, len(c.documents))
		for _, id := range slices.Sorted(maps.Keys(c.documents)) {
			line("{%s", c.line(id, c.documents[id]))
		}
	}
	line(`{"end":true,"collections":%d,"documents":%d`, len(all), documents)
}

// line is a document in a dump. What is not UTF-8 is in base64.
func (c *collection) line(id string, d document) string {
	var settings struct{ Unit string }
	check(json.Unmarshal(c.Settings, &settings) == nil, "settings %s", c.Settings)
	text, tokens := c.decode(d.text), ""
	if settings.Unit == "code" {
		r := reader{text}
		text = r.blob()
		tokens = fmt.Sprintf(`,"lexed":"%s"`, base64.StdEncoding.EncodeToString(r.b))
	}
	if settings.Unit == "token" {
		r, plain, raw, valid := reader{text}, []string{}, [][]byte{}, true
		for text = r.blob(); len(r.b) > 0; {
			t := r.blob()
			plain, raw, valid = append(plain, string(t)), append(raw, t), valid && utf8.Valid(t)
		}
		if tokens = fmt.Sprintf(`,"tokens":%s`, encode(plain)); !valid {
			tokens = fmt.Sprintf(`,"tokens64":%s`, encode(raw))
		}
	}
	if len(d.meta) > 0 {
		tokens += `,"meta":` + string(d.meta)
	}
	return field("id", []byte(id)) + "," + field("text", text) + tokens
}

func field(name string, b []byte) string {
	if utf8.Valid(b) {
		return fmt.Sprintf(`"%s":%s`, name, encode(string(b)))
	}
	return fmt.Sprintf(`"%s64":%s`, name, encode(b))
}
