package query

// The canonical text of statements that write.

// String returns the canonical text.
func (s *Insert) String() string {
	return printed(func(p *printer) {
		p.put("INSERT INTO ", quoteCollection(s.Into.Text))
		p.names(" (", s.Columns)
		p.put(") VALUES ")
		for i, row := range s.Rows {
			if i > 0 {
				p.put(", ")
			}
			p.put("(")
			p.operands(row)
			p.put(")")
		}
		p.unless(s.Unless)
	})
}

// String returns the canonical text.
func (s *Delete) String() string {
	return printed(func(p *printer) {
		p.names("DELETE FROM ", s.From)
		p.expr(" WHERE ", s.Where)
	})
}

// String returns the canonical text.
func (s *Update) String() string {
	return printed(func(p *printer) {
		p.names("UPDATE ", s.In)
		for i, a := range s.Set {
			p.put([]string{" SET ", ", "}[min(i, 1)], a.Field.String(), " = ", operandString(a.Value))
		}
		p.expr(" WHERE ", s.Where)
	})
}

// String returns the canonical text.
func (s *Create) String() string {
	return printed(func(p *printer) {
		p.put("CREATE COLLECTION ", quoteCollection(s.Name.Text))
		for i, set := range s.Settings {
			p.put([]string{" WITH (", ", "}[min(i, 1)], set.Name, " = ", operandString(set.Value))
		}
		if len(s.Settings) > 0 {
			p.put(")")
		}
	})
}

// String returns the canonical text.
func (s *Drop) String() string { return "DROP COLLECTION " + quoteCollection(s.Name.Text) }
