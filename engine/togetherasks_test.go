// What TestFeaturesTogether asks a store, and what its model says.

package engine_test

import (
	"testing"

	"github.com/simdb/simdb/api"
)

func threshold(t *testing.T, s string) api.Threshold {
	t.Helper()
	min, err := api.ParseThreshold(s)
	if err != nil {
		t.Fatal(err)
	}
	return min
}
