package ingest

// The real texts are read completely.

import (
	"testing"

	"github.com/simdb/simdb/internal/realtext"
)

func TestCorpora(t *testing.T) {
	for _, test := range []struct {
		name           string
		want, rejected int
	}{
		{"linuxdoc.jsonl.gz", 18588, 0},
		{"nsf.jsonl.gz", 22243, 0},
		{"spdx", 729, 1}, // 728 licences and README.md; index.csv has no fields id and text
	} {
		t.Run(test.name, func(t *testing.T) {
			got := readAll(t, Options{}, realtext.Path(t, test.name))
			if len(got.docs) != test.want || len(got.rejects) != test.rejected {
				t.Errorf("Read(%s) = %d documents and rejects %v, want %d and %d", test.name, len(got.docs), got.rejects, test.want, test.rejected)
			}
			ids := make(map[string]bool)
			for _, doc := range got.docs {
				ids[doc.ID] = true
				if doc.Text == "" && len(doc.Warnings) == 0 {
					t.Errorf("%s: empty text without a warning", doc.ID)
				}
			}
			if len(ids) != test.want {
				t.Errorf("Read(%s) gave %d different ids, want %d", test.name, len(ids), test.want)
			}
		})
	}
}

func BenchmarkLinuxdoc(b *testing.B) {
	path := realtext.Path(b, "linuxdoc.jsonl.gz")
	for b.Loop() {
		var size, docs int64
		for batch, err := range Read(b.Context(), []string{path}, Options{}) {
			if err != nil {
				b.Fatal(err)
			}
			size += batch.Bytes
			docs += int64(len(batch.Docs))
		}
		b.SetBytes(size)
		b.ReportMetric(float64(docs), "docs/op")
	}
}

func BenchmarkDecodeLine(b *testing.B) {
	line := []byte(`{"id": "linux-6.1/Kconfig", "text": "config WARN_MISSING_DOCUMENTS\n\tbool \"Warn if there's a missing file\"\n\tdepends on COMPILE_TEST\n\thelp\n\t  It is not uncommon that a document gets renamed.\n\t  This option makes the Kernel to check for missing dependencies,\n", "year": 2026}`)
	d := &jsonDecoder{ids: usualFields}
	b.SetBytes(int64(len(line)))
	for b.Loop() {
		if _, reason := d.decode(line); reason != "" {
			b.Fatal(reason)
		}
	}
}
