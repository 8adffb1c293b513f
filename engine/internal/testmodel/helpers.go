// Settings, rows and timeouts that tests share.

package testmodel

import (
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/simdb/simdb/api"
)

// HasProblem reports whether a check found a problem of a kind with a text in its description.
func HasProblem(r *api.CheckReport, kind, says string) bool {
	for _, p := range r.Problems {
		if p.Kind == kind && strings.Contains(p.What, says) {
			return true
		}
	}
	return false
}

// By returns a measure with arguments.
func By(m api.Measure, a api.Args) api.Method { return api.Method{Measure: m, Args: a} }

// Difference returns the rows that only one side has: "+" for got, "-" for want.
func Difference(got, want []string) string {
	out := ""
	for _, r := range got {
		if !slices.Contains(want, r) {
			out += "+ " + r + "\n"
		}
	}
	for _, r := range want {
		if !slices.Contains(got, r) {
			out += "- " + r + "\n"
		}
	}
	if out == "" {
		out = "same rows in another order\n"
	}
	return out
}

// Within panics with all stacks if call does not return within Patience.
func Within(t *testing.T, what string, call func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { defer close(done); call() }()
	select {
	case <-done:
	case <-time.After(Patience):
		debug.SetTraceback("all") // print all goroutines
		panic(what + " hangs")
	}
}

// Patience bounds the time for a call on a store under faults before Within reports a hang.
// Nothing else waits for it.
const Patience = 30 * time.Second

// KeepsAll are the settings of a collection that keeps data for every measure of texts.
var KeepsAll = api.Settings{SI: "m3a k4, m41b k2", Versions: true, Entities: true, Words: true, Patricia: true}
