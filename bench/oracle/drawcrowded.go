package main

// How stores are drawn where many pairs have one sim and a join has little memory: a level of sim
// is then in parts (engine/internal/pairs/levelparts.go).

import "strings"

// crowded draws two collections of texts of three words, of few words in all, and about so many
// joins, mostly of the one against the other with a test of one side.
func (d *drawer) crowded(statements int) *Script {
	d.unit, d.prose, d.vocab = "word", false, 6
	d.script.MemoryBytes = pick(d, []int64{16 << 10, 24 << 10, 32 << 10})
	d.names = []string{"docs", "aa"}
	words := strings.Fields("a b c d e f g h")
	for _, name := range d.names {
		d.state(&Statement{Kind: "create", Name: name, Settings: map[string]string{"k": "1", "index": "'year, tags'"}, Limit: -1})
		s := &Statement{Kind: "insert", Name: name, Limit: -1}
		for range 20 + d.IntN(30) {
			doc := d.document(d.id())
			d.Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })
			doc.Text = strings.Join(words[:3], " ")
			s.Rows = append(s.Rows, doc)
		}
		d.state(s)
	}
	for range statements {
		d.churn()
		s := d.similarPairs()
		if len(s.In)+len(s.Against) == 2 && !d.one(4) {
			side := pick(d, []string{"a.", "b.", "b."})
			few := &Pred{Op: "IN", Field: side + "id"}
			for range 5 + d.IntN(10) {
				few.Values = append(few.Values, d.id())
			}
			if methodOf(s.Method).Name == "jaccard" && !d.one(4) { // a join of all is mostly quicker
				s.Method = &Method{Name: "jaccard", Args: []Arg{{"access", "'scan'"}}}
			}
			low := &Pred{Op: ">=", Field: "sim", Values: constants{pick(d, []value{number(1, 5), number(1, 2)})}}
			s.Where = and(low, pick(d, []*Pred{few, d.test(d.views(d.names), side)}))
		}
		d.state(s)
	}
	return d.script
}
