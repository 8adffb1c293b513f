package web

// What requests for similar documents and for clusters have in common: where to look, by
// which measure, from which threshold on.

import (
	"cmp"
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

// arguments are those of a measure, by their names.
type arguments map[string]json.RawMessage

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
	if q.Args, err = s.Arguments.args(q.Measure); err != nil {
		return q, err
	}
	if err := q.Measure.Check(q.Args); err != nil {
		return q, bad("arguments: %v", err)
	}
	q.Min = q.Measure.Least()
	if text := scalar(s.Threshold); text != "" {
		if q.Min, err = api.ParseThreshold(text); err != nil {
			return q, bad("threshold: %v", oneLine(err))
		}
	}
	return q, nil
}

// args reads them, in the order of the measure: explicit arguments override a reading. A zero value is no argument.
func (a arguments) args(m api.Measure) (args api.Args, err error) {
	left := map[string]json.RawMessage{}
	for name, raw := range a {
		left[strings.ToLower(name)] = raw
	}
	for _, p := range m.Params() {
		name := cmp.Or(p.Name, m.String()) // an index is one argument here
		raw, text := left[name], scalar(left[name])
		if p.Only() {
			continue
		}
		if delete(left, name); text == "" || p.Low > 0 && isZero(text) {
			continue
		}
		value, err := argument(name, p, raw)
		if err != nil {
			return args, err
		}
		p.Set(&args, value)
	}
	for _, name := range slices.Sorted(maps.Keys(left)) {
		if !isZero(scalar(left[name])) { // which many clients send for what they leave out
			return args, bad("%s takes no argument %s", m, shown(name))
		}
	}
	return args, nil
}

func isZero(text string) bool { return slices.Contains([]string{"", "0", "-0", "false"}, text) }

// argument is the value of a parameter as the language writes it. A switch may be true or false.
func argument(name string, p api.Param, raw json.RawMessage) (string, error) {
	text := scalar(raw)
	switch {
	case slices.Equal(p.Words, api.OnOff):
		text = cmp.Or(map[string]string{"true": "on", "false": "off"}[text], text)
		fallthrough
	case p.Words != nil:
		if !slices.Contains(p.Words, text) {
			return "", bad("%s: %s is none of %s", name, shown(text), strings.Join(p.Words, ", "))
		}
	case p.Weight:
		if _, err := api.ParseWeight(text); err != nil {
			return "", bad("%s: %v", name, err)
		}
	case p.High > 0:
		n, err := strconv.ParseInt(text, 10, 64)
		switch {
		case err != nil:
			return "", bad("%s is %s, and must be %s", name, shown(text), p.Want())
		case n < p.Low || n > p.High:
			return "", bad("%s is %d, and must be %s", name, n, p.Want())
		}
	case raw[0] != '"':
		return "", bad("%s: %s is no string", name, shown(text))
	}
	return text, nil
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

// measureOf finds a measure by its name; "" is jaccard.
func measureOf(name string) (api.Measure, error) {
	if m, ok := api.ParseMeasure(cmp.Or(name, api.Jaccard.String())); ok {
		return m, nil
	}
	var names []string
	for _, m := range api.Measures() {
		names = append(names, m.String())
	}
	return 0, bad("there is no measure %s; there are %s", shown(name), strings.Join(names, ", "))
}

// leastSim is the smallest threshold that asks for anything. Two fingerprints may have all
// bits different: that is a similarity of 0, which is none.
func leastSim(m api.Measure) api.Threshold {
	if m.OfFingerprints() {
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
