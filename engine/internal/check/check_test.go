// Check names whatever is damaged of what is derived.

package check_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/enginetest"
	"github.com/simdb/simdb/engine/internal/testmodel"
	"github.com/simdb/simdb/internal/keys"
)

// Whatever derived thing is damaged, check names it.
func TestCheckFindsDamage(t *testing.T) {
	ctx := context.Background()
	fill := func(t *testing.T) *engine.DB {
		db := enginetest.Open(t, enginetest.Options(vfs.NewMem()))
		if err := db.CreateCollection(ctx, api.DefaultCollection, api.Settings{Intervals: "paper"}); err != nil {
			t.Fatal(err)
		}
		g := &testmodel.Texts{Rng: rand.New(rand.NewPCG(9, 9))}
		for i := range 40 {
			if err := db.Put(ctx, api.Document{ID: fmt.Sprintf("d%02d", i), Text: g.Next()}); err != nil {
				t.Fatal(err)
			}
		}
		enginetest.Settled(t, db)
		enginetest.CheckClean(t, db, "before the damage")
		return db
	}
	spaces := map[string]keys.Space{
		"Document": keys.Document, "Text": keys.Text, "Set": keys.Set, "Digest": keys.Digest,
		"Shares": keys.Shares, "Joined": keys.Joined,
	}
	for name, space := range spaces {
		for _, damage := range []string{"removed", "changed", "emptied"} {
			t.Run(name+" "+damage, func(t *testing.T) {
				db := fill(t)
				defer db.Close()
				var key, value []byte
				err := disk.Scan(enginetest.Disk(db).Pebble(), keys.Of(space), func(k, v []byte) error {
					key, value = append([]byte(nil), k...), append([]byte(nil), v...)
					return disk.ErrEnough
				})
				if err != nil || key == nil {
					t.Fatalf("nothing to damage: %v", err)
				}
				b := enginetest.Disk(db).Pebble().NewBatch()
				switch damage {
				case "removed":
					err = b.Delete(key, nil)
				case "changed":
					value[len(value)/2] ^= 0x55
					err = b.Set(key, value, nil)
				case "emptied":
					err = b.Set(key, nil, nil)
				}
				if err := errors.Join(err, b.Commit(pebble.NoSync)); err != nil {
					t.Fatal(err)
				}
				report, err := db.Check(ctx, nil)
				if err != nil {
					t.Fatalf("check: %v", err)
				}
				if report.Found == 0 {
					t.Error("check found nothing")
				}
			})
		}
	}
}

// Whatever is kept of a text and damaged, check names it. Searches answer right
// or say ErrCorrupt, unless the value is a good one of another text; they never
// panic.
func TestDamageOfKeptTexts(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	fill := func(t *testing.T) *engine.DB {
		db := enginetest.Open(t, enginetest.Options(vfs.NewMem()))
		if err := db.CreateCollection(ctx, api.DefaultCollection, testmodel.KeepsAll); err != nil {
			t.Fatal(err)
		}
		g := &testmodel.Texts{Rng: rand.New(rand.NewPCG(9, 9)), Prose: true}
		for i := range 30 {
			if err := db.Put(ctx, api.Document{ID: fmt.Sprintf("d%02d", i), Text: g.Next()}); err != nil {
				t.Fatal(err)
			}
		}
		enginetest.Settled(t, db)
		enginetest.CheckClean(t, db, "before the damage")
		return db
	}
	// ask returns the answers by all measures of texts, by method, and the errors.
	ask := func(db *engine.DB) (answers map[api.Method][]string, errs []error) {
		s, err := db.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		answers = map[api.Method][]string{}
		for _, m := range enginetest.Methods(testmodel.KeepsAll) {
			if !m.Measure.OfTexts() {
				continue
			}
			q := engine.Search{Measure: m.Measure, Args: m.Args, Min: api.Ratio(1, 2)}
			rows, err := enginetest.PairsOrError(ctx, s, q)
			answers[m] = rows
			if err != nil {
				answers[m], errs = nil, append(errs, err)
			}
		}
		return answers, errs
	}
	whole := fill(t)
	want, errs := ask(whole)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	if err := whole.Close(); err != nil {
		t.Fatal(err)
	}
	damages := map[string]func(b *pebble.Batch, key, value []byte) error{
		"removed":       func(b *pebble.Batch, key, _ []byte) error { return b.Delete(key, nil) },
		"emptied":       func(b *pebble.Batch, key, _ []byte) error { return b.Set(key, nil, nil) },
		"cut":           func(b *pebble.Batch, key, value []byte) error { return b.Set(key, value[:len(value)/2], nil) },
		"prolonged":     func(b *pebble.Batch, key, value []byte) error { return b.Set(key, append(value, 0xff), nil) },
		"first changed": func(b *pebble.Batch, key, value []byte) error { value[0] ^= 0xff; return b.Set(key, value, nil) },
		"middle changed": func(b *pebble.Batch, key, value []byte) error {
			value[len(value)/2] ^= 0x55
			return b.Set(key, value, nil)
		},
		"last changed": func(b *pebble.Batch, key, value []byte) error {
			value[len(value)-1] ^= 0x81
			return b.Set(key, value, nil)
		},
		"key moved": func(b *pebble.Batch, key, value []byte) error {
			moved := slices.Clone(key)
			moved[len(moved)-1] ^= 0x40
			return errors.Join(b.Delete(key, nil), b.Set(moved, value, nil))
		},
		"key cut": func(b *pebble.Batch, key, value []byte) error {
			return errors.Join(b.Delete(key, nil), b.Set(key[:len(key)-2], value, nil))
		},
	}
	for name, space := range map[string]keys.Space{"Features": keys.Features, "Grams": keys.Grams, "SI": keys.SI} {
		for damage, do := range damages {
			t.Run(name+" "+damage, func(t *testing.T) {
				db := fill(t)
				defer db.Close()
				b := enginetest.Disk(db).Pebble().NewBatch()
				n := 0
				err := disk.Scan(enginetest.Disk(db).Pebble(), keys.Of(space), func(k, v []byte) error {
					if n++; n%3 != 0 || len(v) == 0 && damage != "removed" && !strings.HasPrefix(damage, "key") {
						return nil
					}
					return do(b, slices.Clone(k), slices.Clone(v))
				})
				if err == nil && b.Empty() && strings.HasPrefix(name, "SI") {
					return // its keys have no values
				}
				if err != nil || b.Empty() {
					t.Fatalf("nothing to damage: %v", err)
				}
				if err := b.Commit(pebble.NoSync); err != nil {
					t.Fatal(err)
				}
				report, err := db.Check(ctx, nil)
				if err != nil {
					t.Fatalf("check: %v", err)
				}
				if report.Found == 0 {
					t.Error("check found nothing")
				}
				got, errs := ask(db)
				for _, err := range errs {
					if !errors.Is(err, api.ErrCorrupt) {
						t.Errorf("a search says %v, want ErrCorrupt", err)
					}
				}
				if strings.HasSuffix(damage, "changed") || space == keys.SI || space == keys.Grams && damage == "emptied" {
					return // another good value, or one value the less: for check to find
				}
				for m, rows := range got {
					if rows != nil && !slices.Equal(rows, want[m]) {
						t.Errorf("%v answers otherwise and nothing says why:\n%s", m, testmodel.Difference(rows, want[m]))
					}
				}
			})
		}
	}
}
