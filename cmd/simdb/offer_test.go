package main

// Shell completion during writes of another process.

import (
	"bytes"
	"context"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
)

// A database that is open to write is asked all the same, and however many ids it has, few
// are offered.
func TestOffersBesideAWriter(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("on Windows a writer excludes readers")
	}
	path := filepath.Join(t.TempDir(), "w.simdb")
	db, err := simdb.Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	docs := make([]api.Document, offeredIDs+50)
	for i := range docs {
		docs[i] = api.Document{ID: "id-" + strings.Repeat("x", i+1), Text: "some text"}
	}
	if err := db.Put(context.Background(), docs...); err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	code := run([]string{"__complete", "get", path, "id-"}, strings.NewReader(""), &out, &errs)
	if got := strings.Count(out.String(), "id-"); code != 0 || got != offeredIDs {
		t.Errorf("beside a writer: exit code %d, %d ids, want %d; %s", code, got, offeredIDs, errs.String())
	}
}
