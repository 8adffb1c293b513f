package ingest

// Each format as found in practice: the stored documents, warnings and rejects.

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// recordsOf writes records of a and b in many forms.
const twoLines = `{"id":"a","text":"one two"}` + "\n" + `{"id":"b","text":"one three"}` + "\n"

const twoStored = "a=\"one two\"\nb=\"one three\"\n"

func TestKinds(t *testing.T) {
	array := `[{"id":"a","text":"one two"},{"id":"b","text":"one three"}]`
	pretty := "{\n  \"id\": \"a\",\n  \"text\": \"one two\"\n}\n{\n  \"id\": \"b\",\n  \"text\": \"one three\"\n}\n"
	const hint = "; use --text-field 'body', or --input-format text\n"
	manyRows := strings.Repeat("7,row\n", 20_000)
	for _, test := range []struct {
		name, content string
		o             Options
		want          string // also in a folder, if met is ""
		met           string
	}{
		// JSON lines under any name, compressed or not.
		{name: "records.json", content: twoLines, want: twoStored},
		{name: "records.txt", content: twoLines, want: twoStored},
		{name: "records", content: twoLines, want: twoStored},
		{name: "part-00000-of-01024.json.gz", content: gz(twoLines), want: twoStored},
		{name: "gzip-without-ending", content: gz(twoLines), want: twoStored},
		{name: "zstd.txt", content: zst(twoLines), want: twoStored},
		{name: "plain.jsonl.gz", content: twoLines, want: twoStored},
		{name: "one.jsonl.gz", content: twoLines[:28], want: "a=\"one two\"\n"},
		{name: "broken-line.json", content: twoLines + "{\"id\":\"c\",\n" + `{"id":"d","text":"x"}`, want: twoStored + "d=\"x\"\nreject broken-line.json:3 : invalid JSON: the line ends early\n"},
		{name: "long.json", content: `{"id":"a","text":"` + strings.Repeat("x", 100_000) + `"}` + "\n", want: "a=\"" + strings.Repeat("x", 100_000) + "\"\n"},
		{name: "text-behind-much.json", content: `{"m":"` + strings.Repeat("x", 100_000) + `","id":"a","text":"y"}` + "\n" + `{"id":"b","text":"z"}`, o: Options{Metadata: []string{}}, want: "a=\"y\"\nb=\"z\"\n"},
		// Other forms of JSON.
		{name: "array.txt", content: array, want: twoStored},
		{name: "array", content: " \n" + array, want: twoStored},
		{name: "array.jsonl", content: array, want: twoStored},
		{name: "pretty.json", content: pretty, want: twoStored},
		{name: "pretty.jsonl", content: pretty, want: twoStored},
		{name: "comma.json", content: strings.Replace(pretty, "}\n{", "},\n{", 1), want: twoStored},
		{name: "data.json", content: `{"version":1,"data":` + array + `,"more":"}"}`, want: twoStored},
		{name: "hits.json", content: `{"took":3,"hits":{"total":2,"hits":` + array + `}}`, want: twoStored},
		{name: "two-lists.json", content: `{"train":` + array + `,"test":[{"id":"c","text":"x"}]}`, want: twoStored + "reject two-lists.json:1 : behind the array stands another one of objects, which is not read; take it out into a file of its own; nothing behind it is read\n"},
		{name: "columns.json", content: `{"id":{"0":"a","1":"b"},"text":{"0":"one two","1":"one three"}}`, want: twoStored},
		{name: "columns-nan.json", content: `{"text":{"0":"one two","10":"three","2":"two"},"n":{"0":NaN,"2":2,"10":1e400}}`, o: Options{ID: "name"}, want: "columns-nan.json#1=\"one two\" {\"n\":null}\ncolumns-nan.json#2=\"two\" {\"n\":2}\ncolumns-nan.json#3=\"three\" {\"n\":null}\n" +
			"warning columns-nan.json: a number that is NaN, infinite or too large is NULL\nwarning columns-nan.json: a number that is NaN, infinite or too large is NULL\nwarning columns-nan.json: 3 records have no id: each got its place, columns-nan.json#1 the first; --id-field names the field of their ids\n"},
		{name: "rows.json", content: `{"0":{"id":"a","text":"one two"},"1":{"id":"b","text":"one three"}}`, want: twoStored},
		{name: "lists.json", content: `{"id":["a","b"],"text":["one two","one three"]}`, want: twoStored},
		{name: "split.json", content: `{"columns":["id","text"],"index":[0,1],"data":[["a","one two"],["b","one three"]]}`, want: twoStored},
		{name: "single.json", content: `{"id":"a","text":"one two"}`, want: "a=\"one two\"\n"},
		{name: "one-line.json", content: `{"text":"one two three","title":"x"}`, o: Options{ID: "name"}, want: "one-line.json#1=\"one two three\" {\"title\":\"x\"}\nwarning one-line.json: a record has no id: it got its place, one-line.json#1; --id-field names the field of the id\n"},
		{name: "sparse.json", content: `{"text":{"0":"x","1":"y"},"n":{"0":1},"m":{}}`, o: Options{ID: "sha256"}, want: "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881=\"x\" {\"n\":1}\na1fce4363854ff888cff4b8e7875d600c2682390412a8cf79b37d0b11148b0fa=\"y\"\n"},
		{name: "search.json", content: `{"names":[{"name":"x y"}],"hits":{"hits":[{"_id":"a","_source":{"text":"one two"}}]}}`,
			want: "reject search.json:1 : looks like records within an object, without a field \"text\" (has [\"_id\" \"_source\"]); use --text-field '_source.text', or --input-format text\n",
			met:  "search.json=\"{\\\"names\\\":[{\\\"name\\\":\\\"x y\\\"}],\\\"hits\\\":{\\\"hits\\\":[{\\\"_id\\\":\\\"a\\\",\\\"_source\\\":{\\\"text\\\":\\\"one two\\\"}}]}}\" (stored as one text; it looks like records within an object, without a field \"text\" (has [\"_id\" \"_source\"]); use --text-field '_source.text', or --input-format text)\n"},
		{name: "map.json", content: `{"a":"one two three","b":"one two"}`,
			want: "reject map.json:1 : looks like a map of 2 ids to texts; --input-format map reads each as a document, --input-format text all as one text\n",
			met:  "map.json=\"{\\\"a\\\":\\\"one two three\\\",\\\"b\\\":\\\"one two\\\"}\" (stored as one text; it looks like a map of 2 ids to texts; --input-format map reads each as a document, --input-format text all as one text)\n"},
		// UTF-8 with a mark, UTF-16 with and without.
		{name: "bom.txt", content: "\ufeff" + twoLines, want: twoStored},
		{name: "utf16.jsonl", content: utf16Of(twoLines, false, true), want: twoStored},
		{name: "utf16be.json", content: utf16Of(twoLines, true, false), want: twoStored},
		{name: "utf16.json", content: utf16Of(array, false, false), want: twoStored},
		{name: "utf16.csv", content: utf16Of("id,text\na,one two\nb,one three\n", false, false), want: twoStored},
		{name: "utf32.jsonl", content: utf32Of(twoLines), want: twoStored},
		{name: "utf32.txt", content: utf32Of("one"), want: "utf32.txt=\"one\"\n"},
		{name: "mac.csv", content: "id,text\ra,one two\rb,one three\r", want: twoStored},
		{name: "latin.jsonl", content: "{\"id\":\"a\",\"text\":\"Gr\xfc\xdfe\"}\n{\"id\":\"b\",\"text\":\"x\"}\n", want: "a=\"Grüße\"\nb=\"x\"\nwarning latin.jsonl: it is not UTF-8; read as windows-1252\n"},
		{name: "twice.txt.gz", content: gz(gz("one")), want: "reject twice.txt.gz:0 twice.txt.gz: gzip file within a compressed one, not a text; decompress it first\n"},
		{name: "excel-unicode.txt", content: utf16Of("id\ttext\r\na\tone two\r\nb\tone three\r\n", false, true), want: twoStored},
		// Apparent records without a text are rejected.
		{name: "body.txt", content: strings.Repeat("{\"body\":\"one two\",\"n\":1}\n", 2000), want: "reject body.txt:1 : looks like 2,000 lines of JSON without a field \"text\" (has [\"body\" \"n\"])" + hint},
		{name: "body.json", content: `[{"body":"one two"},{"body":"x"}]`, want: "reject body.json:1 : looks like 2 elements of a JSON array without a field \"text\" (has [\"body\"])" + hint},
		{name: "chat.jsonl", content: `{"id":1,"messages":[{"role":"user","content":"one two"}]}` + "\n", want: "reject chat.jsonl:1 1: no field \"text\", has [\"id\" \"messages\"]; use --text-field 'messages[].content'\n"},
		{name: "wrapped-body.json", content: `{"data":[{"body":"one two"},{"body":"x"}]}`,
			want: "reject wrapped-body.json:1 : looks like records within an object, without a field \"text\" (has [\"body\"])" + strings.TrimSuffix(hint, "\n") + "; --text-field 'data[].body' reads it as one record\n",
			met:  "wrapped-body.json=\"{\\\"data\\\":[{\\\"body\\\":\\\"one two\\\"},{\\\"body\\\":\\\"x\\\"}]}\" (stored as one text; it looks like records within an object, without a field \"text\" (has [\"body\"])" + strings.TrimSuffix(hint, "\n") + "; --text-field 'data[].body' reads it as one record)\n"},
		// Texts remain texts.
		{name: "package.json", content: `{"name":"x","dependencies":{"y":"1"},"contributors":[{"name":"Ann Lee"}]}`, want: "package.json=\"{\\\"name\\\":\\\"x\\\",\\\"dependencies\\\":{\\\"y\\\":\\\"1\\\"},\\\"contributors\\\":[{\\\"name\\\":\\\"Ann Lee\\\"}]}\"\n"},
		{name: "points.geojson", content: `{"type":"FeatureCollection","features":[{"type":"Feature","geometry":null,"properties":{}}]}`, want: "points.geojson=\"{\\\"type\\\":\\\"FeatureCollection\\\",\\\"features\\\":[{\\\"type\\\":\\\"Feature\\\",\\\"geometry\\\":null,\\\"properties\\\":{}}]}\"\n"},
		{name: "note.ipynb", content: `{"cells":[{"cell_type":"markdown","metadata":{},"source":["# One two"]}],"metadata":{},"nbformat":4}`, want: "note.ipynb=\"{\\\"cells\\\":[{\\\"cell_type\\\":\\\"markdown\\\",\\\"metadata\\\":{},\\\"source\\\":[\\\"# One two\\\"]}],\\\"metadata\\\":{},\\\"nbformat\\\":4}\"\n"},
		{name: "brace.txt", content: "{ said the page }\nand more\n", want: "brace.txt=\"{ said the page }\\nand more\\n\"\n"},
		{name: "brace.md", content: "{\"a\":1}\nis JSON\n", want: "brace.md=\"{\\\"a\\\":1}\\nis JSON\\n\"\n"},
		{name: "numbers.json", content: "[1, 2]", want: "numbers.json=\"[1, 2]\"\n"},
		{name: "prose.txt", content: "text, as we know it, is id\nand so on, to the end\n", want: "prose.txt=\"text, as we know it, is id\\nand so on, to the end\\n\"\n"},
		// CSV as programs write it.
		{name: "table.txt", content: "id,text\na,one two\nb,one three\n", want: twoStored},
		{name: "semicolon.csv", content: "id;text\na;one two\nb;one three\n", want: twoStored},
		{name: "bar.csv", content: "id|text\na|one two\nb|one three\n", want: twoStored},
		{name: "excel.csv", content: "sep=;\r\nid;text\r\na;one two\r\nb;one three\r\n", want: twoStored},
		{name: "column.csv", content: "text\none, two\n\"three, four\"\n", o: Options{ID: "sha256"}, want: "0c1b6ea1e8cbcff9c63c94c0e27a684db1711542355bf79a6fa989e335830175=\"one, two\"\n4befb36098f695e851c5492010de07396fb03ddaa3801535f7ab509dfd7a4037=\"three, four\"\n"},
		{name: "latin.csv", content: "id,text\na,Gr\xfc\xdfe \x80 5\n", want: "a=\"Grüße € 5\"\nwarning latin.csv: it is not UTF-8; read as windows-1252\n"},
		{name: "quotes.csv", content: "id,text\na,the 5\" pipe\nb,\"a \"bad\" one, yes\"\nc,\"end\" trailing\nd,last\n",
			want: "a=\"the 5\\\" pipe\"\nb=\"a \\\"bad\\\" one, yes\"\nc=\"end trailing\"\nd=\"last\"\nwarning quotes.csv: 2 of its rows have quotes that CSV does not allow; they are read as they stand\n"},
		{name: "open.csv", content: "id,text,n\na,x,1\nb,\"never closed\nc,y,2\n", want: "a=\"x\" {\"n\":\"1\"}\nc=\"y\" {\"n\":\"2\"}\nreject open.csv:3 : a quote is not closed, or stands where CSV does not allow it\n"},
		{name: "open-long.csv", content: "id,text,n\nb,\"one\ntwo\nthree\nc,y,2\n", want: "c=\"y\" {\"n\":\"2\"}\nreject open-long.csv:2 : a quote is not closed, or stands where CSV does not allow it; 3 lines lost\n"},
		{name: "cut.csv", content: "id,text\na,x\nb,\"cut o", want: "a=\"x\"\nreject cut.csv:3 : a quote is not closed, or stands where CSV does not allow it\n"},
		{name: "lines.csv", content: "id,text\na,\"x\n\ny\"\"z\"\nb,c\n", want: "a=\"x\\n\\ny\\\"z\"\nb=\"c\"\n"},
		{name: "bad-lines.csv", content: "id,text\na,\"he said \"no\"\nand went\"\nb,c\n", want: "a=\"he said \\\"no\\\"\\nand went\"\nb=\"c\"\nwarning bad-lines.csv: 1 of its rows have quotes that CSV does not allow; they are read as they stand\n"},
		{name: "literal.tsv", content: "id\ttext\na\tone \"two\"\nb\t\"three\n", want: "a=\"one \\\"two\\\"\"\nb=\"\\\"three\"\n"},
		{name: "quoted.tsv", content: "id\ttext\na\t\"one\ttwo\"\n", want: "a=\"one\\ttwo\"\n"},
		{name: "backslash.csv", content: "id,text,n\na,\"he said \\\"no\\\", twice\",\\N\nb,c:\\new,1\n", want: "a=\"he said \\\"no\\\", twice\" {\"n\":null}\nb=\"c:\\\\new\" {\"n\":\"1\"}\n"},
		{name: "mysql.tsv", content: "id\ttext\tn\na\tone\\ttwo\\\nthree\t\\N\nb\t\\N\t1\n", want: "a=\"one\\ttwo\\nthree\" {\"n\":null}\nreject mysql.tsv:4 b: field \"text\" is null\n"},
		{name: "headless.csv", content: "1,one two\n2,one three\n", want: "reject headless.csv:1 : CSV header has no field \"text\", has [\"1\" \"one two\"]; use --text-field NAME, or --text-field 2 for the second field of a file without a header\n"},
		{name: "headless.csv", content: "1,one two\n2,one three\n", o: Options{TextField: "2", IDField: "1"}, want: "1=\"one two\"\n2=\"one three\"\n"},
		{name: "headless.tsv", content: "x\tone two\ny\tone three\n", o: Options{TextField: "2"}, want: "headless.tsv#1=\"one two\" {\"1\":\"x\"}\nheadless.tsv#2=\"one three\" {\"1\":\"y\"}\nwarning headless.tsv: 2 records have no id: each got its place, headless.tsv#1 the first; --id-field names the field of their ids\n"},
		{name: "lone-quote.csv", content: "id,text\n1,a\n5,\"lone\n" + manyRows, want: "1=\"a\"\n5=\"\\\"lone\"\n" + strings.Repeat("7=\"row\"\n", 20_000) + "warning lone-quote.csv: 1 of its rows have quotes that CSV does not allow; they are read as they stand\n"},
		// Broken elements.
		{name: "broken.json", content: "[\n{\"id\":\"a\",\"text\":\"x\"},\n{\"id\":\"b\",\"text\":\"y},\n{\"id\":\"c\",\"text\":\"z\"}\n]", want: "a=\"x\"\nc=\"z\"\nreject broken.json:3 : invalid JSON: a string goes over the end of its line\n"},
		{name: "unclosed.json", content: "[\n {\"id\":\"a\",\"text\":\"x\",\n {\"id\":\"b\",\"text\":\"y\"},\n {\"id\":\"c\",\"text\":\"z\"}\n]", want: "b=\"y\"\nc=\"z\"\nreject unclosed.json:2 : invalid JSON: '{' behind ','\n"},
		{name: "broken-pretty.json", content: pretty + "{\n \"id\":\"c\n}\n{\n \"id\":\"d\",\n \"text\":\"x\"\n}\n", want: twoStored + "d=\"x\"\nreject broken-pretty.json:9 : invalid JSON: a string goes over the end of its line; 3 lines lost\n"},
		{name: "cut.jsonl.gz", content: cutGz(twoLines, 40), want: "a=\"one two\"\nreject cut.jsonl.gz:2 : input ends early (truncated?); nothing behind it is read\n"},
		// Metadata, ids and texts.
		{name: "nan.jsonl", content: `{"id":"a","text":"NaN x","n":NaN,"m":[Infinity,-Infinity,1e400,1e4]}` + "\n", want: "a=\"NaN x\" {\"m\":[null,null,null,1e4],\"n\":null}\nwarning nan.jsonl: 4 numbers that are NaN, infinite or too large are NULL\n"},
		{name: "some-ids.jsonl", content: `{"text":"x"}` + "\n" + `{"id":"a","text":"x"}` + "\n\n" + `{"id":null,"text":"x"}` + "\n", want: "some-ids.jsonl#1=\"x\"\na=\"x\"\nsome-ids.jsonl#4=\"x\"\nwarning some-ids.jsonl: 2 records have no id: each got its place, some-ids.jsonl#1 the first; --id-field names the field of their ids\n"},
		{name: "messages.jsonl", content: `{"id":1,"messages":[{"role":"u","content":"one"},{"role":"a","content":null},{"role":"a","content":"two"}]}`, o: Options{TextField: "messages[].content"}, want: "1=\"one\\ntwo\" {\"messages\":[{\"role\":\"u\"},{\"role\":\"a\"},{\"role\":\"a\"}]}\n"},
		{name: "source.json", content: `{"hits":[{"_id":"a","_source":{"body":"one","n":1}}]}`, o: Options{TextField: "_source.body", IDField: "_id"}, want: "a=\"one\" {\"_source\":{\"n\":1}}\n"},
		{name: "alpaca.json", content: `[{"instruction":"one","input":"","output":"two"},{"instruction":"three"}]`, o: Options{TextField: "instruction,input,output", ID: "name"}, want: "alpaca.json#1=\"one\\n\\ntwo\"\nalpaca.json#2=\"three\"\nwarning alpaca.json: 2 records have no id: each got its place, alpaca.json#1 the first; --id-field names the field of their ids\n"},
		{name: "dotted.jsonl", content: `{"meta.id":"a","meta":{"id":"b"},"text":"x"}`, o: Options{IDField: "meta.id"}, want: "a=\"x\" {\"meta\":{\"id\":\"b\"}}\n"},
		{name: "columns.csv", content: "id,title,body\na,One,two\nb,,three\n", o: Options{TextField: "title,body"}, want: "a=\"One\\n\\ntwo\"\nb=\"three\"\n"},
		// Containers.
		{name: "a.npy", content: "\x93NUMPY\x01\x00v\x00", want: "reject a.npy:0 a.npy: NumPy array (npy), not a text; " + asLines + "\n"},
		{name: "a.pkl", content: "\x80\x04\x95\x00\x00", want: "reject a.pkl:0 a.pkl: Python pickle, not a text; " + asLines + "\n"},
		{name: "a.avro", content: "Obj\x01\x04\x14", want: "reject a.avro:0 a.avro: Avro file, not a text; " + asLines + "\n"},
		{name: "a.h5", content: "\x89HDF\r\n\x1a\n\x00", want: "reject a.h5:0 a.h5: HDF5 file, not a text; " + asLines + "\n"},
		{name: "a.7z", content: "7z\xbc\xaf\x27\x1c\x00", want: "reject a.7z:0 a.7z: 7z archive, not a text; unpack it first\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, filepath.Join(dir, test.name), test.content)
			if got := told(t, test.o, filepath.Join(dir, test.name)); got != test.want {
				t.Errorf("alone:\n%.2000swant\n%.2000s", got, test.want)
			}
			if test.met == "" {
				test.met = test.want
			}
			if got := told(t, test.o, dir); got != test.met {
				t.Errorf("in a folder:\n%.2000swant\n%.2000s", got, test.met)
			}
			write(t, filepath.Join(dir, "a.zip"), zipOf(t, test.name, test.content))
			inZip := test.o
			inZip.Format = "auto"
			got := told(t, inZip, filepath.Join(dir, "a.zip"))
			if got := strings.ReplaceAll(got, "a.zip/", ""); got != test.met {
				t.Errorf("in a zip:\n%.2000swant\n%.2000s", got, test.met)
			}
			checkResumes(t, test.o, filepath.Join(dir, test.name))
		})
	}
}

func utf32Of(s string) string {
	b := []byte("\xff\xfe\x00\x00")
	for _, r := range s {
		b = binary.LittleEndian.AppendUint32(b, uint32(r))
	}
	return string(b)
}

// told formats the stored documents, warnings and rejects.
func told(t *testing.T, o Options, path string) string {
	t.Helper()
	got := readAll(t, o, path)
	dir := filepath.Dir(path)
	if !strings.Contains(filepath.Base(path), ".") && !strings.HasPrefix(filepath.Base(path), "records") {
		dir = path
	}
	said := got.summary(dir)
	for _, b := range got.batches {
		for _, w := range b.Warnings {
			said += fmt.Sprintf("warning %s: %s\n", filepath.Base(w.Source), w.Why)
		}
	}
	return strings.ReplaceAll(said, filepath.Dir(path)+"/", "")
}

// checkResumes resumes after each batch of a file, and requires the rest of the whole import.
func checkResumes(t *testing.T, o Options, path string) {
	t.Helper()
	o.BatchDocs = 2
	whole := readAll(t, o, path)
	seen := 0
	for i, b := range whole.batches {
		if seen += len(b.Docs); i > 5 && i < len(whole.batches)-3 {
			continue
		}
		rest := o
		rest.After = b.End
		if got := readAll(t, rest, path); len(got.docs) != len(whole.docs)-seen || len(got.docs) > 0 && got.docs[0].ID != whole.docs[seen].ID {
			t.Errorf("behind batch %d: %d documents, want %d", i, len(got.docs), len(whole.docs)-seen)
		}
	}
}

// With the format given, the same map is read.
func TestMap(t *testing.T) {
	checkSummary(t, Options{Format: "map"}, "map.json", `{"a":"one","b":"two","c":5}`, "a=\"one\"\nb=\"two\"\nreject map.json:3 c: field \"text\" is a number, want a string\n")
}

// Resuming reads the rest of a file that has grown, even if the file had a warning.
func TestWarningsHaveNoPosition(t *testing.T) {
	path := fileOf(t, "a.csv", "id,text\na,the \"x\ny\",caf\xe9\nb,\"the \"x\" y\"\n")
	got := readAll(t, Options{}, path)
	last := got.batches[len(got.batches)-1]
	if len(last.Warnings) != 1 {
		t.Fatalf("warnings %v, want one", last.Warnings)
	}
	if again := readAll(t, Options{After: last.End}, path); len(again.batches) > 0 {
		t.Errorf("resumed at the end: %v", again.batches)
	}
	appendTo(t, path, "c,z\n")
	if again := readAll(t, Options{After: last.End}, path); len(again.docs) != 1 || again.docs[0].ID != "c" {
		t.Errorf("resumed behind the old end: %v, want c", again.docs)
	}
}

func appendTo(t *testing.T, path, more string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err == nil {
		_, err = f.WriteString(more)
		f.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
}

// A late character beyond ASCII, at any place in the buffer, changes nothing else.
func TestLateCharacters(t *testing.T) {
	for _, tail := range []string{"\u00e9", "\xe9\x81\x81\x81\x81"} {
		for at := 0; at < 40; at += 13 {
			var b strings.Builder
			b.WriteString("id,text\n")
			for i := range 6000 + at {
				fmt.Fprintf(&b, "%d,row number %d\n", i, i)
			}
			b.WriteString(strings.Repeat("x", at) + "," + tail + "\n")
			for i := range 9000 {
				fmt.Fprintf(&b, "z%d,row\n", i)
			}
			if got := readAll(t, Options{}, fileOf(t, "a.csv", b.String())); len(got.docs) != 15_001+at || len(got.rejects) > 0 {
				t.Fatalf("%q at %d: %d documents and rejects %v, want %d", tail, at, len(got.docs), got.rejects, 15_001+at)
			}
		}
	}
}
