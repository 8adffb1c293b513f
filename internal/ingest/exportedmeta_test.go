package ingest

import (
	"os"
	"path/filepath"
	"testing"
)

// A selection of metadata leaves an exported document in its collection.
func TestMetadataOfExportedLines(t *testing.T) {
	path := filepath.Join(t.TempDir(), "exported.jsonl")
	line := `{"collection":"one","id":"1","text":"a b c","year":1,"meta.id":2,"other":3}` + "\n"
	if err := os.WriteFile(path, []byte(line), 0o600); err != nil {
		t.Fatal(err)
	}
	got := readAll(t, Options{Home: true, Metadata: []string{"year", "id"}}, path)
	if len(got.docs) != 1 || got.docs[0].Collection != "one" || len(got.docs[0].Meta) != 2 || got.docs[0].Meta["id"] == nil {
		t.Errorf("read %+v, rejects %v", got.docs, got.rejects)
	}
}
