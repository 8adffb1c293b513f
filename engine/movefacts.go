package engine

// Where the facts of sets are from the moment that new segments count: in the files of
// these, so that memory holds little more than those of the tail, and those of the files
// that go can go (docs/decisions/0037).

import (
	"slices"

	"github.com/simdb/simdb/engine/internal/host"
	"github.com/simdb/simdb/engine/internal/segment"
	"github.com/simdb/simdb/index"
)

// moved lists the slabs whose facts are elsewhere once the build counts. Slabs that a new
// segment has as a whole are read from its file when they are needed. Those that only an
// old one has as a whole are copied to memory: the tail of a compacted collection, and
// the few that lie in two segments.
func (b *build) moved() (all []index.Elsewhere, err error) {
	defer segment.CatchUnreadable(&err)()
	for _, s := range b.new.Segments {
		if slices.Contains(b.old.Segments, s) {
			continue
		}
		for first, end := s.Slabs(); first < end; first++ {
			all = append(all, index.Elsewhere{Number: first, Left: b.db.fetch(b.c, s, first)})
		}
	}
	for _, s := range b.old.Segments {
		if slices.Contains(b.new.Segments, s) {
			continue
		}
		for first, end := s.Slabs(); first < end; first++ {
			if !slices.ContainsFunc(b.new.Segments, func(s *segment.Segment) bool { return s.HasSlab(first) }) {
				all = append(all, index.Elsewhere{Number: first, Facts: b.copySlab(first)})
			}
		}
	}
	return all, nil
}

// copySlab puts the facts of a slab into memory.
func (b *build) copySlab(k uint32) *index.SlabWriter {
	p := (&index.Table{Memory: host.Words}).NewSlab(k)
	for set := k * index.SlabSets; set < (k+1)*index.SlabSets; set++ {
		if f := b.v.Facts(set); f.Distinct > 0 {
			p.Put(set, f)
		}
	}
	return p
}
