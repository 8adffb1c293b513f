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

const (
	meetPostings   = 8 << 20 // sorted at once
	roomCandidates = 8 << 20 // held before they are written
	heaps          = 256     // that the postings of a pass are sorted in
)

const (
	countCandidates = "candidates"
	countReplaced   = "replaced"
	countGroup      = "largest_group"
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
	total := int64(0)
	err = j.sections(ctx, task, func(p *result, i int) error {
		_, length, _, _, err := p.place(i)
		total += length / postingBytes
		return err
	})
	if err != nil {
		return err
	}
	passes := uint64(total/meetPostings + 1)
	for pass := range passes {
		all, err := j.postings(ctx, task, pass, passes, total)
		if err != nil {
			return err
		}
		for _, list := range all {
			if err := m.groups(ctx, list); err != nil {
				return err
			}
		}
	}
	err = m.flush()
	r.Counts[countReplaced], r.Counts[countPostings], r.Counts[countCandidates], r.Counts[countGroup] = int64(len(replaced)), total, m.written, int64(m.largest)
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

// postings reads those of a partition whose tokens are of a pass, in heaps of ascending
// tokens: a few small sorts take less time than one, and do not keep Ctrl-C waiting.
func (j *Job) postings(ctx context.Context, partition int, pass, passes uint64, total int64) (list [heaps][][2]uint64, err error) {
	for i := range list {
		list[i] = make([][2]uint64, 0, total/int64(passes)/heaps*9/8)
	}
	err = j.sections(ctx, partition, func(p *result, i int) error {
		words, err := p.words(i)
		if err != nil {
			return err
		}
		for k := 0; k+1 < len(words); k += 2 {
			if h := words[k] >> 32 * passes * heaps >> 32; h/heaps == pass {
				list[h%heaps] = append(list[h%heaps], [2]uint64{words[k], words[k+1]})
			}
		}
		return nil
	})
	return list, err
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

// meeting gathers candidates.
type meeting struct {
	rule    rule
	o       *output
	lists   [][]uint64 // by the shard of the lower set
	held    int
	written int64
	largest int
}

// groups joins the sets of each token.
func (m *meeting) groups(ctx context.Context, list [][2]uint64) error {
	slices.SortFunc(list, func(a, b [2]uint64) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) })
	for len(list) > 0 {
		n := 1
		for n < len(list) && list[n][0]>>32 == list[0][0]>>32 {
			n++
		}
		if err := m.group(ctx, list[:n]); err != nil {
			return err
		}
		list = list[n:]
	}
	return ctx.Err()
}

// group joins sets of one token, sorted by size. Two sets are a candidate if they could
// share enough after this token, the first that they have in common: any other common
// token gives a weaker bound, and the pair is found by its first one.
func (m *meeting) group(ctx context.Context, list [][2]uint64) error {
	m.largest = max(m.largest, len(list))
	first := 0
	for i, x := range list {
		if i%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		size := x[0] & 0xffffffff
		left := size - x[1]&maxPlace // members from this place on
		var ofSize, need uint64
		for k := first; k < i; k++ {
			y := list[k]
			other := y[0] & 0xffffffff
			if other != ofSize {
				ofSize, need = other, m.rule.need(other, size)
				if need > other { // it is too small for this size and all that follow
					for first < i && list[first][0] == y[0] {
						first++
					}
					k = first - 1
					continue
				}
			}
			if left >= need && other-y[1]&maxPlace >= need {
				if err := m.add(x[1]>>24, y[1]>>24); err != nil {
					return err
				}
			}
		}
	}
	return nil
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
