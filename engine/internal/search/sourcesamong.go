package search

// SOURCES OF among the documents of several stores. Each store says which passages its
// documents have; then all compete as those of one store do.

import (
	"context"
	"fmt"

	"github.com/simdb/simdb/engine/internal/view"
)

// Place is where sources are looked for: a store at a moment, and its collections.
type Place struct {
	Moment *view.Moment
	In     []string // empty means docs
	Store  int      // its number: it stands in rows, and decides where nothing else does
	Name   string   // stands in errors, unless it is empty
}

func (p Place) failed(err error) error {
	if err == nil || p.Name == "" {
		return err
	}
	return fmt.Errorf("store %s: %w", p.Name, err)
}

// gatherAt adds the claims of the documents of a store. home says that it has the target.
func (c *cover) gatherAt(ctx context.Context, p Place, home bool, t *target) error {
	views, err := p.Moment.ViewsOf(p.In)
	if err != nil {
		return err
	}
	if !home {
		t = &target{} // it is no document of this store
	}
	c.at = &p
	for _, v := range views {
		if err := c.gather(ctx, p.Moment, v, t); err != nil {
			return err
		}
	}
	return nil
}
