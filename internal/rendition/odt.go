package rendition

// OpenDocument texts: the text, with notes at their references. Deleted text, comments,
// headers, footers and drawings without text are left out.

// odt appends the text of content.xml, and reads the facts from meta.xml.
func (j *job) odt() error {
	p, err := j.unpack()
	if err != nil {
		return err
	}
	content, err := p.read("content.xml")
	if err != nil {
		return err
	}
	if err := j.addMarkup(content, openMarkup); err != nil {
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

// openMarkup maps the elements of OpenDocument.
var openMarkup = markup{
	texts:   []string{"p", "h"},
	nests:   true,
	gaps:    map[string]gap{"p": block, "h": block, "s": space, "tab": space, "line-break": line},
	leftOut: []string{"tracked-changes", "annotation", "note-citation", "font-face-decls", "automatic-styles", "sequence-decls", "bibliography-source", "table-of-content-source"},
}
