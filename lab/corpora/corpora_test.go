package corpora_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/simdb/simdb/lab/corpora"
)

func TestReadJSONL(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x.jsonl")
	if err := os.WriteFile(name, []byte("{\"id\":\"a\",\"text\":\"b\",\"label\":\"x\"}\n{\"id\":\"c\",\"text\":\"d\",\"label\":7}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	docs, err := corpora.ReadJSONL(name, 0)
	if err != nil || len(docs) != 2 || docs[1] != (corpora.Doc{ID: "c", Text: "d", Label: "7"}) || docs[0].Label != "x" {
		t.Errorf("ReadJSONL = %v, %v, want both lines", docs, err)
	}
}
