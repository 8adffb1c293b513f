package main

// Groups and aggregates: how they are drawn, and their definition: all numbers of a group, one after the
// other.

import (
	"math/big"
	"slices"
	"strings"
)

var aggregates = []string{"count", "sum", "avg", "min", "max"}

// aggregate takes a column like sum(year) apart. Another column has no name.
func aggregate(column string) (name, of string) {
	name, of, _ = strings.Cut(strings.TrimSuffix(column, ")"), "(")
	if !slices.Contains(aggregates, name) || !strings.HasSuffix(column, ")") {
		return "", ""
	}
	return name, of
}

func onlyAggregates(columns []string) bool {
	return columns != nil && !slices.ContainsFunc(columns, func(c string) bool { name, _ := aggregate(c); return name == "" })
}

// overall is an aggregate of some rows.
func overall(name, of string, rows []row) value {
	if name == "count" {
		return integer(len(rows))
	}
	var all []*big.Rat
	sum := new(big.Rat)
	for _, r := range rows {
		if n, ok := numeric(r.field(of)); ok {
			all = append(all, n)
			sum = new(big.Rat).Add(sum, n)
		}
	}
	switch {
	case len(all) == 0:
		return nil
	case name == "sum":
		return sum
	case name == "avg":
		return new(big.Rat).Quo(sum, integer(len(all)))
	case name == "min":
		return slices.MinFunc(all, (*big.Rat).Cmp)
	}
	return slices.MaxFunc(all, (*big.Rat).Cmp)
}

// group draws GROUP BY with aggregates of some fields, HAVING and ORDER BY.
func (d *drawer) group(s *Statement, by []string, numbers ...string) {
	s.Group, s.Returning, s.Order = by, append(slices.Clone(by), "count(*)"), nil
	if d.one(2) {
		s.Returning = append(s.Returning, d.aggregates(numbers)...)
	}
	if s.Having == nil && d.one(2) {
		s.Having = &Pred{Op: pick(d, []string{">", "<="}), Field: "count(*)", Values: constants{integer(1 + d.IntN(3))}}
		if d.one(3) {
			s.Having = &Pred{Op: pick(d, []string{">=", "<"}), Field: d.aggregates(numbers)[0], Values: constants{pick(d, []value{integer(2002), number(1, 2), integer(8)})}}
		}
	}
	if d.one(3) {
		s.Order = []Key{{pick(d, s.Returning), d.one(2)}}
	}
}

// aggregates draws one to three of those fields that may be read as numbers.
func (d *drawer) aggregates(fields []string) (out []string) {
	numbers := slices.DeleteFunc(slices.Clone(fields), func(f string) bool { return slices.Contains([]string{"id", "collection", "text"}, f) })
	for range 1 + d.IntN(3) {
		out = append(out, pick(d, aggregates[1:])+"("+pick(d, numbers)+")")
	}
	return names(out)
}
