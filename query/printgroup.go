package query

// From tree to text: DISTINCT, GROUP BY and count(*).

import "slices"

// selected prints SELECT and its fields.
func (p *printer) selected(s *Search) {
	p.put("SELECT ")
	if s.Distinct {
		p.put("DISTINCT ")
	}
	p.put(s.Returning.String())
}

func (p *printer) group(s *Search) {
	for i, f := range s.Group {
		p.put([]string{" GROUP BY ", ", "}[min(i, 1)], f.String())
	}
	p.expr(" HAVING ", s.GroupHaving)
}

// counts reports whether count(*) is one of several fields.
func (f *Fields) counts() bool {
	return slices.ContainsFunc(f.List, func(x *Field) bool { return x.Counted })
}

// plain returns the list without count(*).
func (f *Fields) plain() string {
	return (&Fields{List: slices.DeleteFunc(slices.Clone(f.List), func(x *Field) bool { return x.Counted })}).String()
}
