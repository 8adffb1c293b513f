package load

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
)

// Every function returns an error for a closed database and for a nil context.
func TestNotOpened(t *testing.T) {
	calls := map[string]func(context.Context, *simdb.DB) error{
		"Import": func(ctx context.Context, db *simdb.DB) error {
			_, err := Import(ctx, db, []string{"closed_test.go"}, api.ImportOptions{})
			return err
		},
		"ImportReader": func(ctx context.Context, db *simdb.DB) error {
			_, err := ImportReader(ctx, db, "a.txt", strings.NewReader("one two three"), api.ImportOptions{})
			return err
		},
		"Sync": func(ctx context.Context, db *simdb.DB) error {
			_, err := Sync(ctx, db, t.TempDir(), api.SyncOptions{})
			return err
		},
		"Dump":    func(ctx context.Context, db *simdb.DB) error { return Dump(ctx, db, io.Discard) },
		"Restore": func(ctx context.Context, db *simdb.DB) error { return Restore(ctx, db, strings.NewReader("")) },
	}
	closed, err := simdb.Open("", &simdb.Options{InMemory: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := closed.Close(); err != nil {
		t.Fatal(err)
	}
	var none context.Context
	db := openTemp(t, nil)
	for name, call := range calls {
		if err := call(t.Context(), &simdb.DB{}); !errors.Is(err, api.ErrClosed) || !strings.Contains(err.Error(), "use simdb.Open") {
			t.Errorf("%s of a DB that was not opened: %v, want ErrClosed", name, err)
		}
		if err := call(t.Context(), closed); !errors.Is(err, api.ErrClosed) {
			t.Errorf("%s of a closed DB: %v, want ErrClosed", name, err)
		}
		if err := call(none, db); !errors.Is(err, api.ErrInvalid) {
			t.Errorf("%s without a context: %v, want ErrInvalid", name, err)
		}
	}
	for name, db := range map[string]*simdb.DB{"not opened": {}, "closed": closed} {
		if part, err := Restoring(db); part || !errors.Is(err, api.ErrClosed) {
			t.Errorf("Restoring of a DB that is %s: %t, %v, want ErrClosed", name, part, err)
		}
	}
}
