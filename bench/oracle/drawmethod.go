package main

// How measures are drawn, and their thresholds.

import "math/big"

// method draws a measure; nil is the default. Joins need what the collections keep.
func (d *drawer) method(joins bool, views []*Collection) *Method {
	m := &Method{Name: pick(d, []string{"jaccard", "jaccard", "containment", "containment", "multiset", "repetition", "tversky", "dice", "overlap", "overlap", "weighted", "weighted", "simhash"})}
	if d.one(4) {
		return nil
	}
	if d.prose && d.one(2) {
		if t := d.textMethod(joins, views); t != nil {
			return t
		}
	}
	add := func(name string, values ...string) { m.Args = append(m.Args, Arg{name, pick(d, values)}) }
	switch m.Name {
	case "containment":
		if d.one(2) {
			add("of", "'doc'", "'query'")
		}
	case "weighted":
		if d.one(2) {
			add("of", "'doc'", "'query'", "'union'")
		}
		if d.one(4) {
			add("by", "'1/df'")
		}
		if d.one(4) {
			add("access", "'postings'", "'scan'")
		}
		return m
	case "tversky":
		add("alpha", "1", "0", "1/2", "0.25", "3")
		add("beta", "1", "1/2", "0.5", "2")
	}
	if !joins && m.Name != "simhash" && d.one(8) {
		add("k", "1", "2", "5")
	}
	if d.one(4) {
		switch m.Name {
		case "simhash":
			add("access", "'rotated'", "'scan'")
		case "jaccard":
			add("access", "'prefix'", "'prefix'", "'prefix'", "'postings'", "'signature'", "'scan'", "'scan'")
		default:
			add("access", "'postings'", "'prefix'", "'prefix'", "'prefix'", "'signature'", "'scan'", "'scan'")
		}
	}
	return m
}

// edge draws a threshold: often the very score of two documents.
func (d *drawer) edge(m *Method) *big.Rat {
	if !d.one(3) {
		c, a := d.some()
		if a != nil {
			if s, ok := (&Statement{world: d.w}).score(m, a, pick(d, c.sorted()), c); ok && s.N <= s.D {
				if x := number(s.N, s.D); x.Denom().BitLen() <= 30 {
					return x
				}
			}
		}
	}
	return pick(d, []*big.Rat{number(0, 1), number(1, 20), number(1, 10), number(3, 10), number(1, 2), number(4, 5), number(9, 10), number(1, 1)})
}
