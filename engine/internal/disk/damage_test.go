package disk

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/api"
)

// withTables returns an open store whose keys fill tables of many blocks, and the tables. None of
// the blocks but the first is cached.
func withTables(t *testing.T) (s *Store, key func(i int) []byte, tables []string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "db")
	s = begun(t, dir, vfs.Default)
	key = func(i int) []byte { return fmt.Appendf([]byte{1}, "%05d", i) }
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
	t.Cleanup(func() { s.Close() })
	if _, err := Get(s.Pebble(), key(0)); err != nil { // opens the table
		t.Fatal(err)
	}
	tables, err = filepath.Glob(filepath.Join(dir, pebbleName, "*.sst"))
	if err != nil || len(tables) == 0 {
		t.Fatalf("no table: %v", err)
	}
	return s, key, tables
}

// A table cut short under an open store is corruption, however it is read.
func TestTableCutShort(t *testing.T) {
	s, key, tables := withTables(t)
	for _, name := range tables {
		if err := os.Truncate(name, 9000); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Get(s.Pebble(), key(1999)); !errors.Is(err, api.ErrCorrupt) {
		t.Errorf("Get = %v, want ErrCorrupt", err)
	}
	err := Scan(s.Pebble(), []byte{1}, func(_, _ []byte) error { return nil })
	if !errors.Is(err, api.ErrCorrupt) {
		t.Errorf("Scan = %v, want ErrCorrupt", err)
	}
}

// After the first damaged block the file refuses the others, before Pebble searches each for a
// flipped bit with some 65,000 checksums. Whole blocks stay readable.
func TestDamagedBlocksAreRefusedSoon(t *testing.T) {
	s, key, tables := withTables(t)
	for _, name := range tables {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for i := len(b) / 4; i < len(b)/2; i++ {
			b[i] ^= 0x5a
		}
		if err := os.WriteFile(name, b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	good, refused := 0, map[bool]int{}
	for i := range 2000 {
		_, err := Get(s.Pebble(), key(i))
		switch {
		case err == nil:
			good++
		case errors.Is(err, api.ErrCorrupt):
			refused[strings.Contains(err.Error(), tables[0]+": block")]++
		default:
			t.Fatal(err)
		}
	}
	if good < 500 || refused[true] < 100 || refused[false] != 1 {
		t.Errorf("%d keys were read, the file refused %d, Pebble %d; want at least 500, at least 100, 1", good, refused[true], refused[false])
	}
}
