package rendition

// The text of each format and charset, and the omitted parts.

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/unicode"
)

// The same text has the same rendition in every format, and its facts.
func TestFormats(t *testing.T) {
	want := flat(strings.Join(paragraphs, " "))
	for name, raw := range made(t) {
		r := Renderer{}
		if !r.Reads(name, raw) {
			t.Errorf("%s is not recognised", name)
		}
		got, err := r.Render(t.Context(), name, "", raw)
		if err != nil || flat(got.Text) != want {
			t.Errorf("Render(%s) = %v\n%q, want\n%q", name, err, flat(got.Text), want)
		}
		if strings.HasSuffix(name, ".srt") || strings.HasSuffix(name, ".vtt") {
			continue
		}
		f := got.Facts
		if f.Title != "The Harbour" || f.Author != "A. Writer" || !strings.HasPrefix(f.Created, "2026-01-02T03:04:0") || f.MediaType == "" {
			t.Errorf("the facts of %s are %+v", name, f)
		}
		if name == "t.eml" && f.MessageID != "1@example.org" {
			t.Errorf("the id of a mail is %q", f.MessageID)
		}
	}
}

// The first bytes of a document decide if its name has no extension or a wrong one.
func TestRecognise(t *testing.T) {
	all := made(t)
	for _, tt := range []struct{ name, like, want string }{
		{"unnamed", "t.html", "html"}, {"a.txt", "t.html", ""}, {"a.doc", "t.rtf", "rtf"}, {"unnamed", "t.odt", "odt"}, {"a.zip", "t.epub", "epub"},
		{"unnamed", "t.docx", "docx"}, {"a.jar", "t.docx", ""}, {"a.txt", "t.vtt", "vtt"}, {"A.HTM", "t.html", "html"}, {"a.txt", "t.srt", ""},
	} {
		if got := recognise(tt.name, all[tt.like]); got != tt.want {
			t.Errorf("%s with the bytes of %s is %q, want %q", tt.name, tt.like, got, tt.want)
		}
	}
	for head, want := range map[string]string{"%PDF-1.7\n": "pdf", "plain text": "", "h\x00e\x00l\x00l\x00o\x00 \x00y\x00o\x00u\x00": "text", "\x00\x01\x02\x03\x04\x05\x06\x07\x08": ""} {
		if got := recognise("unnamed", []byte(head)); got != want {
			t.Errorf("%q is %q, want %q", head, got, want)
		}
	}
}

// The headers of a mail decide if its name does not, and no text that begins with lines
// of names and values passes for a mail.
func TestRecogniseMail(t *testing.T) {
	const enron = "Message-ID: <1.2@thyme>\r\nDate: Mon, 14 May 2001 16:39:00 -0700 (PDT)\r\nFrom: a@example.com\r\nSubject: forecast\r\n of May\r\nX-Folder: x\r\n\r\nHere it is"
	const news = "From: a@example.com (A)\nSubject: Re: salt\nOrganization: none\nLines: 1\n\nyes\n"
	trace := "Return-Path: <a@example.com>\nReceived: from x\n\tby y\nFrom: a\nX-Long: " + strings.Repeat("x", sniffed) + "\nTo: b\n\nbody"
	for _, tt := range []struct{ name, raw, want string }{
		{"1.", enron, "mail"}, {"1700000000.M1P1.example.com:2,S", enron, "mail"}, {"new/1700000000.M1P1.host", news, "mail"}, {"unnamed", trace, "mail"},
		{"a.txt", enron, "mail"}, {"a.eml", "x", "mail"}, {"a.py", enron, ""}, {"a.md", enron, "markdown"},
		{"unnamed", "Note: this is a text.\nTo: think of\nSubject: salt\n\nIt goes on.", ""},
		{"unnamed", "From: me\nTo: you\n\nTwo are too few.", ""},
		{"unnamed", "From: me\nTo: you\nDate: today\nand no header here\n\n", ""},
		{"unnamed", "From: me\nTo: you\nDate: today\nSubject: no blank line", ""},
		{"unnamed", " From: me\nTo: you\nDate: today\nSubject: x\n\n", ""},
		{"unnamed", "Title: A post\nDate: 2026-01-02\nAuthor: A. Writer\nTags: salt\n\nText", ""},
	} {
		if got := recognise(tt.name, []byte(tt.raw)); got != tt.want {
			t.Errorf("%s, %.40q is %q, want %q", tt.name, tt.raw, got, tt.want)
		}
	}
}

const (
	western  = "Der Bürgermeister aß früh am Morgen Brötchen mit Käse, während die Schüler über die Brücke zur Schule liefen. "
	french   = "Le garçon a reçu une leçon très sévère à l'école, où l'élève étudiait déjà l'été dernier. Le cœur coûte 30 €. "
	russian  = "Однажды утром первые корабли вернулись в гавань поздно, но с грузом соли и сушёной рыбы. Никто не должен был трогать книгу. "
	japan    = "吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。何でも薄暗いじめじめした所で泣いていた事だけは記憶している。"
	china    = "在一个寒冷的早晨，第一批船只回来了，虽然迟到但满载着盐和鱼干。港口的主人把每个名字都写进了一本书里，任何人都不许碰它。"
	korea    = "추운 아침에 첫 배들이 늦게 돌아왔지만 소금과 말린 생선을 가득 싣고 있었다. 항구의 주인은 모든 이름을 책에 적었다. "
	unmarked = "A text in UTF-16 without any mark, as some programs of Windows write it."
)

// A text decodes correctly in every common charset, and its charset is reported.
func TestCharsets(t *testing.T) {
	for _, tt := range []struct {
		charset string
		e       encoding.Encoding
		text    string
		want    string
	}{
		{"utf-8", unicode.UTF8, russian, "utf-8"},
		{"utf-8 with a mark", unicode.UTF8BOM, russian, "utf-8"},
		{"utf-16le with a mark", unicode.UTF16(unicode.LittleEndian, unicode.UseBOM), russian, "utf-16le"},
		{"utf-16be with a mark", unicode.UTF16(unicode.BigEndian, unicode.UseBOM), russian, "utf-16be"},
		{"utf-16le", unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM), unmarked, "utf-16le"},
		{"utf-16be", unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM), unmarked, "utf-16be"},
		{"utf-16le, Cyrillic", unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM), russian, "utf-16le"},
		{"iso-8859-1", charmap.ISO8859_1, western, "windows-1252"}, // a superset of it
		{"windows-1252", charmap.Windows1252, western + "“quoted” – 5 €", "windows-1252"},
		{"iso-8859-15", charmap.ISO8859_15, french, "iso-8859-15"},
		{"windows-1251", charmap.Windows1251, russian, "windows-1251"},
		{"koi8-r", charmap.KOI8R, russian, "koi8-r"},
		{"shift-jis", japanese.ShiftJIS, japan, "shift_jis"},
		{"gb18030", simplifiedchinese.GB18030, china, "gb18030"},
		{"euc-kr", korean.EUCKR, korea, "euc-kr"},
		{"euc-jp", japanese.EUCJP, japan, "euc-jp"},
	} {
		text := strings.Repeat(tt.text, 3)
		raw, err := tt.e.NewEncoder().Bytes([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		got, err := (&Renderer{}).Render(t.Context(), "a.txt", "", raw)
		if err != nil || got.Text != text || got.Facts.Charset != tt.want {
			t.Errorf("%s is read as %s, %v: %.60q", tt.charset, got.Facts.Charset, err, got.Text)
		}
		if strings.HasPrefix(tt.charset, "utf-16") || strings.Contains(tt.charset, "mark") {
			continue
		}
		// The declaration of a page precedes statistics.
		head := `<meta http-equiv="Content-Type" content="text/html; charset=` + tt.charset + `">`
		short, _ := tt.e.NewEncoder().Bytes([]byte(head + tt.text[:strings.IndexAny(tt.text, ",、。，. ")]))
		want := tt.text[:strings.IndexAny(tt.text, ",、。，. ")]
		page, err := (&Renderer{}).Render(t.Context(), "a.html", "", short)
		if err != nil || page.Text != want {
			t.Errorf("a page that declares %s is read as %s, %v: %q, want %q", tt.charset, page.Facts.Charset, err, page.Text, want)
		}
	}
}

// Bytes of no charset are an error, not garbage.
func TestUnknownCharset(t *testing.T) {
	raw := make([]byte, 4000)
	for i := range raw {
		raw[i] = byte(i*7%31 + 1)
		if i%3 == 0 {
			raw[i] |= 0x80
		}
	}
	if got, err := (&Renderer{}).Render(t.Context(), "a.txt", "", raw); err == nil {
		t.Errorf("control characters are read as %s", got.Facts.Charset)
	}
}

// Details of real documents.
func TestDetails(t *testing.T) {
	for _, tt := range []struct{ name, content, want string }{
		{"a.html", "<p>one<br>two<ul><li>three<li>four</ul><table><tr><td>a<td>b<tr><td>c</table><pre>x\n  y</pre>", "one\ntwo\n\nthree\nfour\n\na b\nc\n\nx\ny"},
		{"a.html", "a<b>b</b>c &amp; &eacute;&#x20AC;<script>no</script><svg><text>no</text></svg> d", "abc & é€ d"},
		{"a.html", "<title>no</title>a<noscript>no<noscript>no</noscript></noscript>b<img src=https://example.org/x alt=no>", "ab"},
		{"a.html", "<p>open <script>var a = 1", "open"},
		{"a.rtf", `{\rtf1\ansi\ansicpg1251 \'cf\'f0\'e8\'e2\'e5\'f2}`, "Привет"},
		{"a.rtf", `{\rtf1{\fonttbl{\f0 A;}{\f1\fcharset128 B;}}\f0 caf\'e9 {\f1\'93\'fa\'96\'7b} \uc2\u8364??x\{\}\~y}`, "café 日本 €x{}\u00a0y"},
		{"a.rtf", `{\rtf1 a{\pict\bin5 {{{{{ no}b\tab c\line d{\field{\*\fldinst HYPERLINK "no"}{\fldrslt link}}}`, "ab c\ndlink"},
		{"a.rtf", `{\rtf1 \u-10179?\u-8704?}`, "😀"},
		{"a.srt", "1\r\n00:00:01,000 --> 00:00:02,000\r\n{\\an8}<b>Hello</b>\r\nyou\r\n\r\n2\r\n00:00:03,000 --> 00:00:04,000\r\n- Bye\r\n", "Hello\nyou\n- Bye"},
		{"a.md", "# A *b* `c_d`\n\ntext [link](https://example.org \"t\") ![alt](x.png) <br> snake_case \\*x\\*\n\n```go\nfunc  f()\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n", "A b c_d\n\ntext link alt snake_case *x*\n\nfunc  f()\n\na b\n1 2"},
		{"a.eml", "Subject: x\n\nno header of MIME\n", "no header of MIME"},
		{"a.eml", "Subject: x\nContent-Type: text/html; charset=iso-8859-1\nContent-Transfer-Encoding: quoted-printable\n\n<p>caf=E9=\ns</p>", "cafés"},
		{"a.eml", "From me@example.org Fri Jan  2 03:04:05 2026\nSubject: x\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\nfirst\n--b\nContent-Type: image/png\n\nno\n--b\n\nsecond, cut off", "first\n\nsecond, cut off"},
	} {
		got, err := (&Renderer{}).Render(t.Context(), tt.name, "", []byte(tt.content))
		if err != nil || got.Text != tt.want {
			t.Errorf("%s of %q = %v\n%q, want\n%q", tt.name, tt.content, err, got.Text, tt.want)
		}
	}
}

// Nothing outside is read: an external entity opens no file, and a DTD expands nothing.
func TestNothingIsFetched(t *testing.T) {
	laughs := `<!DOCTYPE d [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c SYSTEM "file:///etc/passwd">]>`
	raw := zipOf(t, "word/document.xml", laughs+`<w:document><w:p><w:t>before &b; &c; behind</w:t></w:p></w:document>`)
	got, err := (&Renderer{}).Render(t.Context(), "a.docx", "", raw)
	if err != nil || got.Text != "before &b; &c; behind" {
		t.Errorf("entities give %v, %q", err, got.Text)
	}
}

// Exceeding a limit is an error that names it.
func TestBounds(t *testing.T) {
	deep := strings.Repeat("<w:p>", maxDepth+1) + strings.Repeat("</w:p>", maxDepth+1)
	parts := strings.Repeat("--b\n\n\n", maxMailParts+1)
	var nested strings.Builder
	for i := range maxMailDepth + 2 {
		fmt.Fprintf(&nested, "Content-Type: multipart/mixed; boundary=b%03d\n\n--b%03d\n", i, i)
	}
	bomb := strings.Repeat("\x00", maxUnpacked+1)
	for _, tt := range []struct {
		name string
		raw  []byte
		want string
	}{
		{"a.docx", docxOf(t, deep), "nested deeper than 1000"},
		{"a.odt", zipOf(t, "mimetype", "application/vnd.oasis.opendocument.text", "content.xml", bomb), "unpacks to more than 67108864 bytes"},
		{"a.epub", zipOf(t, "META-INF/container.xml", bomb), "unpacks to more than 67108864 bytes"},
		{"a.rtf", rtfOf(strings.Repeat("{", maxDepth)), "nested deeper than 1000"},
		{"a.eml", []byte("Content-Type: multipart/mixed; boundary=b\n\n" + parts), "more than 1000 parts"},
		{"a.eml", []byte(nested.String()), "nested deeper than 16"},
		{"a.html", []byte("<p>" + strings.Repeat("word ", 300)), "over the limit; raise --max-doc"},
		{"a.txt", []byte(strings.Repeat("wörd ", 300)), "over the limit; raise --max-doc"},
		{"a.pdf", []byte("%PDF-1.4"), "no PDF reader"},
		{"a.docx", zipOf(t, "word/other.xml", ""), "not in the document"},
	} {
		_, err := (&Renderer{MaxTextBytes: 1400}).Render(t.Context(), tt.name, "", tt.raw)
		var kind *Error
		if !errors.As(err, &kind) || kind.Kind == "" || !strings.Contains(kind.Reason, tt.want) {
			t.Errorf("%s of %d bytes: %v, want %s", tt.name, len(tt.raw), err, tt.want)
		}
	}
}

// A rendition ends with its context.
func TestContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, raw := range made(t) {
		if _, err := (&Renderer{}).Render(ctx, name, "", raw); !errors.Is(err, context.Canceled) {
			t.Errorf("Render(%s) = %v, want context.Canceled", name, err)
		}
	}
}
