package main

// Aggregates by their definition: all numbers of a group, one after the other.

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
