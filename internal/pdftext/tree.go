package pdftext

// Walking the tree of pages. The corresponding function of the pdf module trusts the
// counts and the parents in the file, and may not terminate if the tree contains
// itself.

import (
	"errors"
	"fmt"

	"github.com/ledongthuc/pdf"
)

// maxNodes bounds the nodes of the tree; the pages are its leaves.
const maxNodes = 100_000

// tree is a walk over the pages, in order.
type tree struct {
	above map[string]bool // lists of kids between the root and the current node
	nodes int
	page  func(page, resources pdf.Value) error
}

// walk visits the tree below a node. resources are the inherited ones; the node may
// override them. A list of kids nested in an equal list is a cycle: the lists consist
// of references, and the module offers no other identity of nodes.
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
