package rendition

// Deliberately broken documents. None may crash, return more than the limit, or take
// memory out of proportion to its size.

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"path"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"
)

// hostile returns 64 broken variants of a valid document: truncated, with flipped
// bytes, wrong lengths, repeated and removed pieces.
func hostile(valid []byte, seed uint64) [][]byte {
	random := rand.New(rand.NewPCG(seed, 17))
	var all [][]byte
	for i := range 16 { // truncated
		all = append(all, valid[:len(valid)*i/16])
	}
	for range 16 { // flipped
		b := bytes.Clone(valid)
		for range 1 + random.IntN(20) {
			b[random.IntN(len(b))] ^= byte(1 << random.IntN(8))
		}
		all = append(all, b)
	}
	for range 16 { // wrong lengths
		b := bytes.Clone(valid)
		at := random.IntN(len(b) - 8)
		binary.LittleEndian.PutUint32(b[at:], [...]uint32{0, 0x7fffffff, 0xffffffff, 0x80000000}[random.IntN(4)])
		all = append(all, b)
	}
	for range 8 { // repeated
		from := random.IntN(len(valid) / 2)
		to := from + 1 + random.IntN(len(valid)/2)
		all = append(all, append(append(bytes.Clone(valid[:to]), bytes.Repeat(valid[from:to], 1+random.IntN(200))...), valid[to:]...))
	}
	for range 8 { // removed
		from := random.IntN(len(valid) - 1)
		to := from + random.IntN(len(valid)-from)
		all = append(all, append(bytes.Clone(valid[:from]), valid[to:]...))
	}
	return all
}

// nested returns valid or nearly valid documents of great depth or size.
func nested(t testing.TB, name string) [][]byte {
	const deep = 200_000
	x := func(s string) string { return strings.Repeat(s, deep) }
	switch path.Ext(name) {
	case ".html":
		return [][]byte{[]byte(x("<div>")), []byte(x("<svg>")), []byte("<p " + x("a=b ")), []byte(x("<!--")), []byte(x("&amp")), []byte(x("<table><tr><td>"))}
	case ".docx":
		return [][]byte{docxOf(t, x("<w:p>")), docxOf(t, x("<w:del>")), docxOf(t, "<w:t>"+x("word "))}
	case ".odt":
		return [][]byte{odtOf(t, x("<text:p>")), odtOf(t, x("<text:s/>"))}
	case ".epub":
		return [][]byte{epubOf(t, x("<div>"))}
	case ".rtf":
		return [][]byte{rtfOf(x("{")), rtfOf(x(`\'e9`)), rtfOf(x(`\bin99999999 `)), rtfOf(x(`\u1`)), rtfOf(`\` + x("a"))}
	case ".eml":
		return [][]byte{[]byte(x("A: b\n") + "\n"), []byte("Subject: " + x("=?utf-8?b?") + "\n\n"), []byte("Content-Type: multipart/mixed; boundary=b\n\n" + x("--b\n"))}
	case ".md":
		return [][]byte{[]byte(x("[")), []byte(x("![](")), []byte(x("*")), []byte(x("> ")), []byte(x("`")), []byte(x("_a")), []byte(x("<!"))}
	}
	return [][]byte{[]byte(x("-->")), []byte(x("0 --> 1\n<i")), []byte("0 --> 1\n" + x("{\\"))}
}

func TestHostile(t *testing.T) {
	for name, valid := range made(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var seed uint64
			for _, c := range name {
				seed = seed*31 + uint64(c)
			}
			all := append(hostile(valid, seed), nested(t, name)...)
			read, rejected := 0, 0
			for _, raw := range all {
				if err := tryHostile(t, name, raw); err != nil {
					rejected++
				} else {
					read++
				}
			}
			t.Logf("%s: %d documents, %d read, %d rejected", name, len(all), read, rejected)
		})
	}
}

// tryHostile renders a document and checks the limits of the result.
func tryHostile(t testing.TB, name string, raw []byte) error {
	t.Helper()
	const most = 1 << 20
	got, err := (&Renderer{MaxTextBytes: most}).Render(t.Context(), name, "", raw)
	if err == nil && (len(got.Text) > most || !utf8.ValidString(got.Text)) {
		t.Errorf("%s of %d bytes gives %d bytes of text, valid %t", name, len(raw), len(got.Text), utf8.ValidString(got.Text))
	}
	for fact, value := range got.Facts.Meta() {
		if s := value.(string); len(s) > maxFactBytes || !utf8.ValidString(s) {
			t.Errorf("the %s of %s has %d bytes", fact, name, len(s))
		}
	}
	return err
}

// A document does not take memory that it only claims to need.
func TestHostileMemory(t *testing.T) {
	for name, valid := range made(t) {
		for i, raw := range append(hostile(valid, 3), nested(t, name)...) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_ = tryHostile(t, name, raw)
			runtime.ReadMemStats(&after)
			if used, most := after.TotalAlloc-before.TotalAlloc, uint64(64<<20+400*len(raw)); used > most {
				t.Errorf("%s, document %d of %d bytes: %d bytes allocated, want at most %d", name, i, len(raw), used, most)
			}
		}
	}
}

// FuzzRender covers all formats. The name selects the reader.
func FuzzRender(f *testing.F) {
	for name, raw := range made(f) {
		f.Add(name, raw)
	}
	f.Add("a.txt", []byte("\xcf\xf0\xe8\xe2\xe5\xf2"))
	f.Fuzz(func(t *testing.T, name string, raw []byte) {
		if len(name) < 100 && len(raw) < 1<<20 {
			_ = tryHostile(t, name, raw)
		}
	})
}

// Each reader has a fuzz target too: a common target finds little inside a zip.
func FuzzWord(f *testing.F) {
	f.Add([]byte(`<w:p><w:t>a</w:t><w:tab/></w:p>`))
	f.Fuzz(func(t *testing.T, body []byte) { _ = tryHostile(t, "a.docx", docxOf(t, string(body))) })
}

func FuzzOpenDocument(f *testing.F) {
	f.Add([]byte(`<text:p>a<text:s/></text:p>`))
	f.Fuzz(func(t *testing.T, body []byte) { _ = tryHostile(t, "a.odt", odtOf(t, string(body))) })
}

func FuzzBook(f *testing.F) {
	f.Add([]byte(`<p>a</p>`))
	f.Fuzz(func(t *testing.T, body []byte) { _ = tryHostile(t, "a.epub", epubOf(t, string(body))) })
}

func fuzzOf(f *testing.F, name string, seeds ...string) {
	f.Add(made(f)[name])
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) { _ = tryHostile(t, name, raw) })
}

func FuzzHTML(f *testing.F)      { fuzzOf(f, "t.html", "<p>a<br>b", "<script>") }
func FuzzRTF(f *testing.F)       { fuzzOf(f, "t.rtf", `{\rtf1 a\'e9\u8364?}`) }
func FuzzMail(f *testing.F)      { fuzzOf(f, "t.eml", "Subject: a\n\nb") }
func FuzzMarkdown(f *testing.F)  { fuzzOf(f, "t.md", "# a\n*b*") }
func FuzzSubtitles(f *testing.F) { fuzzOf(f, "t.srt", "1\n0 --> 1\na") }
func FuzzText(f *testing.F) {
	f.Add([]byte("\xcf\xf0\xe8\xe2\xe5\xf2"))
	f.Fuzz(func(t *testing.T, raw []byte) { _ = tryHostile(t, "a.txt", raw) })
}
