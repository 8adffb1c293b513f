// These tests check that a document whose metadata could not be read again is refused
// before anything is stored.

package record_test

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/engine/internal/enginetest"
)

func TestPutTakesWhatGetReturns(t *testing.T) {
	ctx := context.Background()
	db := enginetest.Open(t, enginetest.Options(vfs.NewMem()))
	defer db.Close()
	deep := func(n int) api.Meta {
		var v any
		for range n - 1 {
			v = []any{v}
		}
		return api.Meta{"deep": v}
	}
	for _, c := range []struct {
		id   string
		meta api.Meta
		want error
	}{
		{"deep", deep(10_000), nil},
		{"deeper", deep(10_001), api.ErrInvalid},
		{"value", api.Meta{"a": "\xff"}, api.ErrInvalid},
		{"name", api.Meta{"\xff": "a"}, api.ErrInvalid},
		{"longest", api.Meta{"a": strings.Repeat("x", engine.MaxMetaBytes-len(`{"a":""}`))}, nil},
		{"longer", api.Meta{"a": strings.Repeat("x", engine.MaxMetaBytes-len(`{"a":""}`)+1)}, api.ErrTooLarge},
		{"replacement", api.Meta{"\uFFFD": `\ufffd`}, nil},
	} {
		if err := db.Put(ctx, api.Document{ID: c.id, Text: "some words", Meta: c.meta}); !errors.Is(err, c.want) {
			t.Errorf("Put(%s) = %v, want %v", c.id, err, c.want)
		}
		s, err := db.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		got, err := s.Get("", c.id)
		if c.want != nil {
			if !errors.Is(err, api.ErrNotFound) {
				t.Errorf("Get(%s) = %v, want ErrNotFound", c.id, err)
			}
			continue
		}
		if err != nil || !reflect.DeepEqual(got.Meta, c.meta) {
			t.Errorf("Get(%s) = other metadata, %v", c.id, err)
		}
	}
	enginetest.CheckClean(t, db, "after what was refused")
}
