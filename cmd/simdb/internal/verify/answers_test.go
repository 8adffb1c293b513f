package verify

import (
	"strings"
	"testing"

	"github.com/simdb/simdb/api"
)

// The name of a file cannot write control characters to a terminal.
func TestRejectsEscapeNames(t *testing.T) {
	var r rejects
	r.add(api.Reject{Source: "a\x1b[31m.csv", Line: 2, Reason: "bad", Lines: 3})
	r.add(api.Reject{Source: "b.csv"})
	if err := r.rejected(); err == nil || strings.ContainsRune(err.Error(), 0x1b) || !strings.Contains(err.Error(), "4 records rejected; the first: a") {
		t.Errorf("%v, want four rejects and an escaped name", err)
	}
}
