// Values that change below Pebble's checksums: found out at Open, by the query or by check.

package disk_test

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/enginetest"
	"github.com/simdb/simdb/engine/internal/testmodel"
	"github.com/simdb/simdb/internal/keys"
	"github.com/simdb/simdb/internal/torture"
)

func TestValuesChangedUnderneath(t *testing.T) {
	t.Parallel()
	enginetest.WithoutRaces(t)
	testValuesChanged(t, enginetest.ClosedStore(t, api.Settings{Index: "batch"}))
	if !torture.Short() {
		testValuesChanged(t, enginetest.ClosedStore(t, testmodel.KeepsAll))
	}
}

func testValuesChanged(t *testing.T, disk *vfs.MemFS) {
	want, err := lookAt(enginetest.Damaged(t, disk, enginetest.LockPath, []byte{}))
	if err != nil || want == "" {
		t.Fatalf("the store is not good to begin with: %v", err)
	}
	tell := func(what string, change func(*pebble.Batch) error) bool {
		changed := enginetest.Damaged(t, disk, enginetest.LockPath, []byte{})
		enginetest.Underneath(t, changed, func(p *pebble.DB) error {
			b := p.NewBatch()
			if err := change(b); err != nil {
				return err
			}
			return b.Commit(pebble.NoSync)
		})
		got, err := lookAt(changed)
		if err == nil && got != want {
			t.Errorf("%s: other answers, and nothing says why", what)
		}
		return err != nil
	}
	sealed := map[keys.Space]bool{keys.Collection: true, keys.Counters: true, keys.Dictionary: true, keys.Document: true, keys.Text: true, keys.Set: true}
	for space := range keys.Space(0x40) {
		all := enginetest.ValuesOf(t, enginetest.Damaged(t, disk, enginetest.LockPath, []byte{}), space)
		if len(all) == 0 {
			if sealed[space] && space != keys.Dictionary {
				t.Errorf("the store has no values in key space %#x", space)
			}
			continue
		}
		for _, kv := range [][2][]byte{all[0], all[len(all)/2]} {
			for n := range 6 {
				if len(kv[1]) == 0 {
					break
				}
				at := n * (len(kv[1]) - 1) / 5
				what := fmt.Sprintf("key %q, byte %d of %d", kv[0], at, len(kv[1]))
				told := tell(what, func(b *pebble.Batch) error {
					v := bytes.Clone(kv[1])
					v[at] ^= 1 << (n % 8)
					return b.Set(kv[0], v, nil)
				})
				if sealed[space] && !told {
					t.Errorf("%s changed: nothing says so", what)
				}
			}
		}
		if a, b := all[0], all[len(all)-1]; sealed[space] && len(all) > 1 && !bytes.Equal(a[1], b[1]) {
			told := tell("two values exchanged", func(batch *pebble.Batch) error {
				return errors.Join(batch.Set(a[0], b[1], nil), batch.Set(b[0], a[1], nil))
			})
			if !told {
				t.Errorf("key space %#x: two values exchanged: nothing says so", space)
			}
		}
	}
}
