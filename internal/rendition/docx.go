package rendition

// Word documents: the text, notes behind it. Deleted text, field codes, comments, headers
// and footers are left out.

import (
	"encoding/xml"
	"errors"
)

func (j *job) docx() error {
	p, err := j.unpack()
	if err != nil {
		return err
	}
	content, err := p.read("word/document.xml")
	if err != nil {
		return err
	}
	if err := j.word(content); err != nil {
		return err
	}
	for _, notes := range []string{"word/footnotes.xml", "word/endnotes.xml"} {
		content, err := p.read(notes)
		if errors.Is(err, errMissing) {
			continue
		}
		if err == nil {
			err = j.word(content)
		}
		if err != nil {
			return err
		}
	}
	if core, err := p.read("docProps/core.xml"); err == nil {
		j.properties(core, map[string]*string{
			"dc:title": &j.fact.Title, "dc:creator": &j.fact.Author,
			"dcterms:created": &j.fact.Created, "dcterms:modified": &j.fact.Modified,
		})
	}
	return nil
}

// word adds the text of WordprocessingML.
func (j *job) word(content []byte) error {
	inText := false
	return j.elements(content, func(t xml.Token) bool {
		switch t := t.(type) {
		case xml.StartElement:
			switch t.Name.Local {
			case "t":
				inText = true
			case "tab":
				j.out.need(space)
			case "br", "cr":
				j.out.need(line)
			case "noBreakHyphen":
				j.out.raw("-")
			case "tc":
				j.out.need(space)
			case "tr":
				j.out.need(line)
			case "p":
				j.out.need(block)
			case "Fallback", "del", "moveFrom", "pPr", "rPr", "sectPr":
				return true
			}
		case xml.EndElement:
			switch t.Name.Local {
			case "t":
				inText = false
			case "p":
				j.out.need(block)
			}
		case xml.CharData:
			if inText {
				j.out.words(string(t))
			}
		}
		return false
	})
}
