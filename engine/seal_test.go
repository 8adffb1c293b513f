// Values that change below Pebble's checksums: found out at Open, by the query or by check.

package engine

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/internal/keys"
	"github.com/simdb/simdb/internal/torture"
)

// underneath opens the Pebble database of a closed store by itself, changes it, and closes it.
func underneath(t *testing.T, disk vfs.FS, change func(*pebble.DB) error) {
	t.Helper()
	p, err := pebble.Open(pebbleDir, &pebble.Options{FS: disk, FormatMajorVersion: pebble.FormatValueSeparation, DisableWAL: true, Logger: silent{}})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(change(p), p.Flush(), p.Close()); err != nil {
		t.Fatal(err)
	}
}

type silent struct{}

func (silent) Infof(string, ...any)  {}
func (silent) Errorf(string, ...any) {}
func (silent) Fatalf(format string, args ...any) {
	panic(fmt.Sprintf(format, args...))
}

// valuesOf is what a key space of the closed store has.
func valuesOf(t *testing.T, disk vfs.FS, space keys.Space) (all [][2][]byte) {
	t.Helper()
	underneath(t, disk, func(p *pebble.DB) error {
		it, err := p.NewIter(&pebble.IterOptions{LowerBound: keys.Of(space), UpperBound: keys.End(keys.Of(space))})
		if err != nil {
			return err
		}
		for ok := it.First(); ok; ok = it.Next() {
			all = append(all, [2][]byte{bytes.Clone(it.Key()), bytes.Clone(it.Value())})
		}
		return it.Close()
	})
	return all
}

func TestValuesChangedUnderneath(t *testing.T) {
	t.Parallel()
	withoutRaces(t)
	testValuesChanged(t, closedStore(t, api.Settings{Index: "batch"}))
	if !torture.Short() {
		testValuesChanged(t, closedStore(t, keepsAll))
	}
}

func testValuesChanged(t *testing.T, disk *vfs.MemFS) {
	want, err := lookAt(damaged(t, disk, lockPath, []byte{}))
	if err != nil || want == "" {
		t.Fatalf("the store is not good to begin with: %v", err)
	}
	tell := func(what string, change func(*pebble.Batch) error) bool {
		changed := damaged(t, disk, lockPath, []byte{})
		underneath(t, changed, func(p *pebble.DB) error {
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
		all := valuesOf(t, damaged(t, disk, lockPath, []byte{}), space)
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
