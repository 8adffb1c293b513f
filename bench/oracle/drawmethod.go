package main

// How measures are drawn.

// method draws a measure; nil is the default. Joins need what the collections keep.
func (d *drawer) method(joins bool, views []*Collection) *Method {
	m := &Method{Name: pick(d, []string{"jaccard", "jaccard", "containment", "containment", "multiset", "repetition", "tversky", "weighted", "weighted", "simhash"})}
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
