package pairs

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"github.com/simdb/simdb/engine/internal/search"
	"github.com/simdb/simdb/internal/measure"
)

// The tokens of texts wait in a file. joinScratch.Close closes and removes it: so it is gone
// when the call returns, also where a write to it fails.
func TestTokensOfTextsLeaveNoFile(t *testing.T) {
	var created, removed atomic.Int32
	var full atomic.Bool
	count := errorfs.InjectorFunc(func(op errorfs.Op) error {
		switch {
		case !strings.Contains(op.Path, "JOIN-"):
		case op.Kind == errorfs.OpCreate:
			created.Add(1)
		case op.Kind == errorfs.OpRemove:
			removed.Add(1)
		case op.Kind == errorfs.OpFileWrite && full.Load():
			return errors.New("disk full")
		}
		return nil
	})
	var texts []string
	for i := range bufferWords { // so that the tokens they share fill a buffer
		texts = append(texts, fmt.Sprint("one two three four ", i))
	}
	m := momentOn(t, errorfs.Wrap(vfs.NewMem(), count), texts)
	q := search.Search{Measure: measure.Multiset, Min: measure.Ratio(4, 5)}
	for _, c := range []struct {
		name string
		ask  func() error
	}{
		{"Find", func() error { _, err := Find(t.Context(), m, q); return err }},
		{"Clusters", func() error { _, err := Clusters(t.Context(), m, q); return err }},
		{"Dedupe", func() error { _, err := Dedupe(t.Context(), m, q, KeepFirst); return err }},
	} {
		for _, fails := range []bool{false, true} {
			full.Store(fails)
			created.Store(0)
			removed.Store(0)
			if err := c.ask(); (err != nil) != fails {
				t.Errorf("%s with a full disk %v: %v", c.name, fails, err)
			}
			if n := created.Load(); n == 0 || removed.Load() != n {
				t.Errorf("%s with a full disk %v: %d files made, %d removed", c.name, fails, n, removed.Load())
			}
		}
	}
}
