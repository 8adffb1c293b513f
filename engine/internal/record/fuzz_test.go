// Every record against any bytes: an error and never a panic, no more memory than the bytes
// can need, and what was encoded comes back.

package record

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/cespare/xxhash/v2"

	"github.com/simdb/simdb/api"

	"github.com/simdb/simdb/internal/guard"
	"github.com/simdb/simdb/internal/phrase"
)

// bounded ends the test if decoding n bytes takes more memory than times as much, and a
// constant.
func bounded(t *testing.T, n int, times, more uint64, decode func()) {
	t.Helper()
	if got := guard.Allocates(decode); got > uint64(n)*times+more {
		t.Fatalf("decoding %d bytes allocates %d", n, got)
	}
}

func wantCorrupt(t *testing.T, err error) {
	t.Helper()
	if !errors.Is(err, api.ErrCorrupt) {
		t.Fatalf("%v, want ErrCorrupt", err)
	}
}

func FuzzDecodeSchema(f *testing.F) {
	for _, s := range []api.Settings{{}, {Unit: "char", K: 4, Intervals: "paper"}, {Index: "year, a.b"},
		{SI: "m43b k40", Versions: true, Entities: true, Words: true, Patricia: true, UniqueSim: "0.9"}} {
		c, err := NewSchema("15.0.0", 1, "docs", s)
		if err != nil {
			f.Fatal(err)
		}
		b, err := c.Encode()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var c *Schema
		var was string
		var err error
		bounded(t, len(b), 200, 1<<16, func() { c, was, err = DecodeSchema("15.0.0", 7, b) })
		if err != nil {
			wantCorrupt(t, err)
			return
		}
		again, err := c.Encode()
		if err != nil {
			t.Fatal(err)
		}
		back, _, err := DecodeSchema("15.0.0", 7, again)
		if err != nil || back.Settings != c.Settings || back.Name != c.Name || back.extractor != c.extractor {
			t.Fatalf("%q (%s) comes back as %+v, %v, was %+v", b, was, back, err, c)
		}
	})
}

func FuzzDecodeDocumentRecord(f *testing.F) {
	f.Add((&DocumentRecord{Set: NoSet}).Encode())
	f.Add((&DocumentRecord{Set: 7, TextBytes: 1 << 40, Written: Written{1 << 62, 9}, Joined: true, Meta: []byte(`{"a":1}`)}).Encode())
	f.Add(bytes.Repeat([]byte{0xff}, 20))
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := DecodeDocumentRecord(b)
		if err != nil {
			wantCorrupt(t, err)
			return
		}
		if back, err := DecodeDocumentRecord(r.Encode()); err != nil || !reflect.DeepEqual(back, r) {
			t.Fatalf("%x is %+v, which comes back as %+v, %v", b, r, back, err)
		}
	})
}

func FuzzDecodeCounters(f *testing.F) {
	f.Add(Counters{}.Encode())
	f.Add(Counters{1 << 31, Counts{2, 3, 4, 5}}.Encode())
	f.Fuzz(func(t *testing.T, b []byte) {
		c, err := DecodeCounters(b)
		if err != nil {
			wantCorrupt(t, err)
			return
		}
		if back, err := DecodeCounters(c.Encode()); err != nil || back != c {
			t.Fatalf("%x is %+v, which comes back as %+v, %v", b, c, back, err)
		}
	})
}

// What follows the sum of a mark may be anything: the sum is put right.
func FuzzDecodeMark(f *testing.F) {
	b, err := hex.DecodeString(Mark{3, map[uint32]uint32{1: 2, 300: 400}}.Encode("store"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b[markSum:], "")
	f.Add([]byte{}, "a mark")
	f.Fuzz(func(t *testing.T, b []byte, s string) {
		if _, err := DecodeMark("store", s); !errors.Is(err, api.ErrMark) && err != nil {
			t.Fatalf("DecodeMark(%q) = %v, want ErrMark", s, err)
		}
		m, err := DecodeMark("store", hex.EncodeToString(append(sumOfMark("store", b), b...)))
		if err != nil {
			if !errors.Is(err, api.ErrMark) {
				t.Fatalf("%v, want ErrMark", err)
			}
			return
		}
		if back, err := DecodeMark("store", m.Encode("store")); err != nil || !reflect.DeepEqual(back, m) {
			t.Fatalf("%+v comes back as %+v, %v", m, back, err)
		}
	})
}

func FuzzDecodeMeta(f *testing.F) {
	f.Add([]byte(`{"a":[1,2.50,"x",null,true,{"b":{}}],"é\u2028":1e400}`))
	f.Add([]byte(strings.Repeat(`{"a":`, 100) + "1" + strings.Repeat("}", 100)))
	f.Fuzz(func(t *testing.T, b []byte) {
		var m api.Meta
		var err error
		bounded(t, len(b), 400, 1<<16, func() { m, err = DecodeMeta(b) })
		if err != nil {
			wantCorrupt(t, err)
			return
		}
		stored, err := EncodeMeta(m)
		if err != nil || stored == nil { // what would not come back is refused
			return
		}
		if back, err := DecodeMeta(stored); err != nil || !reflect.DeepEqual(back, m) {
			t.Fatalf("%q comes back as %v, %v, was %v", b, back, err, m)
		}
	})
}

// The key of any value tells the set and the id behind it, and any bytes are a key or an error.
func FuzzFieldEntry(f *testing.F) {
	c, err := NewSchema("15.0.0", 1, "docs", api.Settings{Index: "f"})
	if err != nil {
		f.Fatal(err)
	}
	f.Add([]byte(`"2026-01-31"`), uint32(1), "id", c.FieldKey(nil, 1, "a"))
	f.Add([]byte(`["a\u0000b", 1e999, -0.5, "80%", true, "4/5", "1e-9%"]`), NoSet, "\x00\xff", []byte{})
	f.Fuzz(func(t *testing.T, value []byte, set uint32, id string, key []byte) {
		if _, _, err := FieldEntry(key); err != nil {
			wantCorrupt(t, err)
		}
		values, err := c.FieldValues(slices.Concat([]byte(`{"f":`), value, []byte("}")))
		if err != nil || id == "" {
			return
		}
		for _, v := range values {
			gotSet, gotID, err := FieldEntry(c.FieldKey(v, set, id))
			if err != nil || gotSet != set || string(gotID) != id {
				t.Fatalf("the key of %x, %d, %q is read as %d, %q, %v", v, set, id, gotSet, gotID, err)
			}
		}
	})
}

// A text with its tokens comes back, and any bytes are read without a panic.
func FuzzContent(f *testing.F) {
	c, err := NewSchema("15.0.0", 1, "docs", api.Settings{Unit: "token"})
	if err != nil {
		f.Fatal(err)
	}
	f.Add("text", "a,,b", "\x01")
	f.Add("", "", "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01")
	f.Fuzz(func(t *testing.T, text, list, content string) {
		bounded(t, len(content), 100, 1<<16, func() {
			if _, err := c.Text(content); err != nil {
				wantCorrupt(t, err)
			}
			c.Tokens(content)
		})
		tokens := strings.Split(list, ",")
		stored, err := c.Content(&api.Document{Text: text, Tokens: tokens})
		if err != nil {
			t.Fatal(err)
		}
		if back, err := c.Text(stored); err != nil || back != text || !slices.Equal(c.Tokens(stored), tokens) || !LooksOwn(stored) {
			t.Fatalf("%q with %q comes back as %q with %q, %v", text, tokens, back, c.Tokens(stored), err)
		}
	})
}

// Stored texts of any codec, with any dictionary: what a frame says of its length is not believed.
func FuzzStoredText(f *testing.F) {
	codec, err := NewCodec(16 << 20)
	if err != nil {
		f.Fatal(err)
	}
	learnt := phrase.Learn([]string{"some words that texts have, and some more words"}, 300).Append(binary.AppendUvarint(nil, 1))
	with, err := (*Dictionaries)(nil).With(learnt)
	if err != nil {
		f.Fatal(err)
	}
	for _, text := range []string{"", "some words", strings.Repeat("long texts are for zstd ", 1000)} {
		f.Add(learnt, codec.Encode(text, with), text)
	}
	f.Add(learnt, []byte{codecZstd, 0x28, 0xb5, 0x2f, 0xfd, 0xa0, 0xff, 0xff, 0xff, 0x3f, 0x01, 0, 0}, "")
	f.Fuzz(func(t *testing.T, dictionary, stored []byte, text string) {
		var d *Dictionaries
		var err error
		bounded(t, len(dictionary), 64, 8<<20, func() { d, err = with.With(dictionary) })
		if err != nil {
			wantCorrupt(t, err)
			d = with
		}
		codec.TextBytes(stored)
		bounded(t, len(stored), 1<<17, 4<<20, func() { _, err = codec.Decode(stored, d) })
		if err != nil {
			wantCorrupt(t, err)
		}
		if back, err := codec.Decode(codec.Encode(text, d), d); err != nil || back != text {
			t.Fatalf("%q comes back as %q, %v", text, back, err)
		}
	})
}

// What is kept of records apart of them is read as they are.
func FuzzShortSettings(f *testing.F) {
	create := Operation{Kind: OpCreate, Number: 1, Name: "docs", Value: []byte("{}")}
	drop := Operation{Kind: OpDrop, Number: 1, Name: "docs"}
	f.Add(create.Encode(nil), drop.Encode(nil))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		short, err := ShortSettings([][]byte{a, b})
		if err != nil {
			wantCorrupt(t, err)
			return
		}
		ops, err := DecodeSettings(short)
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range ops {
			if o.Kind == OpDrop {
				t.Fatalf("collection %d is still dropped", o.Number)
			}
		}
		if again, err := ShortSettings([][]byte{short}); err != nil || !bytes.Equal(again, short) {
			t.Fatalf("%x is shortened to %x, %v", short, again, err)
		}
	})
}

// What a lexer has found is taken only if it is of the text, to the last byte, and then gives tokens in
// order.
func FuzzLexed(f *testing.F) {
	c, err := NewSchema("", 1, "c", api.Settings{Unit: "code", Fold: "names"})
	if err != nil {
		f.Fatal(err)
	}
	f.Add("if x", []byte{0, 2 << kindBits, 1, 1<<kindBits | 1})
	f.Add("x", []byte{0, 0x80})
	f.Fuzz(func(t *testing.T, doc string, places []byte) {
		lexed := binary.LittleEndian.AppendUint64(nil, xxhash.Sum64String(doc))
		lexed = append(lexed, places...)
		whole := LexedOf(lexed, doc)
		content, err := c.Content(&api.Document{ID: "x", Text: doc, Lexed: lexed})
		if (err == nil) != whole {
			t.Fatalf("%q is of %q: %v, but %v", lexed, doc, whole, err)
		}
		if !whole {
			content = string(appendBlob(nil, doc)) + string(lexed) // as damage might leave it
		}
		end := 0
		for token, place := range c.CodeTokens(content) {
			if place.Start < end || place.End > len(doc) || token != doc[place.Start:place.End] && token != " name" {
				t.Fatalf("token %q at %v behind %d of %q", token, place, end, doc)
			}
			end = place.End
		}
		var d api.Document
		if err := c.Open(content, &d); err != nil || d.Text != doc || !bytes.Equal(d.Lexed, lexed) || LooksLexed(content) != whole {
			t.Fatalf("%q comes back as %+v, %v", content, d, err)
		}
	})
}
