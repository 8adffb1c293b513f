package rendition

// OpenDocument texts: the text, with notes where they stand. Deleted text, comments,
// headers, footers and drawings without text are left out.

import (
	"encoding/xml"
)

func (j *job) odt() error {
	p, err := j.unpack()
	if err != nil {
		return err
	}
	content, err := p.read("content.xml")
	if err != nil {
		return err
	}
	if err := j.openDocument(content); err != nil {
		return err
	}
	if meta, err := p.read("meta.xml"); err == nil {
		j.properties(meta, map[string]*string{
			"dc:title": &j.fact.Title, "meta:initial-creator": &j.fact.Author,
			"meta:creation-date": &j.fact.Created, "dc:date": &j.fact.Modified,
		})
		j.properties(meta, map[string]*string{"dc:creator": &j.fact.Author})
	}
	return nil
}

func (j *job) openDocument(content []byte) error {
	paragraphs := 0
	return j.elements(content, func(t xml.Token) bool {
		switch t := t.(type) {
		case xml.StartElement:
			switch t.Name.Local {
			case "p", "h":
				paragraphs++
				j.out.need(block)
			case "s", "tab":
				j.out.need(space)
			case "line-break":
				j.out.need(line)
			case "tracked-changes", "annotation", "note-citation", "font-face-decls", "automatic-styles", "sequence-decls", "bibliography-source", "table-of-content-source":
				return true
			}
		case xml.EndElement:
			switch t.Name.Local {
			case "p", "h":
				paragraphs--
				j.out.need(block)
			}
		case xml.CharData:
			if paragraphs > 0 {
				j.out.words(string(t))
			}
		}
		return false
	})
}
