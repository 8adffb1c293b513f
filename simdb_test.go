package simdb_test

import (
	"errors"
	"testing"

	"go.uber.org/goleak"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func openTest(t *testing.T, path string) *simdb.DB {
	t.Helper()
	db, err := simdb.Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil && !errors.Is(err, api.ErrClosed) {
			t.Error(err)
		}
	})
	return db
}

func TestEnsureCollection(t *testing.T) {
	db := openTest(t, t.TempDir())
	for i, x := range []struct {
		s   api.Settings
		err error
	}{{api.Settings{K: 4}, nil}, {api.Settings{Unit: "word", K: 4}, nil}, {api.Settings{}, api.ErrExists}, {api.Settings{K: -1}, api.ErrInvalid}} {
		if err := db.EnsureCollection(t.Context(), "four", x.s); !errors.Is(err, x.err) {
			t.Errorf("%d: %v, want %v", i, err, x.err)
		}
	}
}
