package scale

// Stage order. Each task finds the ids of a partition that occur repeatedly: the last document of
// an id counts, as in a store. The first task also sums the counters of all shards into a global
// order of tokens, the rarest first, and divides all sets into stretches. Any order would be
// correct; this one leaves few candidates.
//
//	section 0   classes of the counters (u8); empty except in the first task
//	section 1   the strategy of the join, and where stretches begin (u64); empty except in the first task
//	from 2 on   for each shard its documents that a later one replaces (u64)

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/simdb/simdb/index"
)

const (
	classesSection = iota
	stretchesSection
	replacedSection
)

const countJoins = "joins"

// order runs one task; only task 0 fills sections 0 and 1.
func (j *Job) order(ctx context.Context, task int, o *output, r *Record) error {
	var classes []byte
	var bounds stretches
	if task == 0 {
		sums, sizes, err := j.counters(ctx)
		if err != nil {
			return err
		}
		for _, n := range sums {
			classes = append(classes, classOf(n))
		}
		by := j.choose(sums, sizes)
		bounds = j.rule.stretches(sizes, by, uint64(max(j.plan.Memory/8, 1)))
		_, _, joins := bounds.join(j.rule, 0)
		bounds = slices.Insert(bounds, 0, uint64(by))
		r.Counts[countJoins] = int64(joins)
	}
	if err := o.section(classes); err != nil {
		return err
	}
	if err := o.sectionWords(bounds); err != nil {
		return err
	}
	replaced, err := j.replaced(ctx, task)
	if err != nil {
		return err
	}
	for _, docs := range replaced {
		if err := o.sectionWords(docs); err != nil {
			return err
		}
	}
	return nil
}

// counters sums the counters of all shards and the numbers of sets by size.
func (j *Job) counters(ctx context.Context) (sums []uint32, sizes map[uint64]uint64, err error) {
	sums, sizes = make([]uint32, 1<<j.plan.SketchBits), map[uint64]uint64{}
	err = j.each(ctx, Analyse, func(_ int, r *result) error {
		counters, err := r.section(sketchSection)
		if err != nil {
			return err
		}
		if len(counters) != 2*len(sums) {
			return r.broken("it has %d counters", len(counters))
		}
		for i := range sums {
			// A shard's counter may be saturated, which changes only the order of frequent tokens.
			sums[i] += uint32(binary.LittleEndian.Uint16(counters[2*i:]))
		}
		words, err := r.words(sizesSection)
		for ; len(words) > 1; words = words[2:] {
			sizes[words[0]] += words[1]
		}
		return err
	})
	return sums, sizes, err
}

// replaced returns the replaced documents of each shard, for the ids of a partition.
func (j *Job) replaced(ctx context.Context, partition int) (gone [][]uint64, err error) {
	type id struct {
		hash [16]byte
		doc  uint64 // shard<<32 | document
	}
	var ids []id
	err = j.each(ctx, Analyse, func(shard int, r *result) error {
		b, err := r.section(idsSection + partition)
		for ; len(b) >= idBytes; b = b[idBytes:] {
			ids = append(ids, id{[16]byte(b), uint64(shard)<<32 | uint64(binary.LittleEndian.Uint32(b[16:]))})
		}
		return err
	})
	slices.SortFunc(ids, func(a, b id) int {
		return cmp.Or(bytes.Compare(a.hash[:], b.hash[:]), cmp.Compare(a.doc, b.doc))
	})
	// Documents of an id ascend in input order, so each but the last is replaced.
	gone = make([][]uint64, len(j.plan.Inputs))
	for i := 1; i < len(ids); i++ {
		if d := ids[i-1].doc; ids[i].hash == ids[i-1].hash {
			gone[d>>32] = append(gone[d>>32], d&0xffffffff)
		}
	}
	return gone, err
}

// classOf maps a count to one of 127 classes. A small count may be too high but never too low, so
// tokens of class 0 occur in at most one set and can be dropped.
func classOf(n uint32) uint8 {
	if n <= 16 {
		return uint8(max(n, 1) - 1)
	}
	octave := bits.Len32(n) - 1 // 4 or more
	return uint8(15 + 4*(octave-4) + int(n>>(octave-2)&3))
}

// readOrder returns the global order and the class of each counter.
func (j *Job) readOrder() (*index.Order, []byte, error) {
	r, err := j.open(Order, 0)
	if err != nil {
		return nil, nil, err
	}
	classes, err := r.section(classesSection)
	if err != nil {
		return nil, nil, err
	}
	encoded := append([]byte{1, byte(j.plan.SketchBits)}, binary.LittleEndian.AppendUint32(nil, 0)...)
	order, err := index.DecodeOrder(append(encoded, classes...))
	if err != nil {
		return nil, nil, r.broken("%v", err)
	}
	return order, classes, nil
}
