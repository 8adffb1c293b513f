package pdftext

// The tree of pages. What the module offers for it trusts the counts and the parents that
// the file states, and ends in no time that is known if the tree contains itself.

import (
	"errors"
	"fmt"

	"github.com/ledongthuc/pdf"
)

// maxNodes bounds the nodes of the tree; the pages are its leaves.
const maxNodes = 100_000

// tree is a walk through the pages, in order.
type tree struct {
	above map[string]bool // lists of kids between the root and the node
	nodes int
	page  func(page, resources pdf.Value) error
}

// walk goes through the tree below a node, which has the resources of the nodes above it
// unless it has its own. A list of kids that stands above the same list leads back to
// itself: the lists are of references, and the module tells no other identity of a node.
func (t *tree) walk(node, resources pdf.Value) error {
	if t.nodes++; t.nodes > maxNodes {
		return fmt.Errorf("its tree of pages has over %d nodes", maxNodes)
	}
	if own := node.Key("Resources"); !own.IsNull() {
		resources = own
	}
	switch node.Key("Type").Name() {
	case "Page":
		return t.page(node, resources)
	case "Pages":
		kids := node.Key("Kids")
		list := kids.String()
		if t.above[list] {
			return errors.New("its tree of pages contains itself")
		}
		t.above[list] = true
		defer delete(t.above, list)
		for i := range kids.Len() {
			if err := t.walk(kids.Index(i), resources); err != nil {
				return err
			}
		}
	}
	return nil
}
