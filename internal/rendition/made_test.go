package rendition

// Small valid documents with the same text, one per format, for tests to compare and to
// break.

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"fmt"
	"html"
	"strings"
	"testing"
	"unicode/utf16"
)

// paragraphs is the text of all documents here. It contains characters that need
// escapes.
var paragraphs = []string{
	"On a cold morning in March the first ships came back, late but laden with salt & dried cod.",
	"He counted 114 barrels, 9 < 10 of them broken, and sent a letter to the council: “we need more room”.",
	"Žofia and Łukasz read it aloud; naïve Æsop was told again to those who had to pay.",
	"Nothing lasts that is not written down, said the guild, whose rules are older than the town.",
}

func zipOf(t testing.TB, members ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := 0; i < len(members); i += 2 {
		method := zip.Deflate
		if members[i] == "mimetype" {
			method = zip.Store
		}
		f, err := w.CreateHeader(&zip.FileHeader{Name: members[i], Method: method})
		if err == nil {
			_, err = f.Write([]byte(members[i+1]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// each wraps every paragraph, escaped by quote.
func each(quote func(string) string, before, after string) string {
	var b strings.Builder
	for _, p := range paragraphs {
		b.WriteString(before + quote(p) + after)
	}
	return b.String()
}

const coreXML = `<?xml version="1.0"?><cp:coreProperties xmlns:cp="c" xmlns:dc="d" xmlns:dcterms="t"><dc:title>The Harbour</dc:title>` +
	`<dc:creator>A. Writer</dc:creator><dcterms:created>2026-01-02T03:04:05Z</dcterms:created></cp:coreProperties>`

func docxOf(t testing.TB, body string) []byte {
	return zipOf(t, "[Content_Types].xml", "<Types/>", "word/document.xml",
		`<?xml version="1.0" encoding="UTF-8"?><w:document xmlns:w="w"><w:body>`+body+`</w:body></w:document>`, "docProps/core.xml", coreXML)
}

func odtOf(t testing.TB, body string) []byte {
	return zipOf(t, "mimetype", "application/vnd.oasis.opendocument.text", "content.xml",
		`<?xml version="1.0"?><office:document-content xmlns:office="o" xmlns:text="t"><office:body><office:text>`+body+`</office:text></office:body></office:document-content>`,
		"meta.xml", `<m xmlns:dc="d" xmlns:meta="m"><dc:title>The Harbour</dc:title><meta:initial-creator>A. Writer</meta:initial-creator><meta:creation-date>2026-01-02T03:04:05Z</meta:creation-date></m>`)
}

func epubOf(t testing.TB, page string) []byte {
	return zipOf(t, "mimetype", "application/epub+zip",
		"META-INF/container.xml", `<container><rootfiles><rootfile full-path="EPUB/book.opf"/></rootfiles></container>`,
		"EPUB/book.opf", `<package xmlns:dc="d"><metadata><dc:title>The Harbour</dc:title><dc:creator>A. Writer</dc:creator><dc:date>2026-01-02T03:04:05Z</dc:date></metadata>`+
			`<manifest><item id="n" href="nav.xhtml" properties="nav"/><item id="p" href="a%20page.xhtml"/></manifest><spine><itemref idref="n"/><itemref idref="p"/></spine></package>`,
		"EPUB/nav.xhtml", "<p>contents that are not read</p>", "EPUB/a page.xhtml", page)
}

func rtfQuote(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r < 0x80:
			b.WriteRune(r)
		default:
			for _, u := range utf16.Encode([]rune{r}) {
				fmt.Fprintf(&b, `\u%d?`, int16(u))
			}
		}
	}
	return b.String()
}

func rtfOf(body string) []byte {
	return []byte(`{\rtf1\ansi\ansicpg1252{\fonttbl{\f0\fswiss Helvetica;}}{\info{\title The Harbour}{\author A. Writer}{\creatim\yr2026\mo1\dy2\hr3\min4}}` +
		`{\*\generator nobody;}\f0` + body + `}`)
}

func mailOf(body string) []byte {
	return []byte("From: A. Writer\r\nSubject: =?utf-8?q?The_Harbour?=\r\nDate: Fri, 02 Jan 2026 03:04:05 +0000\r\nMessage-ID: <1@example.org>\r\n" +
		"MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=outer\r\n\r\n--outer\r\nContent-Type: multipart/alternative; boundary=inner\r\n\r\n" +
		"--inner\r\nContent-Type: text/html\r\n\r\n<p>the other version</p>\r\n--inner\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n\r\n" +
		base64.StdEncoding.EncodeToString([]byte(body)) + "\r\n--inner--\r\n--outer\r\nContent-Type: text/plain\r\nContent-Disposition: attachment\r\n\r\nan attachment\r\n--outer--\r\n")
}

// made returns a valid document of each format by its file name.
func made(t testing.TB) map[string][]byte {
	t.Helper()
	page := `<!DOCTYPE html><html><head><meta charset="utf-8"><title>The Harbour</title><meta name=author content="A. Writer">` +
		`<meta name="dcterms.created" content="2026-01-02T03:04:05Z"><style>p { color: red }</style></head><body>` +
		each(html.EscapeString, "<p>", "</p>") + `<script>var no = "<p>";</script><!-- nor this --></body></html>`
	cues := func(comma string) string {
		var b strings.Builder
		for i, p := range paragraphs {
			fmt.Fprintf(&b, "%d\n00:00:0%d%s000 --> 00:00:0%d%s500\n<i>%s</i>\n\n", i+1, i, comma, i, comma, html.EscapeString(p))
		}
		return b.String()
	}
	return map[string][]byte{
		"t.html": []byte(page),
		"t.docx": docxOf(t, each(html.EscapeString, `<w:p><w:r><w:t xml:space="preserve">`, `</w:t></w:r><w:r><w:del><w:delText>gone</w:delText></w:del></w:r></w:p>`)),
		"t.odt":  odtOf(t, each(html.EscapeString, "<text:p>", "<office:annotation><text:p>a comment</text:p></office:annotation></text:p>")),
		"t.epub": epubOf(t, page),
		"t.rtf":  rtfOf(each(rtfQuote, "", `\par `)),
		"t.eml":  mailOf(strings.Join(paragraphs, "\n\n")),
		"t.md": []byte("---\ntitle: The Harbour\nauthor: A. Writer\ndate: 2026-01-02T03:04:05Z\n---\n\n" +
			each(func(s string) string { return strings.ReplaceAll(s, "salt", "**salt**") }, "\n- ", "\n") + "\n<!-- a comment -->\n\n[a]: https://example.org\n"),
		"t.srt": []byte(cues(",")),
		"t.vtt": []byte("WEBVTT - head\n\nNOTE nobody reads this\n\n" + cues(".")),
	}
}

// flat returns s trimmed, with single spaces between words.
func flat(s string) string { return strings.Join(strings.Fields(s), " ") }
