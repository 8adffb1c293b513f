package query

// From tree to text. Errors and plans show statements in this form. The tests
// check that the text parses to the same tree.

import (
	"strconv"
	"strings"
)

// printer writes the canonical text of a statement: keywords in upper case,
// strings in single quotes, names quoted only where they must be.
type printer struct{ strings.Builder }

func printed(print func(*printer)) string {
	var p printer
	print(&p)
	return p.String()
}

func (p *printer) put(parts ...string) {
	for _, s := range parts {
		p.WriteString(s)
	}
}

// String returns the canonical text.
func (s *Similar) String() string {
	return printed(func(p *printer) {
		p.put("SIMILAR TO ", s.Target.String())
		p.nearest(s.Nearest)
		p.names(" IN ", s.In)
		p.search(&s.Search)
	})
}

// String returns the canonical text.
func (s *Pairs) String() string {
	return printed(func(p *printer) {
		p.put("SIMILAR PAIRS")
		p.nearest(s.Nearest)
		if s.Mutual {
			p.put(" MUTUAL")
		}
		p.names(" IN ", s.In)
		p.names(" AGAINST ", s.Against)
		p.since(s.Since)
		p.search(&s.Search)
	})
}

// String returns the canonical text.
func (s *Clusters) String() string {
	return printed(func(p *printer) {
		p.put("CLUSTERS")
		p.names(" IN ", s.In)
		p.since(s.Since)
		p.using(s.Using)
		p.expr(" WHERE ", s.Where)
		if s.Returning != nil {
			p.put(" RETURNING ", s.Returning.String())
		}
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
		p.put(" FROM ", viewName)
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
		p.expr(" WHERE ", s.Where)
		if s.Keep != "" {
			p.put(" KEEP ", strings.ToUpper(strings.ReplaceAll(s.Keep, "-", " ")))
		}
		p.tail(&s.Search)
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

// search prints the clauses of SIMILAR TO and PAIRS.
func (p *printer) search(s *Search) {
	p.using(s.Using)
	p.expr(" WHERE ", s.Where)
	if s.Returning != nil {
		p.put(" RETURNING ", s.Returning.String())
	}
	p.tail(s)
}

func (p *printer) tail(s *Search) {
	for i, k := range s.Order {
		p.put([]string{" ORDER BY ", ", "}[min(i, 1)], k.Field.String())
		if k.Desc {
			p.put(" DESC")
		}
	}
	if s.Limit != nil {
		p.put(" LIMIT ", operandString(s.Limit))
	}
	if s.Offset != nil {
		p.put(" OFFSET ", operandString(s.Offset))
	}
}

func (p *printer) names(before string, names []Name) {
	for i, n := range names {
		p.put([]string{before, ", "}[min(i, 1)], quoteCollection(n.Text))
	}
}

func (p *printer) nearest(n Operand) {
	if n != nil {
		p.put(" NEAREST ", operandString(n))
	}
}

func (p *printer) since(mark Operand) {
	if mark != nil {
		p.put(" SINCE ", operandString(mark))
	}
}

func (p *printer) using(m *Method) {
	if m != nil {
		p.put(" USING ", m.String())
	}
}

func (p *printer) unless(u *Unless) {
	if u == nil {
		return
	}
	p.put(" UNLESS SIMILAR")
	p.using(u.Using)
	p.expr(" ", u.Where)
}

func (p *printer) operands(list []Operand) {
	for i, x := range list {
		if i > 0 {
			p.put(", ")
		}
		p.put(operandString(x))
	}
}

// String returns the target as it is written behind SIMILAR TO.
func (t Target) String() string {
	return []string{"", "FILE ", "TEXT ", "FINGERPRINT "}[t.Kind] + operandString(t.Value)
}

// String returns the method as it is written behind USING.
func (m *Method) String() string {
	return printed(func(p *printer) {
		p.put(m.Name)
		for i, a := range m.Args {
			p.put([]string{"(", ", "}[min(i, 1)], a.String())
		}
		if len(m.Args) > 0 {
			p.put(")")
		}
	})
}

// String returns the argument: a number bare, anything else in quotes.
func (a Arg) String() string {
	value := a.Value
	if !a.Number {
		value = quoteString(value)
	}
	if a.Name == "" {
		return value
	}
	return a.Name + " = " + value
}

// String returns the list as it is written behind SELECT.
func (f *Fields) String() string {
	if f.Star {
		return "*"
	}
	if f.Count {
		return "count(*)"
	}
	return printed(func(p *printer) {
		for i, x := range f.List {
			if i > 0 {
				p.put(", ")
			}
			p.put(x.String())
		}
	})
}

// String returns the path with its dots.
func (f *Field) String() string {
	if f.Counted {
		return "count(*)"
	}
	if f.Call != nil {
		return operandString(f.Call)
	}
	var names []string
	for _, s := range f.Path {
		names = append(names, s.String())
	}
	return strings.Join(names, ".")
}

// String returns the name, in quotes if it was.
func (s Step) String() string {
	if s.Quoted {
		return `"` + strings.ReplaceAll(s.Name, `"`, `""`) + `"`
	}
	return quoteName(s.Name)
}

func operandString(x Operand) string {
	switch x := x.(type) {
	case *Field:
		return x.String()
	case *List:
		return printed(func(p *printer) {
			p.put("(")
			p.operands(x.Items)
			p.put(")")
		})
	case *Param:
		if x.Name != "" {
			return ":" + x.Name
		}
		return "$" + strconv.Itoa(x.Index)
	case *Similarity:
		return printed(func(p *printer) {
			p.put("similarity(", map[bool]string{true: "simhash, "}[x.Hash], x.Target.String())
			p.using(x.Using)
			p.put(")")
		})
	case *Literal:
		switch x.Kind {
		case String:
			return quoteString(x.Text)
		case Time:
			return "TIME " + quoteString(x.Text)
		case Null:
			return "NULL"
		}
		return x.Text
	}
	return ""
}

// expr prints a predicate behind a keyword, nothing if there is none.
func (p *printer) expr(before string, e Expr) {
	if e == nil {
		return
	}
	p.put(before)
	p.pred(e)
}

func (p *printer) pred(e Expr) {
	not := map[bool]string{true: " NOT"}
	switch e := e.(type) {
	case *And:
		p.joined(" AND ", e.Args, true)
	case *Or:
		p.joined(" OR ", e.Args, false)
	case *Not:
		p.put("NOT ")
		p.inner(e.Arg, true)
	case *Comparison:
		p.put(operandString(e.Left), " ", e.Op, " ", operandString(e.Right))
	case *Between:
		p.put(operandString(e.X), not[e.Not], " BETWEEN ", operandString(e.Low), " AND ", operandString(e.High))
	case *In:
		p.put(operandString(e.X), not[e.Not], " IN (")
		p.operands(e.List)
		p.put(")")
	case *Like:
		word := map[bool]string{false: " LIKE ", true: " GLOB "}[e.Glob]
		p.put(operandString(e.X), not[e.Not], word, operandString(e.Pattern))
	case *Has:
		p.put(operandString(e.X), not[e.Not], " HAS ", operandString(e.Item))
	case *IsNull:
		p.put(operandString(e.X), " IS", not[e.Not], " NULL")
	case *Within:
		p.put(operandString(e.X), " WITHIN ", operandString(e.By))
	}
}

func (p *printer) joined(by string, args []Expr, tight bool) {
	for i, a := range args {
		if i > 0 {
			p.put(by)
		}
		p.inner(a, tight)
	}
}

// inner prints a predicate inside another one. It adds parentheses only if the
// outer one binds tighter: others would count as depth when the text is parsed
// again.
func (p *printer) inner(e Expr, tight bool) {
	switch e.(type) {
	case *And, *Or:
		if tight {
			p.put("(")
			p.pred(e)
			p.put(")")
			return
		}
	}
	p.pred(e)
}

func quoteString(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// quoteName writes a name bare if the lexer would read it so.
func quoteName(s string) string {
	lex := newLexer(s)
	if t := lex.next(); t.kind == tokName && t.end == len(s) && !isReserved(s) {
		return s
	}
	return `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
}

// quoteCollection writes the name of a collection. It quotes si_view, which is
// the view if it is bare.
func quoteCollection(s string) string {
	if strings.EqualFold(s, viewName) {
		return `"` + s + `"`
	}
	return quoteName(s)
}
