package ingest

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A truncated WARC yields only documents of the intact file, a reject for the rest, and the next path.
// A WARC that ends between two records is a shorter WARC, which no reader can tell from a truncated one.
func TestCutWARC(t *testing.T) {
	pages := []string{warcRecord("conversion", "u:1", "one page", "Content-Type: text/plain"), warcRecord("warcinfo", "", "x"), warcRecord("conversion", "u:2", "another", "Content-Type: text/plain")}
	packed := []string{gz(pages[0]), gz(pages[1]), gz(pages[2])}
	for name, records := range map[string][]string{"a.warc": pages, "a.warc.gz": packed} {
		dir := t.TempDir()
		path, next := filepath.Join(dir, name), filepath.Join(dir, "next.txt")
		write(t, next, "n")
		whole := strings.Join(records, "")
		write(t, path, whole)
		want := readAll(t, Options{}, path, next).docs
		ends := []int{len(records[0]), len(records[0]) + len(records[1])}
		for n := len("WARC/1.0"); n < len(whole); n++ {
			write(t, path, whole[:n])
			got := readAll(t, Options{}, path, next)
			last := len(got.docs) - 1
			if last < 0 || got.docs[last].ID != "next.txt" {
				t.Fatalf("%s cut at %d of %d: the next path is not read", name, n, len(whole))
			}
			for _, d := range got.docs[:last] {
				if !slices.ContainsFunc(want, func(w Doc) bool { return w.ID == d.ID && w.Text == d.Text }) {
					t.Errorf("%s cut at %d of %d: document %s=%q, which the whole has not", name, n, len(whole), d.ID, d.Text)
				}
			}
			between := slices.ContainsFunc(ends, func(end int) bool { return n == end || name == "a.warc" && n < end && n >= end-len("\r\n\r\n") })
			if len(got.rejects) == 0 && last+1 < len(want) && !between {
				t.Errorf("%s cut at %d of %d: %d documents of %d, and no reject", name, n, len(whole), last, len(want))
			}
		}
	}
}
