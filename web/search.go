package web

// The common part of requests for similar documents and for clusters: collections, measure and
// threshold.

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

// searched is the part of a request that defines similarity and collections.
type searched struct {
	Collections []string `json:"collections"`
	Ignoring    ignoring `json:"ignoring"`
	similarity
}

// similarity is a measure and a threshold.
type similarity struct {
	Measure   string          `json:"measure"`
	Arguments arguments       `json:"arguments"`
	Threshold json.RawMessage `json:"threshold"`
}

// arguments are the arguments of a measure, by name.
type arguments map[string]json.RawMessage

// lookup holds the validated options of a search.
type lookup struct {
	In       []string
	Ignoring ignoring
	Measure  api.Measure
	Args     api.Args
	Min      api.Threshold
	Limit    int
}

// options returns the options of a call of the root package.
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

// search validates the request.
func (s searched) search() (lookup, error) {
	q, err := s.similarity.search()
	q.In, q.Ignoring = s.Collections, s.Ignoring
	return q, err
}

// search validates measure, arguments and threshold; the default threshold is that of the measure.
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

// args converts the arguments in the order of the measure, so that explicit arguments override those
// that the argument reading sets. A zero counts as missing if it is not among the accepted values.
func (a arguments) args(m api.Measure) (args api.Args, err error) {
	left := map[string]json.RawMessage{}
	for name, raw := range a {
		left[strings.ToLower(name)] = raw
	}
	for _, p := range m.Params() {
		name := cmp.Or(p.Name, m.String()) // a parameter without a name, such as that of an index, is called like the measure
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
		if !isZero(scalar(left[name])) { // many clients send zeros for missing arguments
			return args, bad("%s takes no argument %s", m, quoted(name))
		}
	}
	return args, nil
}

// isZero reports whether a value stands for a missing argument.
func isZero(text string) bool { return slices.Contains([]string{"", "0", "-0", "false"}, text) }

// argument validates a value and returns it in the syntax of the language. A switch may be true or
// false.
func argument(name string, p api.Param, raw json.RawMessage) (string, error) {
	text := scalar(raw)
	switch {
	case slices.Equal(p.Words, api.OnOff):
		text = cmp.Or(map[string]string{"true": "on", "false": "off"}[text], text)
		fallthrough
	case p.Words != nil:
		if !slices.Contains(p.Words, text) {
			return "", bad("%s: %s is not one of %s", name, quoted(text), strings.Join(p.Words, ", "))
		}
	case p.Weight:
		if _, err := api.ParseWeight(text); err != nil {
			return "", bad("%s: %v", name, err)
		}
	case p.High > 0:
		n, err := strconv.ParseInt(text, 10, 64)
		switch {
		case err != nil:
			return "", bad("%s is %s, and must be %s", name, quoted(text), p.Want())
		case n < p.Low || n > p.High:
			return "", bad("%s is %d, and must be %s", name, n, p.Want())
		}
	case raw[0] != '"':
		return "", bad("%s: %s is not a string", name, quoted(text))
	}
	return text, nil
}

// scalar returns a number, or the text of a string; "" if missing. It expands the exponent of a
// number, which the parsers of the language do not accept.
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

// measureOf parses the name of a measure; "" is jaccard.
func measureOf(name string) (api.Measure, error) {
	if m, ok := api.ParseMeasure(cmp.Or(name, api.Jaccard.String())); ok {
		return m, nil
	}
	var names []string
	for _, m := range api.Measures() {
		names = append(names, m.String())
	}
	return 0, bad("there is no measure %s; there are %s", quoted(name), strings.Join(names, ", "))
}

// leastSim returns the smallest useful threshold. Fingerprints that differ in all bits have
// similarity 0, which is no match.
func leastSim(m api.Measure) api.Threshold {
	if m.OfFingerprints() {
		return api.Ratio(1, 64)
	}
	return api.Threshold{}
}

// of returns the value of an optional column, nil if absent.
func of[T any](has bool, v T) *T {
	if !has {
		return nil
	}
	return &v
}
