package query

import "github.com/simdb/simdb/api"

// What the arguments of USING versions mean: a reading of sentences by name, and single
// ones that change it.

// versionArgs are those of the reading, with what is given beside it in their place.
func (m *Method) versionArgs() (a api.VersionArgs) {
	if m.arg("reading") == "paper" {
		a = api.PaperVersions()
	}
	for name, set := range map[string]func(value string){
		"case":        func(value string) { a.KeepCase = value == "keep" },
		"stop":        func(value string) { a.DropStop = value == "drop" },
		"resemblance": func(value string) { a.Alone = value == "off" },
		"of":          func(value string) { a.Of = sides[value] },
	} {
		if value := m.arg(name); value != "" {
			set(value)
		}
	}
	a.Share = m.weight("share")
	return a
}

var sides = map[string]api.Side{"both": api.BothSides, "query": api.QuerySide, "doc": api.DocSide}
