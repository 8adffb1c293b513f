// Stores for the tests of joins, made without the engine.

package pairs

import (
	"context"
	"log/slog"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/engine/internal/disk"
)

func openStore(t *testing.T, fs vfs.FS) *disk.Store {
	t.Helper()
	store, err := disk.Open(context.Background(), "db", disk.Options{FS: fs, MemTableBytes: 1 << 20, Logger: slog.New(slog.DiscardHandler), Advanced: func() {}})
	if err != nil {
		t.Fatal(err)
	}
	return store
}
