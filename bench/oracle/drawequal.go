package main

// How stores are drawn where many texts are equal: rows are then counted, not made.

// equal draws one or two collections of many documents with few texts, and about so many
// statements that count pairs and groups.
func (d *drawer) equal(statements int) *Script {
	d.unit, d.prose, d.vocab = pick(d, []string{"word", "word", "char"}), false, pick(d, []int{4, 10, 26})
	if d.one(2) {
		d.foreign()
	}
	d.names = []string{"docs", "aa"}[:1+d.IntN(2)]
	settings := map[string]string{"k": "1", "unit": literal(d.unit), "index": "'year, tags'"}
	for _, name := range d.names {
		d.state(&Statement{Kind: "create", Name: name, Settings: settings, Limit: -1})
	}
	var texts []string
	for range 2 + d.IntN(5) {
		texts = append(texts, visible(d.text()))
	}
	for _, name := range d.names {
		s := &Statement{Kind: "insert", Name: name, Limit: -1}
		for range 10 + d.IntN(50) {
			doc := d.document(d.id())
			doc.Text = visible(doc.Text)
			if !d.one(10) {
				doc.Text = pick(d, texts)
			}
			s.Rows = append(s.Rows, doc)
		}
		d.state(s)
	}
	for range statements {
		d.churn()
		s := d.counting()
		op := "statement"
		if d.one(12) && s.explains() {
			op = "explain"
		}
		d.step(&Step{Op: op, Statement: s})
	}
	return d.script
}

// counting draws a statement whose rows are counted.
func (d *drawer) counting() *Statement {
	switch d.IntN(8) {
	case 0:
		return d.clusters()
	case 1:
		return d.selectDuplicates()
	case 2:
		s := d.siView()
		s.Returning, s.Order, s.Group, s.Having, s.Distinct, s.Limit, s.Offset = []string{"count(*)", "max(similarity)", "min(distance)", "avg(distance)"}, nil, nil, nil, false, -1, 0
		return s
	}
	s := d.similarPairs()
	if d.one(2) {
		s.Nearest, s.Ties, s.Mutual, s.OfBest = 0, false, false, ""
	}
	if s.Returning = []string{"count(*)"}; !d.one(4) {
		s.Order, s.Limit, s.Offset = nil, -1, 0
	}
	s.Order = nil
	return s
}
