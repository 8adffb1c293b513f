package scale

// The stage meet: the postings of a partition are sorted, and sets with a common token that
// sizes and places allow to be a pair become candidates. It also finds the ids that occur
// several times: the last document of an id counts, as in a store.
//
//	section 0   documents that another one replaces: shard<<32 | document (u64)
//	from 1 on   for each shard the candidates whose lower set it has: the other's shard
//	            (16 bits) and set (24), the lower set (24); again and again where memory is full

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"slices"
)

const roomCandidates = 8 << 20 // held before they are written

const (
	countCandidates = "candidates"
	countReplaced   = "replaced"
	countGroup      = "largest_group"
	countHeld       = "postings_at_once"
)

func candidate(shard int, set, lower uint32) uint64 {
	return uint64(shard)<<48 | uint64(set)<<24 | uint64(lower)
}

func (j *Job) meet(ctx context.Context, task int, o *output, r *Record) error {
	replaced, err := j.replaced(ctx, task)
	if err != nil {
		return err
	}
	if err := o.sectionWords(replaced); err != nil {
		return err
	}
	m := meeting{rule: j.rule, o: o, lists: make([][]uint64, len(j.plan.Inputs))}
	ranges, total, err := j.ranges(ctx, task)
	if err != nil {
		return err
	}
	for _, of := range ranges {
		if of.n > j.room {
			if err := m.cut(ctx, j, task, of); err != nil {
				return err
			}
			continue
		}
		all, err := j.postings(ctx, task, of)
		if err != nil {
			return err
		}
		m.most = max(m.most, of.n)
		for _, list := range all {
			if err := m.groups(ctx, list); err != nil {
				return err
			}
		}
	}
	err = m.flush()
	r.Counts[countReplaced], r.Counts[countPostings], r.Counts[countCandidates] = int64(len(replaced)), total, m.written
	r.Counts[countGroup], r.Counts[countHeld] = m.largest, m.most
	return err
}

// sections calls do for the sections of the prefix stage that belong to a partition.
func (j *Job) sections(ctx context.Context, partition int, do func(p *result, section int) error) error {
	return j.each(ctx, Prefix, func(_ int, p *result) error {
		for i := partition; i < p.n; i += j.plan.Partitions {
			if err := do(p, i); err != nil {
				return err
			}
		}
		return nil
	})
}

// replaced returns the documents of a partition of ids that a later one replaces.
func (j *Job) replaced(ctx context.Context, partition int) (gone []uint64, err error) {
	type id struct {
		hash [16]byte
		doc  uint64
	}
	var ids []id
	err = j.each(ctx, Analyse, func(shard int, r *result) error {
		b, err := r.section(idsSection + partition)
		if err != nil {
			return err
		}
		for ; len(b) >= idBytes; b = b[idBytes:] {
			ids = append(ids, id{[16]byte(b), uint64(shard)<<32 | uint64(binary.LittleEndian.Uint32(b[16:]))})
		}
		return nil
	})
	slices.SortFunc(ids, func(a, b id) int {
		return cmp.Or(bytes.Compare(a.hash[:], b.hash[:]), cmp.Compare(a.doc, b.doc))
	})
	for i := 1; i < len(ids); i++ {
		if ids[i].hash == ids[i-1].hash {
			gone = append(gone, ids[i-1].doc)
		}
	}
	return gone, err
}

// add adds the candidate of two sets, each set<<16 | shard.
func (m *meeting) add(a, b uint64) error {
	as, bs := int(a&0xffff), int(b&0xffff)
	if bs < as || bs == as && b < a {
		a, b, as, bs = b, a, bs, as
	}
	if a == b {
		return nil // a token twice, by its high bits
	}
	m.lists[as] = append(m.lists[as], candidate(bs, uint32(b>>16), uint32(a>>16)))
	if m.held++; m.held < roomCandidates {
		return nil
	}
	return m.flush()
}

func (m *meeting) flush() error {
	for i, list := range m.lists {
		slices.Sort(list)
		list = slices.Compact(list)
		m.written += int64(len(list))
		if err := m.o.sectionWords(list); err != nil {
			return err
		}
		m.lists[i] = list[:0]
	}
	m.held = 0
	return nil
}
