package query

// The canonical text of RELATED TO.

// String returns the canonical text.
func (s *Related) String() string {
	return printed(func(p *printer) {
		p.put("RELATED TO ", s.Target.String())
		p.names(" IN ", s.In)
		for i, set := range s.With {
			p.put([]string{" WITH (", ", "}[min(i, 1)], set.Name, " = ", operandString(set.Value))
		}
		if len(s.With) > 0 {
			p.put(")")
		}
		p.search(&s.Search)
	})
}
