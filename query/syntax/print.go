package syntax

// From tree to text. Errors and plans show statements in this form, and tests verify that
// the text parses to the same tree.

import (
	"slices"
	"strings"
)

// String returns the canonical text.
func (s *Similar) String() string {
	return printed(func(p *printer) {
		p.put("SIMILAR TO ", s.Target.String())
		p.nearest(&s.Search)
		p.names(" IN ", s.In)
		p.search(&s.Search)
	})
}

// String returns the canonical text.
func (s *Related) String() string {
	return printed(func(p *printer) {
		p.put("RELATED TO ", s.Target.String())
		p.names(" IN ", s.In)
		p.settings(s.With)
		p.search(&s.Search)
	})
}

// String returns the canonical text.
func (s *Pairs) String() string {
	return printed(func(p *printer) {
		p.put("SIMILAR PAIRS")
		p.nearest(&s.Search)
		p.word(s.Mutual, " MUTUAL")
		p.names(" IN ", s.In)
		p.names(" AGAINST ", s.Against)
		p.operand(" SINCE ", s.Since)
		p.search(&s.Search)
	})
}

// String returns the canonical text.
func (s *Clusters) String() string {
	return printed(func(p *printer) {
		p.put("CLUSTERS")
		p.names(" IN ", s.In)
		p.operand(" SINCE ", s.Since)
		p.using(s.Using)
		p.ignoring(s.Ignoring)
		p.expr(" WHERE ", s.Where)
		p.returning(&s.Search)
		p.group(&s.Search)
		p.expr(" HAVING ", s.Having)
		p.tail(&s.Search)
	})
}

// String returns the canonical text.
func (s *Select) String() string {
	return printed(func(p *printer) {
		p.selected(&s.Search)
		p.names(" FROM ", s.In)
		p.expr(" WHERE ", s.Where)
		p.group(&s.Search)
		p.tail(&s.Search)
	})
}

// String returns the canonical text.
func (s *View) String() string {
	return printed(func(p *printer) {
		p.selected(&s.Search)
		p.put(" FROM ", ViewName)
		p.names(" IN ", s.In)
		p.expr(" WHERE ", s.Where)
		p.group(&s.Search)
		p.tail(&s.Search)
	})
}

// String returns the canonical text.
func (s *Duplicates) String() string {
	return printed(func(p *printer) {
		p.put(map[bool]string{false: "SELECT", true: "DELETE"}[s.Delete], " DUPLICATES")
		p.names(" FROM ", s.In)
		p.using(s.Using)
		p.ignoring(s.Ignoring)
		p.expr(" WHERE ", s.Where)
		p.keep(s.Keep)
		p.tail(&s.Search)
	})
}

// String returns the canonical text.
func (s *Compare) String() string {
	return printed(func(p *printer) {
		p.put("COMPARE ", s.A.String(), " WITH ", s.B.String())
		p.names(" IN ", s.In)
		p.word(s.All, " USING ALL")
		for i, m := range s.Methods {
			p.put([]string{" USING ", ", "}[min(i, 1)], m.String())
		}
		p.ignoring(s.Ignoring)
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
		p.ignoring(s.Ignoring)
		p.word(s.Passages, " SHOW PASSAGES")
		p.operand(" LIMIT ", s.Limit)
	})
}

// String returns the canonical text.
func (s *Ledger) String() string {
	return printed(func(p *printer) {
		p.put("LEDGER")
		p.operand(" OF ", s.ID)
		p.names(" IN ", s.In)
		p.operand(" SINCE ", s.Since)
		p.operand(" LIMIT ", s.Limit)
	})
}

// String returns the canonical text.
func (s *Insert) String() string {
	return printed(func(p *printer) {
		p.put("INSERT INTO ", QuoteCollection(s.Into.Text))
		p.names(" (", s.Columns)
		p.put(") VALUES ")
		for i, row := range s.Rows {
			p.put([]string{"(", ", ("}[min(i, 1)])
			p.operands(row)
			p.put(")")
		}
		p.unless(s.Unless)
	})
}

// String returns the canonical text.
func (s *Update) String() string {
	return printed(func(p *printer) {
		p.names("UPDATE ", s.In)
		for i, a := range s.Set {
			p.put([]string{" SET ", ", "}[min(i, 1)], a.Field.String(), " = ", a.Value.String())
		}
		p.expr(" WHERE ", s.Where)
	})
}

// String returns the canonical text.
func (s *Delete) String() string {
	return printed(func(p *printer) {
		p.names("DELETE FROM ", s.From)
		p.expr(" WHERE ", s.Where)
		p.word(s.Erase, " ERASE")
	})
}

// String returns the canonical text.
func (s *Erase) String() string {
	return printed(func(p *printer) {
		p.put("ERASE ")
		p.operands(s.IDs)
		p.names(" IN ", s.In)
	})
}

// String returns the canonical text.
func (s *Create) String() string {
	return printed(func(p *printer) {
		p.put("CREATE COLLECTION ", QuoteCollection(s.Name.Text))
		p.settings(s.Settings)
	})
}

// String returns the canonical text.
func (s *Drop) String() string {
	return printed(func(p *printer) {
		p.put("DROP COLLECTION ", QuoteCollection(s.Name.Text))
		p.word(s.Erase, " ERASE")
	})
}

// String returns the canonical text.
func (s *Show) String() string {
	return printed(func(p *printer) {
		p.put("SHOW ", s.What)
		p.names(" IN ", s.In)
	})
}

// String returns the canonical text.
func (s *Check) String() string { return "CHECK" }

// String returns the canonical text.
func (s *Compact) String() string { return "COMPACT" }

// String returns the canonical text.
func (s *Explain) String() string {
	if s.Analyze {
		return "EXPLAIN ANALYZE " + s.Query.String()
	}
	return "EXPLAIN " + s.Query.String()
}

// ignoring prints IGNORING, nothing for nil.
func (p *printer) ignoring(x *Ignoring) {
	if x == nil {
		return
	}
	p.put(" IGNORING ")
	if x.In != nil {
		p.put(QuoteCollection(x.In.Text))
	}
	if x.In != nil && x.MoreThan != nil {
		p.put(", ")
	}
	if x.MoreThan != nil {
		p.put("MORE THAN ", x.MoreThan.String(), " DOCUMENTS")
	}
}

// selected prints SELECT and its fields.
func (p *printer) selected(s *Search) {
	p.put("SELECT ")
	p.word(s.Distinct, "DISTINCT ")
	p.put(s.Returning.String())
}

// search prints the clauses of SIMILAR TO and PAIRS.
func (p *printer) search(s *Search) {
	p.using(s.Using)
	p.ignoring(s.Ignoring)
	p.expr(" WHERE ", s.Where)
	p.word(s.Directed, " DIRECTED")
	p.returning(s)
	p.tail(s)
}

// returning prints RETURNING, nothing for the default columns.
func (p *printer) returning(s *Search) {
	if s.Returning != nil {
		p.put(" RETURNING ", s.Returning.String())
	}
}

// keep prints KEEP; "" prints nothing.
func (p *printer) keep(order string) {
	if order != "" {
		p.put(" KEEP ", strings.ToUpper(strings.ReplaceAll(order, "-", " ")))
	}
}

// group prints GROUP BY and HAVING.
func (p *printer) group(s *Search) {
	for i, f := range s.Group {
		p.put([]string{" GROUP BY ", ", "}[min(i, 1)], f.String())
	}
	p.expr(" HAVING ", s.GroupHaving)
}

// tail prints ORDER BY, LIMIT and OFFSET.
func (p *printer) tail(s *Search) {
	for i, k := range s.Order {
		p.put([]string{" ORDER BY ", ", "}[min(i, 1)], k.Field.String())
		p.word(k.Desc, " DESC")
	}
	p.operand(" LIMIT ", s.Limit)
	p.operand(" OFFSET ", s.Offset)
}

// names prints collections after a keyword.
func (p *printer) names(before string, names []Name) {
	for i, n := range names {
		p.put([]string{before, ", "}[min(i, 1)], QuoteCollection(n.Text))
	}
}

// nearest prints NEAREST, nothing if it is absent.
func (p *printer) nearest(s *Search) {
	p.operand(" NEAREST ", s.Nearest)
	p.word(s.Ties, " WITH TIES")
}

// operand prints an optional operand after a keyword.
func (p *printer) operand(before string, x Operand) {
	if x != nil {
		p.put(before, x.String())
	}
}

// word prints an optional keyword.
func (p *printer) word(said bool, word string) {
	if said {
		p.put(word)
	}
}

// settings prints WITH and its list.
func (p *printer) settings(list []Setting) {
	for i, set := range list {
		p.put([]string{" WITH (", ", "}[min(i, 1)], set.Name, " = ", set.Value.String())
	}
	p.word(len(list) > 0, ")")
}

// unless prints UNLESS SIMILAR and its threshold.
func (p *printer) unless(u *Unless) {
	if u == nil {
		return
	}
	p.put(" UNLESS SIMILAR")
	p.using(u.Using)
	p.expr(" ", u.Where)
}

// String returns the list as in SELECT.
func (f *Fields) String() string {
	if f.Star {
		return "*"
	}
	if f.Count {
		return "count(*)"
	}
	return printed(func(p *printer) {
		for i, x := range f.List {
			p.put([]string{"", ", "}[min(i, 1)], x.String())
		}
	})
}

// aggregates reports whether a field of the list is an aggregate.
func (f *Fields) aggregates() bool { return slices.ContainsFunc(f.List, isAggregate) }

// OnlyAggregates reports whether all fields of the list are aggregates.
func (f *Fields) OnlyAggregates() bool { return f.aggregates() && f.plain() == "" }

// plain returns the text of the list without aggregates.
func (f *Fields) plain() string {
	return (&Fields{List: slices.DeleteFunc(slices.Clone(f.List), isAggregate)}).String()
}

// isAggregate reports whether f is a function of many rows.
func isAggregate(f *Field) bool { return f.Aggregate != "" }
