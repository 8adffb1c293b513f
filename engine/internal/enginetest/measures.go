// The measures, thresholds and accesses that tests iterate over.

package enginetest

import (
	"slices"
	"strings"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/engine/internal/search"
	"github.com/simdb/simdb/engine/internal/testmodel"
	"github.com/simdb/simdb/engine/internal/view"
)

// Methods returns all measures that a collection of these settings serves, some with several
// arguments.
func Methods(settings api.Settings) (out []api.Method) {
	for _, k := range api.Measures() {
		if !k.OfTexts() && !k.Weighs() {
			out = append(out, api.Method{Measure: k})
		}
	}
	half, err := api.ParseWeight("1/2")
	if err != nil {
		panic(err)
	}
	out = append(out, testmodel.By(api.Tversky, api.Args{Beta: half}), testmodel.By(api.Tversky, api.Args{Alpha: half, Beta: half}))
	if settings.SI == "" {
		return out // the collection keeps no data for the others
	}
	for _, si := range strings.Split(settings.SI, ", ") {
		out = append(out, testmodel.By(api.SI, api.Args{SI: si}))
	}
	return append(out, testmodel.By(api.Patricia, api.Args{}), testmodel.By(api.Patricia, api.Args{Min: 20}),
		testmodel.By(api.Coverage, api.Args{}), testmodel.By(api.Coverage, api.Args{Min: 20}), testmodel.By(api.Coverage, api.Args{Min: 4}),
		testmodel.By(api.Versions, api.Args{}), testmodel.By(api.Versions, api.Args{Bits: -1}), testmodel.By(api.Versions, api.Args{Bits: 7}),
		testmodel.By(api.Entities, api.Args{}), testmodel.By(api.Entities, api.Args{TF: true}), api.Method{Measure: api.Words})
}

// Thresholds lists the thresholds that tests use.
var Thresholds = []string{"1", "0.9", "4/5", "0.73", "2/3", "1/2", "0.3", "0.05", "0"}

// Accesses returns the accesses that must answer a search exactly.
func Accesses(v engine.Search, in *view.View) (out []api.Access) {
	for _, a := range []api.Access{api.AccessPrefix, api.AccessPostings} {
		if v.Measure.OfBags() && search.Serves(in, a, v.Measure, v.Args, v.Min) == nil {
			out = append(out, a)
		}
	}
	switch {
	case v.Measure.OfTexts():
		return []api.Access{api.AccessAuto, api.AccessScan}
	case v.Measure == api.SimHash && v.Min.Cmp(api.Ratio(3, 4)) < 0:
		return []api.Access{api.AccessAuto, api.AccessScan} // otherwise hundreds of thousands of look-ups
	case v.Measure == api.SimHash:
		return []api.Access{api.AccessAuto, api.AccessRotated, api.AccessScan}
	}
	return append(out, api.AccessAuto, api.AccessSignature, api.AccessScan)
}

// Year returns a condition on metadata that an index serves.
func Year(n int) *engine.Fields {
	return &engine.Fields{Path: []string{"year"}, Low: float64(n), High: float64(n)}
}

// Compared returns the default measures of COMPARE.
func Compared() []api.Measure {
	return slices.DeleteFunc(api.Measures(), func(m api.Measure) bool { return !m.Compared() })
}
