package rendition

// HTML: the text that a browser would show without scripts and styles. A tokenizer
// suffices, so nesting costs nothing.

import (
	"bytes"
	"cmp"
	"io"
	"regexp"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// hidden lists the elements without visible text.
var hidden = map[atom.Atom]bool{
	atom.Script: true, atom.Style: true, atom.Template: true, atom.Noscript: true, atom.Svg: true, atom.Math: true,
	atom.Iframe: true, atom.Object: true, atom.Audio: true, atom.Video: true, atom.Canvas: true, atom.Select: true, atom.Textarea: true,
	atom.Noembed: true, atom.Noframes: true, atom.Title: true,
}

// gaps lists the gaps around elements; all other elements are inline.
var gaps = map[atom.Atom]gap{
	atom.Br: line, atom.Li: line, atom.Tr: line, atom.Dt: line, atom.Dd: line, atom.Option: line,
	atom.Td: space, atom.Th: space,
}

func init() {
	for _, a := range []atom.Atom{
		atom.P, atom.Div, atom.Section, atom.Article, atom.Main, atom.Header, atom.Footer, atom.Nav, atom.Aside, atom.Address,
		atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Ul, atom.Ol, atom.Dl, atom.Table, atom.Caption, atom.Blockquote,
		atom.Pre, atom.Figure, atom.Figcaption, atom.Form, atom.Fieldset, atom.Hr, atom.Details, atom.Summary, atom.Center, atom.Body,
	} {
		gaps[a] = block
	}
}

// metaCharset matches the declarations of a charset in HTML and XML.
var metaCharset = regexp.MustCompile(`(?i)<(?:meta[^>]{0,200}?charset\s*=\s*["']?|\?xml[^>]{0,200}?encoding\s*=\s*["'])([\w.:-]{1,40})`)

// declaredCharset returns the charset declared in the first bytes of HTML or XML, "" if
// there is none.
func declaredCharset(raw []byte) string {
	if m := metaCharset.FindSubmatch(raw[:min(len(raw), 2048)]); m != nil {
		return string(m[1])
	}
	return ""
}

// html decodes a page by its declared charset, and appends its text.
func (j *job) html() error {
	text, charset, err := decode(j.raw, cmp.Or(j.declared, declaredCharset(j.raw)))
	if err != nil {
		return err
	}
	j.fact.Charset = charset
	return j.page(text)
}

// page appends the text of HTML, and sets the facts not set before.
func (j *job) page(text string) error {
	z := html.NewTokenizer(strings.NewReader(text))
	var inside atom.Atom // the enclosing hidden element
	deep, pre := 0, 0    // nesting of inside; open pre elements
	var title strings.Builder
	for n := 0; ; n++ {
		// Check the context rarely: a page may have millions of tokens.
		if n%1024 == 0 && j.ctx.Err() != nil || j.out.full {
			break
		}
		kind := z.Next()
		if kind == html.ErrorToken {
			if err := z.Err(); err != io.EOF {
				return err
			}
			break
		}
		switch kind {
		case html.TextToken:
			switch {
			case inside == atom.Title && title.Len() < maxFactBytes:
				title.Write(z.Text())
			case inside != 0:
			case pre > 0:
				j.out.lines(string(z.Text()))
			default:
				j.out.words(string(z.Text()))
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			name, more := z.TagName()
			a := atom.Lookup(name)
			if a == atom.Meta && more {
				j.metaTag(z)
			}
			if inside != 0 {
				if a == inside && kind == html.StartTagToken {
					deep++
				}
				continue
			}
			if hidden[a] && kind == html.StartTagToken {
				inside, deep = a, 1
			}
			if a == atom.Pre {
				pre++
			}
			j.out.need(gaps[a])
		case html.EndTagToken:
			name, _ := z.TagName()
			a := atom.Lookup(name)
			if inside != 0 {
				if a == inside {
					if deep--; deep == 0 {
						inside = 0
					}
				}
				continue
			}
			if a == atom.Pre && pre > 0 {
				pre--
			}
			j.out.need(gaps[a])
		}
	}
	if j.fact.Title == "" {
		j.fact.Title = html.UnescapeString(title.String())
	}
	return j.out.err(nil)
}

// metaTag reads facts from a meta element.
func (j *job) metaTag(z *html.Tokenizer) {
	var name, content string
	for more := true; more; {
		var key, value []byte
		key, value, more = z.TagAttr()
		switch {
		case bytes.EqualFold(key, []byte("name")), bytes.EqualFold(key, []byte("property")):
			name = strings.ToLower(string(value))
		case bytes.EqualFold(key, []byte("content")):
			content = string(value)
		}
	}
	switch name {
	case "author", "dc.creator", "dcterms.creator":
		setOnce(&j.fact.Author, content)
	case "dcterms.date", "dcterms.created", "date", "article:published_time":
		setOnce(&j.fact.Created, content)
	case "dcterms.modified", "article:modified_time":
		setOnce(&j.fact.Modified, content)
	}
}

// setOnce sets a fact unless it has a value.
func setOnce(fact *string, value string) {
	if *fact == "" {
		*fact = value
	}
}
