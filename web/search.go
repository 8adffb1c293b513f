package web

// What requests for similar documents and for clusters have in common: where to look, by
// which measure, from which threshold on.

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
)

// searched is the part of a request that says how similarity is meant.
type searched struct {
	Collections []string `json:"collections"`
	Ignoring    ignoring `json:"ignoring"`
	similarity
}

// similarity is by which measure, and from which threshold on.
type similarity struct {
	Measure   string          `json:"measure"`
	Arguments arguments       `json:"arguments"`
	Threshold json.RawMessage `json:"threshold"`
}

// arguments are those of all measures.
type arguments struct {
	Alpha json.RawMessage `json:"alpha"`
	Beta  json.RawMessage `json:"beta"`
	K     int             `json:"k"`
	Min   int             `json:"min"`
	Bits  *int            `json:"bits"`
	TF    bool            `json:"tf"`
	IDF   bool            `json:"idf"`
	SI    string          `json:"si"`
	versionArguments
}

// versionArguments are those of versions: how sentences are read and counted.
type versionArguments struct {
	Reading     string          `json:"reading"`
	Case        string          `json:"case"`
	Stop        string          `json:"stop"`
	Of          string          `json:"of"`
	Share       json.RawMessage `json:"share"`
	Agree       string          `json:"agree"`
	Resemblance *bool           `json:"resemblance"`
}

// lookup is what the database is asked.
type lookup struct {
	In       []string
	Ignoring ignoring
	Measure  api.Measure
	Args     api.Args
	Min      api.Threshold
	Limit    int
}

func (q lookup) options() []simdb.SearchOption {
	opts := q.Ignoring.with(simdb.Using(q.Measure, q.Args), simdb.Min(q.Min))
	if q.Limit > 0 {
		opts = append(opts, simdb.Limit(q.Limit))
	}
	if len(q.In) > 0 {
		opts = append(opts, simdb.In(q.In...))
	}
	return opts
}

// search makes of it what the database is asked.
func (s searched) search() (lookup, error) {
	q, err := s.similarity.search()
	q.In, q.Ignoring = s.Collections, s.Ignoring
	return q, err
}

func (s similarity) search() (q lookup, err error) {
	if q.Measure, err = measureOf(s.Measure); err != nil {
		return q, err
	}
	if q.Args, err = s.Arguments.args(); err != nil {
		return q, err
	}
	if err := q.Measure.Check(q.Args); err != nil {
		return q, bad("arguments: %v", err)
	}
	q.Min = usualThreshold(q.Measure)
	if text := scalar(s.Threshold); text != "" {
		if q.Min, err = api.ParseThreshold(text); err != nil {
			return q, bad("threshold: %v", oneLine(err))
		}
	}
	return q, nil
}

// args reads them. Of bits 0 is not the default but none.
func (a arguments) args() (args api.Args, err error) {
	args = api.Args{K: a.K, Min: a.Min, TF: a.TF, IDF: a.IDF, SI: a.SI}
	if args.Versions, err = a.versionArguments.args(); err != nil {
		return args, err
	}
	for _, w := range []struct {
		name string
		text string
		to   *api.Weight
	}{{"alpha", scalar(a.Alpha), &args.Alpha}, {"beta", scalar(a.Beta), &args.Beta}, {"share", scalar(a.Share), &args.Versions.Share}} {
		if w.text != "" {
			if *w.to, err = api.ParseWeight(w.text); err != nil {
				return args, bad("%s: %v", w.name, err)
			}
		}
	}
	if a.Min != 0 {
		if err := within("min", a.Min, 1, 1000); err != nil {
			return args, err
		}
	}
	if a.Bits != nil {
		if err := within("bits", *a.Bits, 0, 32); err != nil {
			return args, err
		}
		if args.Bits = *a.Bits; args.Bits == 0 {
			args.Bits = -1
		}
	}
	return args, nil
}

// args reads them. A reading comes first, and what stands beside it takes its place.
func (a versionArguments) args() (args api.VersionArgs, err error) {
	for _, word := range []struct {
		name, text string
		means      map[string]func()
	}{
		{"reading", a.Reading, map[string]func(){"simdb": func() {}, "paper": func() { args = api.PaperVersions() }}},
		{"case", a.Case, map[string]func(){"fold": func() { args.KeepCase = false }, "keep": func() { args.KeepCase = true }}},
		{"stop", a.Stop, map[string]func(){"keep": func() { args.DropStop = false }, "drop": func() { args.DropStop = true }}},
		{"agree", a.Agree, map[string]func(){"counted": func() { args.Print = false }, "fingerprint": func() { args.Print = true }}},
		{"of", a.Of, map[string]func(){"both": func() { args.Of = api.BothSides }, "query": func() { args.Of = api.QuerySide },
			"doc": func() { args.Of = api.DocSide }}},
	} {
		if word.text == "" {
			continue
		}
		set, ok := word.means[word.text]
		if !ok {
			return args, bad("%s: %s is none of %s", word.name, shown(word.text), strings.Join(slices.Sorted(maps.Keys(word.means)), ", "))
		}
		set()
	}
	if a.Resemblance != nil {
		args.Alone = !*a.Resemblance
	}
	if text := scalar(a.Share); text != "" {
		if args.Share, err = api.ParseWeight(text); err != nil {
			return args, bad("share: %v", err)
		}
	}
	return args, nil
}

// scalar is a number, or the text of a string, as it stands in a request; "" if it is left
// out. A number may have an exponent.
func scalar(raw json.RawMessage) string {
	var text string
	if len(raw) == 0 || json.Unmarshal(raw, &text) == nil {
		return text
	}
	if f, err := strconv.ParseFloat(string(raw), 64); err == nil {
		return strconv.FormatFloat(f, 'f', -1, 64)
	}
	return string(raw)
}

// measures are all there are.
func measures() (all []api.Measure) {
	for m := api.Jaccard; m.Valid(); m++ {
		all = append(all, m)
	}
	return all
}

// measureOf finds a measure by its name; "" is jaccard.
func measureOf(name string) (api.Measure, error) {
	var names []string
	for _, m := range measures() {
		if m.String() == name {
			return m, nil
		}
		names = append(names, m.String())
	}
	switch name {
	case "":
		return api.Jaccard, nil
	case "containment":
		return api.ContainmentOfQuery, nil
	}
	return 0, bad("there is no measure %s; there are %s", shown(name), strings.Join(names, ", "))
}

// usualThreshold is what a request without a threshold asks for, as a statement without
// one does.
func usualThreshold(m api.Measure) api.Threshold {
	switch m {
	case api.Entities:
		return api.Ratio(1, 2)
	case api.SI:
		return api.Ratio(7, 10)
	}
	return api.Ratio(4, 5)
}

// leastSim is the smallest threshold that asks for anything. Two fingerprints may have all
// bits different: that is a similarity of 0, which is none.
func leastSim(m api.Measure) api.Threshold {
	if m == api.SimHash {
		return api.Ratio(1, 64)
	}
	return api.Threshold{}
}

// of is the value of a column that only some rows have.
func of[T any](has bool, v T) *T {
	if !has {
		return nil
	}
	return &v
}

// counted says whether a measure has shared and union.
func counted(m api.Measure) bool {
	return m.OfBags() && m != api.Weighted || m == api.Patricia || m == api.Coverage
}
