package disk

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/api"
)

// A table cut short under an open store is corruption, however it is read.
func TestTableCutShort(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "db")
	s := begun(t, dir, vfs.Default)
	key := func(i int) []byte { return fmt.Appendf([]byte{1}, "%05d", i) }
	c := s.NewChanges(2000, 0)
	for i := range 2000 {
		if err := c.Store(key(i), fmt.Appendf(nil, "%0200d", i*i*i)); err != nil {
			t.Fatal(err)
		}
	}
	b, err := c.Gathered()
	if err := errors.Join(err, s.Apply(b), s.Flush(context.Background()), s.Close()); err != nil {
		t.Fatal(err)
	}
	s = begun(t, dir, vfs.Default)
	defer s.Close()
	if _, err := Get(s.Pebble(), key(0)); err != nil { // opens the table
		t.Fatal(err)
	}
	tables, err := filepath.Glob(filepath.Join(dir, pebbleName, "*.sst"))
	if err != nil || len(tables) == 0 {
		t.Fatalf("no table: %v", err)
	}
	for _, name := range tables {
		if err := os.Truncate(name, 9000); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Get(s.Pebble(), key(1999)); !errors.Is(err, api.ErrCorrupt) {
		t.Errorf("Get = %v, want ErrCorrupt", err)
	}
	err = Scan(s.Pebble(), []byte{1}, func(_, _ []byte) error { return nil })
	if !errors.Is(err, api.ErrCorrupt) {
		t.Errorf("Scan = %v, want ErrCorrupt", err)
	}
}
