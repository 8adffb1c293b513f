package ingest

// Records in common forms: other field names, other delimiters, and arrays.

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/simdb/simdb/api"
)

func TestFieldsOfOtherNames(t *testing.T) {
	o := Options{IDField: "url", TextField: "body"}
	lines := `{"url":"a","body":"x","text":"t","id":1}` + "\n" + `{"url":"b","body":"y\u0041"}` + "\n" + `{"id":"c","text":"z"}` + "\n" + `{"url":"d","body":5}` + "\n"
	checkSummary(t, o, "a.jsonl", lines, `a="x" {"id":1,"text":"t"}`+"\n"+`b="yA"`+"\nreject a.jsonl:3 : no field \"url\", has [\"id\" \"text\"]; --id-field and --text-field name others\nreject a.jsonl:4 d: field \"body\" is a number, want a string\n")
	checkSummary(t, o, "a.csv", "body,url\nx,a\n", "a=\"x\"\n")
	checkSummary(t, Options{ID: "sha256", TextField: "body"}, "a.csv", "body\nx\n", "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881=\"x\"\n")
}

func TestDelimiters(t *testing.T) {
	for name, content := range map[string]string{"a.tsv": "id\ttext\na,1\t\"x\ty\"\n", "semicolon.csv": "id;text\na,1;\"x\ty\"\n", "pipe.csv": "id|text\na,1|x\ty\n"} {
		o := Options{Delimiter: map[string]byte{"semicolon.csv": ';', "pipe.csv": '|'}[name]}
		checkSummary(t, o, name, content, "a,1=\"x\\ty\"\n")
	}
	checkSummary(t, Options{}, "a.csv", "id;text\na;x\n", "a=\"x\"\n")
}

func TestJSONArray(t *testing.T) {
	for content, want := range map[string]string{
		`[]`: "",
		"\ufeff [ {\"id\":\"a\",\"text\":\"]},{\\\"\"} ,\n{\"id\":2,\"text\":\"y\",\"m\":[1,{\"n\":[]}]}]\n": "a=\"]},{\\\"\"\n2=\"y\" {\"m\":[1,{\"n\":[]}]}\n",
		`[5, "s", null, [1], {"id":"a","text":"x"}, true]`:                                                   "a=\"x\"\n" + strings.Repeat("reject a.json:1 : not a JSON object\n", 5),
		"[{\"id\":\"a\",\"text\":\"x\"}\n{\"id\":\"b\",\"text\":\"y\"}]":                                     "a=\"x\"\nb=\"y\"\n",
		`[{"id":"a","text":"x"},`:      "a=\"x\"\nreject a.json:1 : input ends early (truncated?); nothing behind it is read\n",
		`[{"id":"a","text":"x"`:        "reject a.json:1 : input ends early (truncated?); nothing behind it is read\n",
		`[{"id":"a","text":"x"}] more`: "a=\"x\"\nreject a.json:1 : invalid JSON: 'm' behind the array; nothing behind it is read\n",
	} {
		checkSummary(t, Options{}, "a.json", content, want)
	}
	checkSummary(t, Options{}, "a.json", `{"id":"a"}`, "a.json=\"{\\\"id\\\":\\\"a\\\"}\"\n") // an object is a text
	checkSummary(t, Options{Format: "json"}, "a.txt", `{"id":"a"}`, "reject a.txt:1 : not a JSON array; nothing behind it is read\n")
	got := readAll(t, Options{Stdin: strings.NewReader(` [{"id":"a","text":"x"}]`)}, "-")
	if len(got.docs) != 1 || got.docs[0].ID != "a" {
		t.Errorf("from standard input: %+v", got)
	}
}

// An element over the limit is rejected alone, in bounded memory.
func TestLongElement(t *testing.T) {
	long := strings.Repeat("x", 5<<20)
	content := fmt.Sprintf(`[{"id":"a","text":"1"},{"id":"long","text":%q},{"id":"b","text":"2"}]`, long)
	got := readAll(t, Options{MaxDocBytes: 1 << 20}, fileOf(t, "a.json", content))
	if len(got.docs) != 2 || len(got.rejects) != 1 || !strings.Contains(got.rejects[0].Reason, "over the limit") {
		t.Errorf("%d documents and %+v", len(got.docs), got.rejects)
	}
}

// An import can resume after any element of an array, even if all are in one line.
func TestResumeInArray(t *testing.T) {
	var b strings.Builder
	for i := range 50 {
		fmt.Fprintf(&b, `%c{"id":"%d","text":"text %d"}`, "[,"[min(i, 1)], i, i)
	}
	path := fileOf(t, "a.json", b.String()+"]")
	whole := readAll(t, Options{BatchDocs: 3}, path)
	for i, batch := range whole.batches {
		rest := readAll(t, Options{BatchDocs: 3, After: batch.End}, path)
		if seen := min(3*(i+1), 50); len(rest.docs) != 50-seen {
			t.Errorf("behind batch %d: %d documents, want %d", i, len(rest.docs), 50-seen)
		}
	}
}

// An array that encoding/json accepts is split into the same elements. An array that it refuses is
// never read without a reject.
func FuzzArray(f *testing.F) {
	for _, s := range []string{`[]`, `[{"a":"]\\"},[1,2],"x",3]`, ` [ 1 , {} ] `, `[1 2]`, `[{"a"]`, `[1],`, `[,1]`, `[1,]`, `["\u00`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		var want []json.RawMessage
		valid := json.Unmarshal(content, &want) == nil && want != nil
		e := elements{r: bufio.NewReaderSize(bytes.NewReader(content), 16), max: 1 << 20, line: 1}
		var got []json.RawMessage
		for {
			rec, err := e.next()
			if err == io.EOF {
				break
			}
			if err != nil {
				if valid {
					t.Fatalf("%q: %v", content, err)
				}
				return
			}
			got = append(got, bytes.Clone(bytes.TrimSpace(rec.bytes)))
		}
		if !valid {
			return // the decoder of the element reports it
		}
		if len(got) != len(want) {
			t.Fatalf("%q has %d elements, want %d", content, len(got), len(want))
		}
		for i := range want {
			if !bytes.Equal(got[i], want[i]) {
				t.Fatalf("%q: element %d is %q, want %q", content, i, got[i], want[i])
			}
		}
	})
}

// With First, a CSV file without the fields is not read to its end to count its lines.
func TestFirstReadsNoRest(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.csv")
	if err := os.WriteFile(file, []byte("x,y\n"+strings.Repeat("1,2\n", 1000)), 0o644); err != nil {
		t.Fatal(err)
	}
	for first, want := range map[bool]int64{true: 0, false: 1001} {
		o := Options{IDField: "a", TextField: "b", First: first}
		rejects := 0
		o.OnReject = func(r api.Reject) {
			if rejects++; r.Lines != want {
				t.Errorf("First %t: a reject of %d lines, want %d", first, r.Lines, want)
			}
		}
		for _, err := range Read(t.Context(), []string{file}, o) {
			if err != nil {
				t.Fatal(err)
			}
		}
		if rejects != 1 {
			t.Errorf("First %t: %d rejects, want 1", first, rejects)
		}
	}
}
