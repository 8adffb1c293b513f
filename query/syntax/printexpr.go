package syntax

// From tree to text: operands, predicates and names.

import (
	"strconv"
	"strings"
)

// printer writes the canonical text of a statement: keywords in upper case,
// strings in single quotes, names quoted only where they must be.
type printer struct{ strings.Builder }

// printed returns the output of a print function.
func printed(print func(*printer)) string {
	var p printer
	print(&p)
	return p.String()
}

// put writes the parts without spaces.
func (p *printer) put(parts ...string) {
	for _, s := range parts {
		p.WriteString(s)
	}
}

// using prints USING, nothing for the default measure.
func (p *printer) using(m *Method) {
	if m != nil {
		p.put(" USING ", m.String())
	}
}

// operands prints a list with commas.
func (p *printer) operands(list []Operand) {
	for i, x := range list {
		if i > 0 {
			p.put(", ")
		}
		p.put(x.String())
	}
}

// String returns the target as in SIMILAR TO.
func (t Target) String() string {
	s := []string{"", "FILE ", "TEXT ", "FINGERPRINT "}[t.Kind] + t.Value.String()
	if t.Of != nil {
		s += " OF " + QuoteCollection(t.Of.Text)
	}
	return s
}

// String returns the method as in USING.
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

// String returns the argument: a number bare, any other value in quotes.
func (a Arg) String() string {
	value := a.Value
	if !a.Number {
		value = QuoteString(value)
	}
	if a.Name == "" {
		return value
	}
	return a.Name + " = " + value
}

// String returns the path with dots between its names.
func (f *Field) String() string {
	if f.Aggregate == "count" {
		return "count(*)"
	}
	if f.Aggregate != "" {
		return f.Aggregate + "(" + f.Of.String() + ")"
	}
	if f.Group != nil {
		return f.Group.String()
	}
	if f.Call != nil {
		return f.Call.String()
	}
	var names []string
	for _, s := range f.Path {
		names = append(names, s.String())
	}
	return strings.Join(names, ".")
}

// String returns the name, quoted if the source quoted it.
func (s Step) String() string {
	if s.Quoted {
		return `"` + strings.ReplaceAll(s.Name, `"`, `""`) + `"`
	}
	return QuoteName(s.Name)
}

// String returns the list in parentheses.
func (x *List) String() string {
	return printed(func(p *printer) {
		p.put("(")
		p.operands(x.Items)
		p.put(")")
	})
}

// String returns the parameter by its number, or its name.
func (x *Param) String() string {
	if x.Name != "" {
		return ":" + x.Name
	}
	return "$" + strconv.Itoa(x.Index)
}

// String returns the call.
func (x *Similarity) String() string {
	return printed(func(p *printer) {
		p.put("similarity(", map[bool]string{true: "simhash, "}[x.Hash], x.Target.String())
		p.using(x.Using)
		p.put(")")
	})
}

// String returns the constant.
func (x *Literal) String() string {
	switch x.Kind {
	case String:
		return QuoteString(x.Text)
	case Time:
		return "TIME " + QuoteString(x.Text)
	case Null:
		return "NULL"
	}
	return x.Text
}

// expr prints a predicate after a keyword, nothing for nil.
func (p *printer) expr(before string, e Expr) {
	if e == nil {
		return
	}
	p.put(before)
	p.pred(e)
}

// pred prints a predicate without parentheses around it.
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
		p.put(e.Left.String(), " ", e.Op, " ", e.Right.String())
		if e.OfBest {
			p.put(" OF BEST")
		}
	case *Between:
		p.put(e.X.String(), not[e.Not], " BETWEEN ", e.Low.String(), " AND ", e.High.String())
	case *In:
		p.put(e.X.String(), not[e.Not], " IN (")
		p.operands(e.List)
		p.put(")")
	case *Like:
		word := map[bool]string{false: " LIKE ", true: " GLOB "}[e.Glob]
		p.put(e.X.String(), not[e.Not], word, e.Pattern.String())
	case *Has:
		p.put(e.X.String(), not[e.Not], " HAS ", e.Item.String())
	case *IsNull:
		p.put(e.X.String(), " IS", not[e.Not], " NULL")
	case *Within:
		p.put(e.X.String(), " WITHIN ", e.By.String())
	}
}

// joined prints predicates with AND or OR between them.
func (p *printer) joined(by string, args []Expr, tight bool) {
	for i, a := range args {
		if i > 0 {
			p.put(by)
		}
		p.inner(a, tight)
	}
}

// inner prints a predicate inside another. It adds parentheses only if the outer one binds
// tighter: superfluous ones would count towards the nesting depth when the text is parsed
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

// QuoteString returns s as a string of the language.
func QuoteString(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// QuoteName returns a name, quoted unless the lexer reads it bare.
func QuoteName(s string) string {
	lex := newLexer(s)
	if t := lex.next(); t.kind == tokName && t.end == len(s) && !isReserved(s) {
		return s
	}
	return `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
}

// QuoteCollection returns the name of a collection. It quotes si_view, which means the view
// if bare.
func QuoteCollection(s string) string {
	if strings.EqualFold(s, ViewName) {
		return `"` + s + `"`
	}
	return QuoteName(s)
}
