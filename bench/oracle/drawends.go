package main

// Where the rows of a search end, and targets of other collections than those searched.

// ofBest draws the share of OF BEST, mostly none.
func (d *drawer) ofBest() string {
	if !d.one(6) {
		return ""
	}
	return pick(d, []string{"1", "0.95", "1/2", "30%", "2/3", "0.8"})
}

// elsewhere makes the target, now and then, a document of any collection.
func (d *drawer) elsewhere(s *Statement) {
	if s.Target.ID != "" && d.one(6) {
		c := pick(d, d.views(d.several(3)))
		if docs := c.sorted(); len(docs) > 0 {
			s.Target = &Target{ID: pick(d, docs).ID, Of: c.Name}
		}
	}
}

// createGroups keeps the documents of a collection in groups, which CHECK finds anew.
func (d *drawer) createGroups(collection string) *Statement {
	s := &Statement{Kind: "create groups", Name: collection, Limit: -1, Keep: pick(d, []string{"", "FIRST", "NEWEST", "LONGEST", "SHORTEST ID"})}
	if name := pick(d, []string{"", "", "multiset", "simhash"}); name != "" {
		s.Method = &Method{Name: name}
	}
	s.Settings = map[string]string{"sim": pick(d, []string{"0.2", "0.5", "4/5", "1"}), "kind": pick(d, []string{"", "STARS", "CONNECTED"})}
	return s
}

func (d *drawer) byID(id string) *Pred { return &Pred{Op: "=", Field: "id", Values: constants{id}} }
