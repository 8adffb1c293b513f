package join

import (
	"context"
	"errors"
	"testing"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/internal/measure"
)

// Facts that cannot be read are an error of every join that asks for them, whatever
// goroutine meets them.
func TestUnreadableFacts(t *testing.T) {
	ctx, wrong := context.Background(), errors.New("the disk is gone")
	w := newWorld(3, index.SlabSets+100, 40, "wide", 12, false)
	tokens := w.side(t, 0, len(w.bags)).Tokens
	w.table.Move([]index.Elsewhere{{Number: 0, Left: func(*index.SlabWriter) error { return wrong }}})
	v := w.table.View()
	none := func([]Pair) error { return nil }
	for name, join := range map[string]func() error{
		"sets": func() error {
			o := &Sets{Formula: measure.Resemblance, Min: api.Ratio(1, 20), Sides: []Side{{v, tokens}}}
			_, err := o.Pairs(ctx, 2, 64<<20, none)
			return err
		},
		"chunks whose caller asks": func() error {
			return Chunks(ctx, [][]uint32{{1, 2}, {1, 2}}, 0, 0.5, 2, func(int, uint32, uint32, measure.ChunkMatch) { v.Signature(index.SlabSets - 1) })
		},
	} {
		err := func() (err error) {
			defer index.CatchUnreadable(&err)() // as callers do
			return join()
		}()
		if !errors.Is(err, wrong) {
			t.Errorf("%s: %v, want %v", name, err, wrong)
		}
	}
}
