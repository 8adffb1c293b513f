package scale

// Stage join: joins the sets of a stretch with each other, or with the sets of another stretch, by
// package index/join, and compares the pairs member by member. A set with several documents also
// produces rows: pairs of equal documents.
//
//	edges   pairs of sets as two numbers shard<<24 | set. Only pairs that connect two groups of this
//	        task are written, because stage clusters needs no others
//	rows    see rows.go
//	last    directory of the rows; the section before it lists the sections with edges

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"

	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/index/join"
	"github.com/simdb/simdb/internal/sketch"
)

const (
	countPairs      = "pairs"
	countCandidates = "candidates"
)

// idOf returns the id of a set, unique among all shards.
func idOf(shard int, set uint32) uint64 { return uint64(shard)<<24 | uint64(set) }

// side is the sets of a stretch in the order of their ids. It implements the token source of a
// join.
type side struct {
	table   index.Table
	ids     []uint64
	several []uint32 // sets with several documents
	runs    []tokens
}

// tokens are a sorted section that stage deal wrote.
type tokens struct {
	first uint32 // number of their first set in the side
	words []uint64
}

// add appends the sets of a round of stage deal.
func (s *side) add(shard int, facts, words []uint64) {
	s.runs = append(s.runs, tokens{uint32(len(s.ids)), words})
	for len(facts) > 0 {
		number, end := uint32(len(s.ids)), 1+sketch.SignatureWords(int(uint32(facts[0])))
		s.table.Put(number, index.Facts{Size: sizeOf(uint32(facts[0])), Signature: facts[1:end]})
		if facts[0]>>32&1 == 1 {
			s.several = append(s.several, number)
		}
		s.ids = append(s.ids, idOf(shard, uint32(facts[0]>>33)))
		facts = facts[end:]
	}
}

// from returns the words from a token of a part onwards.
func (t tokens) from(part int, token uint64) []uint64 {
	i, _ := slices.BinarySearch(t.words, index.PartKey(part, token)<<32)
	return t.words[i:]
}

// Count returns the number of tokens in the parts below parts.
func (s *side) Count(parts int) (n int64) {
	for _, r := range s.runs {
		n += int64(len(r.words) - len(r.from(parts, 0)))
	}
	return n
}

// Read yields the tokens of a part in [from,end).
func (s *side) Read(ctx context.Context, part int, from, end uint64, yield func(suffixed uint64, set uint32, tier uint8)) error {
	for _, r := range s.runs {
		for _, w := range r.from(part, from) {
			token := w>>32 - index.PartKey(part, 0)
			if token >= end {
				break
			}
			yield(token<<index.SuffixBits, r.first+uint32(w)>>tierBits, uint8(w&(1<<tierBits-1)))
		}
	}
	return ctx.Err()
}

// join joins the two stretches of the task.
func (j *Job) join(ctx context.Context, task int, o *output, r *Record) error {
	bounds, by, err := j.stretches()
	if err != nil {
		return err
	}
	low, high, _ := bounds.join(j.rule, task)
	of := slices.Compact([]int{low, high})
	sides := make([]side, len(of))
	c := comparing{Job: j, gone: map[uint64]struct{}{}, rows: sorter{o: o, compare: j.rule.comparePairs}}
	err = j.each(ctx, Deal, func(shard int, d *result) error {
		for at := 0; at+1 < d.n; at += 2 * len(bounds) {
			for i := range sides {
				facts, err := d.words(at + 2*of[i])
				if err != nil {
					return err
				}
				words, err := d.words(at + 2*of[i] + 1)
				if err != nil {
					return err
				}
				sides[i].add(shard, facts, words)
			}
		}
		return addGone(c.gone, shard, d)
	})
	if err != nil {
		return err
	}
	scratch := scratchBeside(o)
	defer scratch.Close()
	s := j.rule.sets()
	s.Scratch, s.Signed, s.Wide, s.Bags = scratch, by != byTokens, by.wide(), c.bags
	for i := range sides {
		c.facts = append(c.facts, sides[i].table.View())
		s.Sides = append(s.Sides, join.Side{Sets: c.facts[i], Tokens: &sides[i]})
		c.ids = append(c.ids, sides[i].ids...)
	}
	c.tied = join.NewUnionFind(uint32(len(c.ids)))
	// Only the task that joins a stretch with itself adds the rows of equal documents, so that they
	// appear once.
	if len(sides) == 1 {
		if err := c.equal(ctx, sides[0].several); err != nil {
			return err
		}
	}
	// One worker produces the portions, and so the file, in the same order every time. Two
	// stretches take a quarter of the memory, and the join may use a third.
	stats, err := s.Pairs(ctx, 1, j.plan.Memory/3, func(pairs []join.Pair) error { return c.portion(ctx, pairs) })
	if err != nil {
		return err
	}
	r.Counts[countCandidates], r.Counts[countPairs] = stats.Signature, c.rows.n
	return c.end()
}

// addGone adds the replaced documents of a shard as shard<<32 | document.
func addGone(gone map[uint64]struct{}, shard int, d *result) error {
	docs, err := d.words(d.n - 1)
	for _, n := range docs {
		gone[uint64(shard)<<32|n] = struct{}{}
	}
	return err
}

// scratchBeside returns scratch files in the directory of an output, which has room for large files.
func scratchBeside(o *output) *join.FileScratch {
	return &join.FileScratch{Create: func() (join.File, error) {
		f, err := os.CreateTemp(filepath.Dir(o.f.Name()), "cells"+tempPattern)
		return removedFile{f}, err
	}}
}

// removedFile is a file that Close removes.
type removedFile struct{ *os.File }

func (f removedFile) Close() error { return errors.Join(f.File.Close(), os.Remove(f.Name())) }
