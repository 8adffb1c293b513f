package overview

import "testing"

// SetMaxRows limits the pairs that an overview reads during a test.
func SetMaxRows(t *testing.T, n int64) {
	before := maxRows
	t.Cleanup(func() { maxRows = before })
	maxRows = n
}
