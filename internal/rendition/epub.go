package rendition

// EPUB books: the pages in order, without the table of contents.

import (
	"encoding/xml"
	"errors"
	"fmt"
	"net/url"
	"path"
	"strings"
)

// epub follows the chain of an EPUB: the container names the package, the package lists
// the pages. The facts are Dublin Core.
func (j *job) epub() error {
	p, err := j.unpack()
	if err != nil {
		return err
	}
	container, err := p.read("META-INF/container.xml")
	if err != nil {
		return err
	}
	book := ""
	if err := j.elements(container, func(t xml.Token) bool {
		if e, ok := t.(xml.StartElement); ok && e.Name.Local == "rootfile" && book == "" {
			book = attribute(e, "full-path")
		}
		return false
	}); err != nil {
		return err
	}
	content, err := p.read(book)
	if err != nil {
		return err
	}
	j.properties(content, map[string]*string{"dc:title": &j.fact.Title, "dc:creator": &j.fact.Author, "dc:date": &j.fact.Created})
	pages, err := j.spine(content)
	if err != nil {
		return err
	}
	for _, page := range pages {
		content, err := p.read(path.Join(path.Dir(book), page))
		if errors.Is(err, errMissing) {
			continue // a common fault of books
		}
		if err != nil {
			return err
		}
		text, _, err := decode(content, declaredCharset(content))
		if err != nil {
			return fmt.Errorf("%q: %w", page, err)
		}
		j.out.need(block)
		if err := j.page(text); err != nil {
			return err
		}
	}
	return nil
}

// spine returns the pages of a book in order.
func (j *job) spine(content []byte) ([]string, error) {
	byID := map[string]string{}
	var pages []string
	err := j.elements(content, func(t xml.Token) bool {
		e, ok := t.(xml.StartElement)
		if !ok {
			return false
		}
		switch e.Name.Local {
		case "item":
			if href, err := url.PathUnescape(attribute(e, "href")); err == nil && !strings.Contains(attribute(e, "properties"), "nav") {
				byID[attribute(e, "id")] = href
			}
		case "itemref":
			if page := byID[attribute(e, "idref")]; page != "" && attribute(e, "linear") != "no" {
				pages = append(pages, page)
			}
		}
		return false
	})
	if len(pages) > maxEPUBMembers {
		return nil, fmt.Errorf("it has more than %d pages", maxEPUBMembers)
	}
	return pages, err
}
