package join

import (
	"cmp"
	"context"
	"encoding/binary"
	"math/bits"
	"slices"
	"sort"

	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/sketch"
)

// This file compares a few sets that are not in a view with many that are.

// Probes finds the sets of the view in [lo,hi) that pass the length filter and the
// parity signatures for resemblance ≥ t to one of the probes. It hands over the number
// of the probe and the set, the sets of each probe ascending. Like Signatures it
// compares all with all, in tiles of probes, and loses no match.
func Probes(ctx context.Context, view index.View, lo, hi uint32, probes []index.Facts, t measure.Threshold, found func(probe int, set uint32)) error {
	order := make([]int, 0, len(probes))
	for i, p := range probes {
		if p.Distinct > 0 {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(probes[a].Distinct, probes[b].Distinct) })
	for len(order) > 0 {
		words := len(probes[order[0]].Signature)
		n := 1
		for n < min(len(order), tileRank, max(tileBytes/8/(words+1), 64)) && len(probes[order[n]].Signature) == words {
			n++
		}
		b := newProbeBlock(probes, order[:n], t)
		for set := lo; set < min(hi, view.Len()); set++ {
			if set%1024 == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			b.row(view, set, found)
		}
		order = order[n:]
	}
	return nil
}

// probeBlock is some probes of neighbouring sizes whose signatures have one width.
type probeBlock struct {
	t      measure.Threshold
	probes []index.Facts
	order  []int // of the rows
	sizes  []uint64
	tile   tile
	folded map[int]*tile // the same, folded to other widths
	buf    comparison
	last   window // of the size that was met last
}

// window is the rows that a set of some size may be similar to.
type window struct {
	size     uint64
	from, to int
}

func newProbeBlock(probes []index.Facts, order []int, t measure.Threshold) *probeBlock {
	b := &probeBlock{t: t, probes: probes, order: order, sizes: make([]uint64, len(order)), folded: map[int]*tile{}}
	b.tile.reset(len(probes[order[0]].Signature), len(order))
	for i, o := range order {
		b.sizes[i] = probes[o].Distinct
		b.tile.set(i, -marginOf(t, probes[o].Distinct), probes[o].Signature)
	}
	return b
}

// row finds the probes that one set of the view may be similar to.
func (b *probeBlock) row(view index.View, set uint32, found func(probe int, set uint32)) {
	size := view.Size(set).Distinct
	if size == 0 {
		return
	}
	if b.last.size != size {
		from := sort.Search(len(b.sizes), func(i int) bool { return b.t.Admits(b.sizes[i], size) || b.sizes[i] > size })
		to := from + sort.Search(len(b.sizes)-from, func(i int) bool { return b.sizes[from+i] > size && !b.t.Admits(size, b.sizes[from+i]) })
		b.last = window{size, from, to}
	}
	from, to := b.last.from, b.last.to
	if from >= to {
		return
	}
	sig, t := view.Signature(set), &b.tile
	whole := sig
	switch {
	case len(sig) > b.tile.words:
		sig = b.buf.narrow(sig, b.tile.words)
	case len(sig) < b.tile.words:
		if t = b.folded[len(sig)]; t == nil {
			t = &tile{}
			t.fold(&b.tile, len(sig))
			b.folded[len(sig)] = t
		}
	}
	lo, hi := from/tileLanes, (to+tileLanes-1)/tileLanes
	t.compare(sig, lo, hi, marginOf(b.t, size))
	near := t.near[lo:hi]
	for g := 0; g < len(near); {
		if g+8 <= len(near) && binary.NativeEndian.Uint64(near[g:]) == 0 { // this is the usual case
			g += 8
			continue
		}
		for rows := near[g]; rows != 0; rows &= rows - 1 {
			i := tileLanes*(lo+g) + bits.TrailingZeros8(rows)
			if i >= from && i < to && b.near(i, size, whole) {
				found(b.order[i], set)
			}
		}
		g++
	}
}

// near is the exact filter, with signatures of any width.
func (b *probeBlock) near(i int, size uint64, s sketch.Signature) bool {
	p := &b.probes[b.order[i]]
	return index.MayResemble(b.t, p.Distinct, size, p.Signature, s)
}
