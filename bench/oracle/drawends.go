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
