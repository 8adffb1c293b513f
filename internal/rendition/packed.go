package rendition

// Documents that are zips of XML: unpacking within limits, and reading element by
// element.

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"

	"golang.org/x/net/html/charset"
)

// packed is a document that is a zip.
type packed struct {
	members map[string]*zip.File
	left    int64 // remaining bytes of the unpacking limit
}

// unpack opens the document as a zip. Of equal names the first member counts.
func (j *job) unpack() (*packed, error) {
	archive, err := zip.NewReader(bytes.NewReader(j.raw), int64(len(j.raw)))
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		return nil, err
	}
	p := &packed{members: map[string]*zip.File{}, left: maxUnpacked}
	for _, f := range archive.File {
		if p.members[f.Name] == nil {
			p.members[f.Name] = f
		}
	}
	return p, nil
}

var (
	errUnpacks = fmt.Errorf("it unpacks to more than %d bytes", maxUnpacked)
	errMissing = errors.New("not in the document")
)

// read returns the content of a member. A missing member is errMissing.
func (p *packed) read(name string) ([]byte, error) {
	f := p.members[name]
	if f == nil {
		return nil, fmt.Errorf("%q: %w", name, errMissing)
	}
	if f.Flags&1 != 0 {
		return nil, errors.New("it is encrypted")
	}
	in, err := f.Open()
	if err != nil {
		return nil, fmt.Errorf("%q: %w", name, err)
	}
	defer in.Close()
	content, err := io.ReadAll(io.LimitReader(in, p.left+1))
	if int64(len(content)) > p.left {
		return nil, errUnpacks
	}
	p.left -= int64(len(content))
	if err != nil {
		return nil, fmt.Errorf("%q: %w", name, err)
	}
	return content, nil
}

// elements parses XML and calls visit for each start, end and text. It expands no
// entity of a DTD, and fetches nothing. If visit returns true for a start, the element
// is skipped.
func (j *job) elements(content []byte, visit func(t xml.Token) (skip bool)) error {
	d := xml.NewDecoder(bytes.NewReader(content))
	d.Strict = false
	d.CharsetReader = charset.NewReaderLabel
	d.Entity = xml.HTMLEntity
	depth, skipped := 0, 0 // depth of the skipped element, 0 if none
	for n := 0; ; n++ {
		if n%1024 == 0 && j.ctx.Err() != nil {
			return j.ctx.Err()
		}
		t, err := d.RawToken()
		if err == io.EOF {
			if depth > 0 {
				return io.ErrUnexpectedEOF
			}
			return nil
		}
		if err != nil {
			return err
		}
		switch t.(type) {
		case xml.StartElement:
			if depth++; depth > maxDepth {
				return fmt.Errorf("its elements are nested deeper than %d", maxDepth)
			}
		case xml.EndElement:
			if depth--; depth < 0 {
				return errors.New("invalid XML: more elements end than begin")
			}
			if skipped > 0 && depth < skipped {
				skipped = 0
				continue
			}
		}
		if skipped == 0 && visit(t) {
			skipped = depth
		}
		if j.out.full {
			return errTooLong
		}
	}
}

// markup maps the elements of a kind of document to text and gaps, by local name.
type markup struct {
	texts   []string       // contain text
	nests   bool           // texts may contain texts
	gaps    map[string]gap // separate words; a block also has a gap at its end
	hyphen  string
	leftOut []string // left out with their content
}

// addMarkup appends the text of XML.
func (j *job) addMarkup(content []byte, m markup) error {
	texts := 0 // number of open texts
	return j.elements(content, func(t xml.Token) bool {
		switch t := t.(type) {
		case xml.StartElement:
			name := t.Name.Local
			if slices.Contains(m.texts, name) {
				texts++
			}
			if g, ok := m.gaps[name]; ok {
				j.out.need(g)
			} else if name == m.hyphen {
				j.out.raw("-")
			}
			return slices.Contains(m.leftOut, name)
		case xml.EndElement:
			if slices.Contains(m.texts, t.Name.Local) {
				if texts--; texts < 0 || !m.nests {
					texts = 0
				}
			}
			if m.gaps[t.Name.Local] == block {
				j.out.need(block)
			}
		case xml.CharData:
			if texts > 0 {
				j.out.words(string(t))
			}
		}
		return false
	})
}

// attribute returns an attribute by its local name.
func attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// properties reads facts from XML elements, such as Dublin Core. It ignores
// errors: the text matters more.
func (j *job) properties(content []byte, facts map[string]*string) {
	var into *string
	depth := 0
	_ = j.elements(content, func(t xml.Token) bool {
		switch t := t.(type) {
		case xml.StartElement:
			if into == nil {
				if fact := facts[t.Name.Space+":"+t.Name.Local]; fact != nil && *fact == "" {
					into, depth = fact, 0
				}
			} else {
				depth++
			}
		case xml.CharData:
			if into != nil && len(*into) < maxFactBytes {
				*into += string(t)
			}
		case xml.EndElement:
			if depth--; depth < 0 {
				into = nil
			}
		}
		return false
	})
}
