package main

// This file lists the measurements.

import "context"

// A measurement is one thing that is measured in a process of its own.
type measurement struct {
	name  string
	run   func(context.Context, *env) error
	once  bool  // its size does not matter: it runs at the first size only
	only  []int // sizes at which it runs; none means all
	most  int   // greatest size at which it runs; 0 means any
	cores []int // core numbers to measure on; none means 2
	two   int   // above so many documents it runs on 2 cores alone; 0 means never
}

// measurements are all there are, in the order in which they run at one size:
// those that make a store come before those that use it.
var measurements = []measurement{
	{name: "analysis", run: measureAnalysis, once: true, cores: []int{1}},
	{name: "put", run: measurePut, once: true},
	{name: "linuxdoc", run: measureLinuxdoc, once: true},
	{name: "texts", run: measureTexts, once: true},
	{name: "load", run: measureLoad, only: []int{100_000, 1_000_000}, cores: []int{1, 2}},
	{name: "unless", run: measureUnless, only: []int{100_000, 1_000_000}},
	{name: "import", run: measureImport},
	{name: "disk", run: measureDisk},
	{name: "open", run: measureOpen},
	{name: "search", run: measureSearch},
	{name: "cold", run: measureCold, most: 100_000},
	{name: "pairs", run: measurePairs, cores: []int{1, 2}, two: 1_000_000},
	{name: "pairs-char", run: measureCharPairs, only: []int{100_000}},
	{name: "pairs-equal", run: measureEqualPairs, only: []int{100_000}},
	{name: "churn", run: measureChurn, only: []int{100_000}},
	{name: "groups", run: measureGroups, only: []int{100_000, 1_000_000}},
	{name: "where", run: measureWhere, only: []int{100_000, 1_000_000}},
	{name: "sets", run: measureSets, most: 1_000_000},
	{name: "simhash", run: measureSimHash, only: []int{1_000_000, 10_000_000}, cores: []int{1, 2}},
	{name: "simhash-store", run: measureStoredSimHash, most: 1_000_000},
	{name: "check", run: check},
}

func names() (all []string) {
	for _, m := range measurements {
		all = append(all, m.name)
	}
	return all
}

func find(name string) (measurement, bool) {
	for _, m := range measurements {
		if m.name == name {
			return m, true
		}
	}
	return measurement{}, false
}

// wants says whether the measurement runs at this size.
func (m measurement) wants(size int, first bool) bool {
	switch {
	case m.once:
		return first
	case m.most > 0 && size > m.most:
		return false
	}
	for _, s := range m.only {
		if s == size {
			return true
		}
	}
	return len(m.only) == 0
}

func (m measurement) coresAt(size int) []int {
	if len(m.cores) == 0 || m.two > 0 && size > m.two {
		return []int{2}
	}
	return m.cores
}
