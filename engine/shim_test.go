package engine

import (
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/engine/internal/view"
)

// withHooks
func withHooks(o *Options, fs vfs.FS, memTableBytes int64) *Options {
	o.fs, o.memTableBytes = fs, memTableBytes
	return o
}

// collectionOf
func collectionOf(t *testing.T, db *DB, name string) *view.View {
	t.Helper()
	s, err := db.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	v, err := s.view.View(name)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// hasCollection
func collectionError(t *testing.T, db *DB, name string) error {
	t.Helper()
	s, err := db.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	_, err = s.Collection(name)
	return err
}

// viewsOf
func viewsOf(t *testing.T, db *DB) []*view.View {
	t.Helper()
	s, err := db.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	return s.view.Views
}

// codecOf
func codecOf(t *testing.T, db *DB) *record.Codec {
	t.Helper()
	s, err := db.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	return s.view.Codec
}
