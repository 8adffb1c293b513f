package rendition

// Word documents: the text, followed by its notes. Deleted text, field codes, comments,
// headers and footers are left out.

import "errors"

// docx appends the body, then footnotes and endnotes, which are separate members.
func (j *job) docx() error {
	p, err := j.unpack()
	if err != nil {
		return err
	}
	content, err := p.read("word/document.xml")
	if err != nil {
		return err
	}
	if err := j.addMarkup(content, wordMarkup); err != nil {
		return err
	}
	for _, notes := range []string{"word/footnotes.xml", "word/endnotes.xml"} {
		content, err := p.read(notes)
		if errors.Is(err, errMissing) {
			continue
		}
		if err == nil {
			err = j.addMarkup(content, wordMarkup)
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

// wordMarkup maps the elements of WordprocessingML.
var wordMarkup = markup{
	texts:   []string{"t"},
	gaps:    map[string]gap{"tab": space, "br": line, "cr": line, "tc": space, "tr": line, "p": block},
	hyphen:  "noBreakHyphen",
	leftOut: []string{"Fallback", "del", "moveFrom", "pPr", "rPr", "sectPr"},
}
