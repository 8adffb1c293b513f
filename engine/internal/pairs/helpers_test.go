// Stores and moments for the tests of joins, made without the engine.

package pairs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"unicode"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/engine/internal/segment"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/internal/keys"
)

func openStore(t *testing.T, fs vfs.FS) *disk.Store {
	t.Helper()
	store, err := disk.Open(context.Background(), "db", disk.Options{FS: fs, MemTableBytes: 1 << 20, Logger: slog.New(slog.DiscardHandler), Advanced: func() {}})
	if err != nil {
		t.Fatal(err)
	}
	return store
}

// momentOf is a moment of one collection of texts, all different and without
// postings: text i is that of set i.
func momentOf(t *testing.T, texts []string) *view.Moment {
	t.Helper()
	return momentOn(t, vfs.NewMem(), texts)
}

// momentOn is momentOf on a file system.
func momentOn(t *testing.T, fs vfs.FS, texts []string) *view.Moment {
	t.Helper()
	schema, err := record.NewSchema(unicode.Version, 1, record.DefaultCollection, record.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	shared, err := view.NewShared(t.Context(), 1<<20, 1<<24, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	store := openStore(t, fs)
	var table index.Table
	b := store.Pebble().NewBatch()
	for i, text := range texts {
		derived, err := schema.Derive(text)
		if err != nil {
			t.Fatal(err)
		}
		table.Put(uint32(i), derived.Set.Facts)
		if err := disk.SetSealed(b, keys.WithID(schema.Key(keys.Text, uint32(i)), fmt.Sprint("d", i)), shared.Codec.Encode(text, nil)); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.Commit(pebble.NoSync); err != nil {
		t.Fatal(err)
	}
	n := len(texts)
	m := &view.Moment{Shared: shared, Pebble: store.Pebble().NewSnapshot(), Scratch: store.NewScratch(), Views: []*view.View{{
		Schema: schema, Counts: record.Counts{Documents: int64(n), Sets: int64(n)}, Table: table.View(),
		Postings: &segment.Postings{Words: segment.NewWordCounts()}, Words: segment.NewWordCounts(), Tail: int64(n),
	}}}
	t.Cleanup(func() {
		if err := errors.Join(m.Pebble.Close(), store.Close()); err != nil {
			t.Error(err)
		}
		view.CloseShared(shared)
	})
	return m
}
