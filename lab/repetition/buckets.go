package repetition

import "github.com/simdb/simdb/api"

// This file puts documents into prefix buckets, with or without intervals of
// repetition, as the paper defines them.

// bucket names a postings list of the paper: a symbol, and the interval of its
// repetition, or '-' where intervals are not used.
type bucket struct {
	symbol   uint32
	interval byte
}

// interval returns the letter that table 2 of the paper gives a repetition:
// A for 1–10, B for 11–20, … J for 91–100, K for others.
func interval(repetition uint32) byte {
	return 'A' + byte(min((repetition-1)/10, 10))
}

// method says how documents are put into buckets.
type method struct {
	order     order
	intervals bool
	j         api.Threshold
}

// buckets returns those a document belongs to, one for each symbol of its
// prefix.
func (m method) buckets(d document) []bucket {
	var in []bucket
	for _, i := range m.order.prefix(d, m.j) {
		b := bucket{uint32(d.bag.Set[i]), '-'}
		if m.intervals {
			b.interval = interval(d.bag.Counts[i])
		}
		in = append(in, b)
	}
	return in
}

// index holds numbers of documents by bucket, in the order they were added.
type index map[bucket][]int32

func (x index) add(doc int32, in []bucket) {
	for _, b := range in {
		x[b] = append(x[b], doc)
	}
}

func (x index) postings() (n int) {
	for _, list := range x {
		n += len(list)
	}
	return n
}
