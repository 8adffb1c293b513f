package query

// How COMPARE and SOURCES OF print themselves.

// String returns the canonical text.
func (s *Compare) String() string {
	return printed(func(p *printer) {
		p.put("COMPARE ", s.A.String(), " WITH ", s.B.String())
		p.names(" IN ", s.In)
		if s.All {
			p.put(" USING ALL")
		}
		for i, m := range s.Methods {
			p.put([]string{" USING ", ", "}[min(i, 1)], m.String())
		}
		if s.Show != "" {
			p.put(" SHOW ", s.Show)
		}
	})
}

// String returns the canonical text.
func (s *Sources) String() string {
	return printed(func(p *printer) {
		p.put("SOURCES OF ", s.Target.String())
		p.names(" IN ", s.In)
		p.using(s.Using)
		if s.Passages {
			p.put(" SHOW PASSAGES")
		}
		if s.Limit != nil {
			p.put(" LIMIT ", operandString(s.Limit))
		}
	})
}
