package overview_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/internal/corpus"
	"github.com/simdb/simdb/internal/overview"
)

// filled returns a snapshot of a database with some documents.
func filled(t *testing.T, docs ...api.Document) *simdb.Snapshot {
	t.Helper()
	db, err := simdb.Open("", &simdb.Options{InMemory: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	if err := db.Put(t.Context(), docs...); err != nil {
		t.Fatal(err)
	}
	snap, err := db.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { snap.Close() })
	return snap
}

// submissions returns n texts of which every fifth takes half of another.
func submissions(n int) (docs []api.Document) {
	half := func(i int) string {
		words := strings.Fields(corpus.At(1, i).Text)
		return strings.Join(words[:len(words)/2], " ")
	}
	for i := range n {
		text := corpus.At(1, i).Text
		if i%5 == 0 {
			text = half(i+1) + "\n\n" + half(i)
		}
		docs = append(docs, api.Document{ID: fmt.Sprintf("student%03d.txt", i), Text: text})
	}
	return docs
}

var byOverlap = overview.Question{Collection: "docs", Measure: api.Overlap, Pairs: 500, Documents: 100}

// A report of 200 submissions is one HTML file of at most 5 MB, which loads nothing.
func TestReport(t *testing.T) {
	r, err := overview.Make(t.Context(), filled(t, submissions(200)...), byOverlap, 100)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Compared) < 30 || len(r.Groups) < 30 || len(r.Outliers) < 60 {
		t.Errorf("%d compared pairs, %d groups, %d documents that stand out: too few to show anything", len(r.Compared), len(r.Groups), len(r.Outliers))
	}
	var file bytes.Buffer
	if err := r.WriteHTML(&file); err != nil {
		t.Fatal(err)
	}
	if file.Len() > 5<<20 {
		t.Errorf("the report has %d bytes", file.Len())
	}
	page, err := html.Parse(&file)
	if err != nil {
		t.Fatal(err)
	}
	headings := 0
	for n := range page.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		switch n.Data {
		case "script", "link", "img", "iframe", "object", "base":
			t.Errorf("the report has an element %s", n.Data)
		case "h2", "h3":
			headings++
		}
		for _, a := range n.Attr {
			if strings.Contains(a.Val, "://") || a.Key == "style" || strings.HasPrefix(a.Key, "on") || a.Key == "href" && !strings.HasPrefix(a.Val, "#") {
				t.Errorf("%s has %s=%q", n.Data, a.Key, a.Val)
			}
		}
	}
	if headings < 35 {
		t.Errorf("%d headings", headings)
	}
}

// Ids and texts are shown, never interpreted.
func TestHostileReport(t *testing.T) {
	evil := `<script>alert("x")</script><img src=x onerror=y> '&amp; ` + "\u202e\x1b[31m](2)"
	text := strings.Repeat("one two three four five six ", 5) + evil + " seven eight nine ten eleven twelve"
	snap := filled(t, api.Document{ID: evil, Text: text}, api.Document{ID: "!", Text: text + " thirteen"})
	r, err := overview.Make(t.Context(), snap, byOverlap, 10)
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err := r.WriteHTML(&file); err != nil {
		t.Fatal(err)
	}
	out := file.String()
	for _, bad := range []string{"<script", "<img", "\u202e", "\x1b"} {
		if strings.Contains(out, bad) {
			t.Errorf("the report contains %q", bad)
		}
	}
	for _, want := range []string{"&lt;script&gt;", `\u202e`, `\u001b[31m`, "&amp;amp;"} {
		if !strings.Contains(out, want) {
			t.Errorf("the report lacks %q", want)
		}
	}
	file.Reset()
	if err := r.WriteSARIF(&file, "", "1"); err != nil || !json.Valid(file.Bytes()) || strings.Contains(file.String(), "31m](2)") {
		t.Errorf("SARIF: %v\n%s", err, &file)
	}
}

// SARIF names both places of each passage by file and lines.
func TestSARIF(t *testing.T) {
	common := "these words stand in both of the two files\nand go on over two lines of each of them"
	snap := filled(t, api.Document{ID: "a b.txt", Text: "first\n\n" + common + "\n"}, api.Document{ID: "sub/c.txt", Text: common + "\nlast\n"})
	r, err := overview.Make(t.Context(), snap, byOverlap, 10)
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err := r.WriteSARIF(&file, "src", "0.1.0"); err != nil {
		t.Fatal(err)
	}
	var log struct {
		Version string
		Runs    []struct {
			Tool    struct{ Driver struct{ Name string } }
			Results []struct {
				RuleID                      string
				Message                     struct{ Text string }
				Locations, RelatedLocations []struct {
					PhysicalLocation struct {
						ArtifactLocation struct{ URI string }
						Region           struct{ StartLine, EndLine int }
					}
				}
				PartialFingerprints map[string]string
			}
		}
	}
	if err := json.Unmarshal(file.Bytes(), &log); err != nil {
		t.Fatal(err)
	}
	if log.Version != "2.1.0" || len(log.Runs) != 1 || log.Runs[0].Tool.Driver.Name != "simdb" || len(log.Runs[0].Results) != 1 {
		t.Fatalf("%s", &file)
	}
	one := log.Runs[0].Results[0]
	a, b := one.Locations[0].PhysicalLocation, one.RelatedLocations[0].PhysicalLocation
	if a.ArtifactLocation.URI != "src/a%20b.txt" || a.Region.StartLine != 3 || a.Region.EndLine != 4 ||
		b.ArtifactLocation.URI != "src/sub/c.txt" || b.Region.StartLine != 1 || b.Region.EndLine != 2 || len(one.PartialFingerprints) != 1 {
		t.Errorf("%s", &file)
	}
}

// Without a threshold, an overview goes as low as its time permits; with too little, it stays at the
// first threshold.
func TestThresholds(t *testing.T) {
	snap := filled(t, submissions(50)...)
	for _, test := range []struct {
		question overview.Question
		least    string
	}{
		{overview.Question{Collection: "docs", Measure: api.Overlap, Time: 1 << 50}, "0.3"},
		{overview.Question{Collection: "docs", Measure: api.Overlap}, "0.8"},
		{overview.Question{Collection: "docs", Measure: api.Overlap, Least: api.Ratio(2, 5)}, "0.4"},
	} {
		o, err := overview.Of(t.Context(), snap, test.question)
		if err != nil || o.Least.String() != test.least {
			t.Errorf("%+v: from %s, %v; want %s", test.question, o.Least, err, test.least)
		}
	}
}

// Half of the time of the context is for the answer.
func TestDeadline(t *testing.T) {
	o, err := overview.Of(late{t.Context()}, filled(t, submissions(50)...), overview.Question{Collection: "docs", Measure: api.Overlap, Time: 1 << 50})
	if err != nil || o.Least.String() != "0.8" {
		t.Errorf("from %v, %v; want 0.8", o, err)
	}
}

// late is a context near its end.
type late struct{ context.Context }

func (late) Deadline() (time.Time, bool) { return time.Now(), true }

// An overview of more pairs than it reads is that from its own threshold on.
func TestCut(t *testing.T) {
	snap := filled(t, submissions(100)...)
	q := overview.Question{Collection: "docs", Measure: api.Overlap, Least: api.Ratio(1, 100), Pairs: 5000, Documents: 100}
	whole, err := overview.Of(t.Context(), snap, q)
	if err != nil {
		t.Fatal(err)
	}
	cuts := 0
	for most := int64(1); most < whole.Total; most += 1 + whole.Total/50 {
		overview.SetMaxRows(t, most)
		got, err := overview.Of(t.Context(), snap, q)
		if err != nil {
			t.Fatal(err)
		}
		if got.More {
			continue
		}
		overview.SetMaxRows(t, whole.Total)
		q := q
		q.Least = got.Least
		want, err := overview.Of(t.Context(), snap, q)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("of %d pairs: %d pairs of %d documents from %s, outliers %+v, %v\nwant %d of %d, outliers %+v", most, got.Total, got.Similar, got.Least, got.Outliers, err, want.Total, want.Similar, want.Outliers)
		}
		cuts++
	}
	if cuts < 10 {
		t.Errorf("%d cuts", cuts)
	}
}

// Windows line ends are line ends.
func TestLineEnds(t *testing.T) {
	text := strings.Repeat("one two three four five six seven\r\n", 5)
	r, err := overview.Make(t.Context(), filled(t, api.Document{ID: "a", Text: text}, api.Document{ID: "b", Text: text}), byOverlap, 10)
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err := r.WriteHTML(&file); err != nil || strings.Contains(file.String(), `\u000d`) {
		t.Errorf("%v\n%s", err, &file)
	}
}
