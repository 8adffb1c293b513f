package agent

// The tools as a client of the protocol sees them.

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/cmd/simdb/internal/serve"
	"github.com/simdb/simdb/internal/guard"
	"github.com/simdb/simdb/query"
	"github.com/simdb/simdb/web"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const lecture = "Lay a strip of paper with a hole three words wide over a text and move it along, one word at a time. What you see through the hole at each place is a shingle."

// client is an agent that is connected to a server over a database in memory.
type client struct {
	*testing.T
	db      *simdb.DB
	session *mcp.ClientSession
}

type object = map[string]any

// connect starts a server with the given flags on three documents.
func connect(t *testing.T, s serving) client {
	t.Helper()
	db, err := simdb.Open("", &simdb.Options{InMemory: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	err = db.Put(t.Context(),
		api.Document{ID: "notes/a b.txt", Text: lecture, Meta: api.Meta{"year": json.Number("9007199254740993")}},
		api.Document{ID: "copy", Text: lecture + " Nobody else says so."},
		api.Document{ID: "other", Text: "A cosine of word frequencies is another matter, and is told elsewhere in this book."})
	if err != nil {
		t.Fatal(err)
	}
	return connectTo(t, db, s)
}

func connectTo(t *testing.T, db *simdb.DB, s serving) client {
	t.Helper()
	s.Web.Lend = func() (*simdb.DB, func()) { return db, func() {} }
	s.Web.Writable = s.remember || s.statements
	if s.Web.MaxRows == 0 {
		s.Web.MaxRows = 100
	}
	if s.Web.MaxTime == 0 {
		s.Web.MaxTime = time.Minute
	}
	if s.maxBytes == 0 {
		s.maxBytes = 64 << 10
	}
	return client{t, db, connectServer(t, s.server())}
}

func connectServer(t *testing.T, m *mcp.Server) *mcp.ClientSession {
	t.Helper()
	ours, theirs := net.Pipe()
	there, err := m.Connect(t.Context(), &mcp.IOTransport{Reader: ours, Writer: ours, MaxLineLength: maxMessage}, nil)
	if err != nil {
		t.Fatal(err)
	}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil).Connect(t.Context(), &mcp.IOTransport{Reader: theirs, Writer: theirs}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close(); there.Wait() })
	return session
}

// call calls a tool and checks that the JSON and the text of its answer agree.
func (c client) call(tool, arguments string) object {
	c.Helper()
	res, err := c.session.CallTool(c.Context(), &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(arguments)})
	if err != nil || res.IsError {
		c.Fatalf("%s %.200s: %v, %s", tool, arguments, err, textOf(res))
	}
	var answer, text object
	b, err := json.Marshal(res.StructuredContent)
	if err != nil || json.Unmarshal(b, &answer) != nil || json.Unmarshal([]byte(textOf(res)), &text) != nil {
		c.Fatalf("%s answers %s, %v", tool, b, err)
	}
	if fmt.Sprint(answer) != fmt.Sprint(text) {
		c.Errorf("%s answers %v, and as text %v", tool, answer, text)
	}
	return answer
}

// refused calls a tool that must fail with a message that contains want.
func (c client) refused(tool, arguments, says string) {
	c.Helper()
	res, err := c.session.CallTool(c.Context(), &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(arguments)})
	if err != nil || !res.IsError || !strings.Contains(textOf(res), says) {
		c.Errorf("%s %.200s: %v, %s, want an error that says %q", tool, arguments, err, textOf(res), says)
	}
}

func textOf(res *mcp.CallToolResult) string {
	if res == nil || len(res.Content) != 1 {
		return ""
	}
	return res.Content[0].(*mcp.TextContent).Text
}

func ids(rows any) (ids []string) {
	for _, r := range rows.([]any) {
		ids = append(ids, r.(object)["id"].(string))
	}
	return ids
}

func TestSearches(t *testing.T) {
	c := connect(t, serving{})
	text, _ := json.Marshal(lecture)
	for _, tt := range []struct{ tool, arguments, want string }{
		{"similar", `{"text":` + string(text) + `}`, "[notes/a b.txt copy]"},
		{"similar", `{"id":"copy"}`, "[notes/a b.txt]"},
		{"similar", `{"text":` + string(text) + `,"threshold":1}`, "[notes/a b.txt]"},
		{"similar", `{"text":"through the hole at each place","measure":"containment"}`, "[copy notes/a b.txt]"},
		{"similar", `{"id":"copy","measure":"words","threshold":0.01}`, "[notes/a b.txt other]"},
		{"similar", `{"text":"nothing of the kind was ever said"}`, "[]"},
		{"nearest", `{"id":"copy","limit":1}`, "[notes/a b.txt]"},
		{"nearest", `{"text":"the hole at each place is a shingle"}`, "[notes/a b.txt copy]"},
	} {
		a := c.call(tt.tool, tt.arguments)
		if got := fmt.Sprint(ids(a["matches"])); got != tt.want || a["more"] != false {
			t.Errorf("%s %s: %s, more: %v, want %s", tt.tool, tt.arguments, got, a["more"], tt.want)
		}
	}
	m := c.call("similar", `{"id":"copy"}`)["matches"].([]any)[0].(object)
	if m["uri"] != "simdb://docs/notes/a%20b.txt" || m["excerpt"] != lecture || m["sim"].(float64) != m["shared"].(float64)/m["union"].(float64) {
		t.Errorf("a match: %v", m)
	}
	if a := c.call("similar", `{"text":"nothing of the kind was ever said"}`); !strings.Contains(fmt.Sprint(a["notes"]), "paraphrase") {
		t.Errorf("nothing found, and nothing said of it: %v", a)
	}
}

func TestEvidence(t *testing.T) {
	c := connect(t, serving{})
	a := c.call("compare", `{"a_id":"copy","b_id":"notes/a b.txt"}`)
	p := a["passages"].([]any)
	if len(p) != 1 || p[0].(object)["text"] != lecture || p[0].(object)["b_end_byte"] != float64(len(lecture)) || a["scores"].([]any)[0].(object)["measure"] != "jaccard" {
		t.Errorf("comparing: %v", a)
	}
	a = c.call("sources", `{"text":"As they say, what you see through the hole at each place is a shingle. And a cosine of word frequencies is another matter."}`)
	first := a["sources"].([]any)[0].(object)
	if got := fmt.Sprint(ids(a["sources"])); got != "[copy]" && got != "[copy other]" && got != "[notes/a b.txt other]" {
		t.Errorf("sources %s", got)
	}
	piece := first["passages"].([]any)[0].(object)
	if !strings.Contains(piece["text"].(string), "through the hole") || a["covered"].(float64) >= a["chars"].(float64) || a["covered"].(float64) < first["chars"].(float64) {
		t.Errorf("sources: %v", a)
	}
}

func TestRemember(t *testing.T) {
	c := connect(t, serving{remember: true})
	const text = `"The user wants answers in French, and no more than three sentences of them."`
	a := c.call("remember", `{"text":`+text+`,"metadata":{"seen":1234567890123456789}}`)
	if a["stored"] != true {
		t.Fatalf("a new text: %v", a)
	}
	id := a["id"].(string)
	doc, err := c.db.Get(t.Context(), "docs", id)
	if err != nil || fmt.Sprint(doc.Meta["seen"]) != "1234567890123456789" {
		t.Errorf("stored is %v, %v", doc.Meta, err)
	}
	for _, again := range []string{text, `"The user wants answers in French, and no more than three sentences of them, please."`} {
		a = c.call("remember", `{"text":`+again+`}`)
		if a["stored"] != false || a["id"] != id || a["similar"].(object)["id"] != id {
			t.Errorf("%s again: %v", again, a)
		}
	}
	if p := a["passages"].([]any); len(p) != 1 || !strings.HasPrefix(p[0].(object)["text"].(string), "The user wants") {
		t.Errorf("what both share: %v", a)
	}
	a = c.call("remember", `{"text":"?!","collection":"short"}`)
	if b := c.call("remember", `{"text":"?!","collection":"short"}`); a["stored"] != true || b["stored"] != false {
		t.Errorf("a text without words: %v, then %v", a, b)
	}
	if a = c.call("remember", `{"text":`+text+`,"id":"strict","threshold":1}`); a["stored"] != false {
		t.Errorf("an equal text under another id: %v", a)
	}
	c.refused("remember", `{"text":"something else","id":"copy"}`, "has another text")
	c.refused("remember", `{"text":""}`, "give text")
	c.refused("remember", `{"text":"a b c d","threshold":0}`, "above 0")
	c.refused("remember", `{"text":"a b c d","threshold":2}`, "2")
	c.refused("query", `{"statement":"DELETE FROM docs WHERE id = 'copy'"}`, "--allow-writes")
	if err := c.db.CreateCollection(t.Context(), "unique", api.Settings{UniqueSim: "0.5"}); err != nil {
		t.Fatal(err)
	}
	c.call("remember", `{"text":`+text+`,"collection":"unique","id":"u"}`)
	a = c.call("remember", `{"text":"The user wants answers in French, and no more than five lines.","collection":"unique","threshold":0.9}`)
	if a["stored"] != false || a["id"] != "u" {
		t.Errorf("below the threshold asked for, above that of the collection: %v", a)
	}
}

// The similar document of a rejected text is shown without metadata that the answer cannot hold.
func TestRememberLongMetadata(t *testing.T) {
	c := connect(t, serving{remember: true, maxBytes: 1 << 10})
	if err := c.db.Put(t.Context(), api.Document{ID: "long", Text: "a text with many fields", Meta: api.Meta{"x": strings.Repeat("x", 5000)}}); err != nil {
		t.Fatal(err)
	}
	a := c.call("remember", `{"text":"a text with many fields","threshold":0.9}`)
	if s, _ := a["similar"].(map[string]any); a["stored"] != false || a["more"] != true || s["id"] != "long" || s["metadata"] != nil {
		t.Errorf("%.2000v", a)
	}
}

// remember rejects short texts that repeat a note, in a collection of its own and in others.
func TestRememberNotes(t *testing.T) {
	for _, with := range []string{"", "unit = 'word'", "unit = 'word', k = 1"} {
		c := connect(t, serving{remember: true})
		measure := "jaccard(k=1)"
		if with == "" {
			measure = "jaccard(k=4)"
		} else if s, err := query.ParseSettings(with); err != nil || c.db.CreateCollection(t.Context(), "memory", s) != nil {
			t.Fatal(with, err)
		}
		for _, note := range []struct {
			text   string
			stored bool
			differ string
		}{
			{"The user prefers dark mode in their editor.", true, ""},
			{"User prefers dark mode in the editor.", false, ""},
			{"User prefers light mode in the editor.", true, "a word of each"},
			{"The user doesn't prefer dark mode in their editor.", true, "a negation"},
			{"The vote of the user on the proposal: +1", true, ""},
			{"The vote of the user on the proposal: -1", true, "a number or symbol"},
			{"Alice from the platform team reports to Bob.", true, ""},
			{"Bob from the platform team reports to Alice.", true, "the order of the words"},
			{"Alice, from the platform team, reports to Bob", false, ""},
		} {
			a := c.call("remember", fmt.Sprintf(`{"collection":"memory","text":%q}`, note.text))
			if a["stored"] != note.stored || a["measure"] != measure || a["threshold"] != 0.4 || !strings.Contains(fmt.Sprint(a["notes"]), note.differ) {
				t.Errorf("%q: %s: %v", with, note.text, a)
			}
		}
		a := c.call("remember", fmt.Sprintf(`{"collection":"memory","text":%q}`, strings.Repeat("a longer text ", 30)))
		if a["stored"] != true || a["measure"] != "jaccard" || a["threshold"] != 0.8 {
			t.Errorf("a long text: %v", a)
		}
	}
}

// A read-only server has no tool that writes, and --allow-remember adds no tool that deletes.
func TestWhatIsThere(t *testing.T) {
	const reading = "compare nearest query similar sources"
	for _, tt := range []struct {
		flags   serving
		tools   string
		deletes bool
	}{
		{serving{}, reading, false},
		{serving{remember: true}, "compare nearest query remember similar sources", false},
		{serving{statements: true}, "compare nearest query remember similar sources", true},
	} {
		c := connect(t, tt.flags)
		list, err := c.session.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, tool := range list.Tools {
			names = append(names, tool.Name)
			if tool.OutputSchema == nil || len(tool.Description) < 100 || tool.Annotations.ReadOnlyHint == (tool.Name == "remember" || tool.Name == "query" && tt.deletes) {
				t.Errorf("%s: %+v", tool.Name, tool.Annotations)
			}
			if tool.Name != "query" && !strings.Contains(tool.Description, "paraphrases") {
				t.Errorf("%s does not say that it misses paraphrases", tool.Name)
			}
		}
		if got := strings.Join(names, " "); got != tt.tools {
			t.Errorf("%+v: tools %s, want %s", tt.flags, got, tt.tools)
		}
		if tt.deletes {
			c.call("query", `{"statement":"DELETE FROM docs WHERE id = 'other'"}`)
		} else {
			c.refused("query", `{"statement":"DELETE FROM docs WHERE id = 'other'"}`, "read-only")
		}
		if _, err := c.db.Get(t.Context(), "docs", "other"); (err == nil) == tt.deletes {
			t.Errorf("after a DELETE: %v", err)
		}
	}
	// The schema lists the measures of searches.
	for m := api.Jaccard; m.Valid(); m++ {
		described := schemaOf[lookup]().Properties["measure"].Description
		if m.Check(api.Args{}) == nil && !strings.Contains(described, m.String()) {
			t.Errorf("measure %s is not described", m)
		}
	}
}

func TestResources(t *testing.T) {
	c := connect(t, serving{maxBytes: 1 << 10})
	if err := c.db.Put(t.Context(), api.Document{Collection: "odd ones/ü", ID: "50% #1?", Text: strings.Repeat("so it goes. ", 200)}); err != nil {
		t.Fatal(err)
	}
	read := func(uri string) *mcp.ResourceContents {
		t.Helper()
		res, err := c.session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
		if err != nil || len(res.Contents) != 1 {
			t.Fatalf("%s: %v", uri, err)
		}
		return res.Contents[0]
	}
	if got := read(uriOf("docs", "notes/a b.txt")); got.Text != lecture || fmt.Sprint(got.Meta["metadata"]) == "<nil>" {
		t.Errorf("a document: %+v", got)
	}
	if got := read(uriOf("odd ones/ü", "50% #1?")).Text; len(got) > 1<<11 || !strings.Contains(got, "truncated: 1024 of 2400 bytes") {
		t.Errorf("a long document: %s", got)
	}
	if got := read("simdb://collections").Text; !strings.Contains(got, `["docs",3,3,`) || !strings.Contains(got, `"unique_sim"`) {
		t.Errorf("the collections: %s", got)
	}
	if err := c.db.Put(t.Context(), api.Document{ID: "wide", Text: "x" + strings.Repeat("é", 1000)}); err != nil {
		t.Fatal(err)
	}
	if got := read(uriOf("docs", "wide")).Text; !strings.Contains(got, "é\n[truncated") || strings.Contains(got, "\ufffd") {
		t.Errorf("a text cut within a character: %s", got)
	}
	for _, uri := range []string{"simdb://docs/nowhere", "simdb://docs/%zz", "simdb://nowhere/copy", "file:///etc/passwd", "simdb://docs"} {
		if res, err := c.session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri}); err == nil {
			t.Errorf("%s gives %v", uri, res.Contents[0])
		}
	}
}

func TestLimits(t *testing.T) {
	c := connect(t, serving{Flags: serve.Flags{Web: web.Options{MaxRows: 2}}, maxBytes: 1 << 10})
	a := c.call("query", `{"statement":"SELECT id, year FROM docs"}`)
	if rows := a["rows"].([]any); len(rows) != 2 || a["more"] != true || !strings.Contains(fmt.Sprint(a["notes"]), "first 2 rows") {
		t.Errorf("more rows than there may be: %v", a)
	}
	if a = c.call("similar", `{"id":"copy","limit":1,"threshold":0}`); len(ids(a["matches"])) != 1 || a["more"] != false {
		t.Errorf("one is similar: %v", a)
	}
	if a = c.call("similar", `{"text":"a strip of paper","limit":1,"threshold":0.01}`); len(ids(a["matches"])) != 1 || a["more"] != true || a["notes"] == nil {
		t.Errorf("one of two: %v", a)
	}
	for i := range 9 {
		if err := c.db.Put(t.Context(), api.Document{ID: fmt.Sprint(i), Text: lecture, Meta: api.Meta{"long": strings.Repeat("x", 900)}}); err != nil {
			t.Fatal(err)
		}
	}
	if a = c.call("similar", `{"id":"1"}`); len(ids(a["matches"])) != 0 || a["more"] != true || !strings.Contains(fmt.Sprint(a["notes"]), "--max-bytes") {
		t.Errorf("more bytes than there may be: %v", a)
	}
	hurried := connectTo(t, c.db, serving{Flags: serve.Flags{Web: web.Options{MaxTime: time.Nanosecond}}})
	hurried.refused("similar", `{"id":"copy"}`, "--max-time")
	hurried.refused("query", `{"statement":"SIMILAR PAIRS"}`, "--max-time")
}

func TestHostile(t *testing.T) {
	c := connect(t, serving{remember: true})
	huge, _ := json.Marshal(strings.Repeat("word and ", 2<<20)) // more than a document may have
	for _, tt := range []struct{ tool, arguments, says string }{
		{"remember", `{"text":` + string(huge) + `}`, "too large"},
		{"similar", `{}`, "give text or id"},
		{"similar", `{"text":"a","id":"b"}`, "not both"},
		{"similar", `{"id":"nobody"}`, "nobody"},
		{"similar", `{"text":"a b c d","collection":"nowhere"}`, "SHOW COLLECTIONS"},
		{"similar", `{"text":"a b c d","measure":"meaning"}`, "no measure"},
		{"similar", `{"text":"a b c d","measure":"si"}`, "si"},
		{"similar", `{"text":"a b c d","threshold":-1}`, "-1"},
		{"similar", `{"text":"a b c d","threshold":"high"}`, "threshold"},
		{"similar", `{"text":"a b c d","limit":101}`, "from 1 to 100"},
		{"similar", `{"text":"a b c d","limit":-1}`, "from 1 to 100"},
		{"similar", `{"texts":"a b c d"}`, "texts"},
		{"similar", `[]`, "inputSchema"},
		{"nearest", `{"text":"a b c d","threshold":0.5}`, "threshold"},
		{"compare", `{"a_text":"a"}`, "b_text or b_id"},
		{"compare", `{"a_text":"a","b_id":"copy","min":-1}`, "min"},
		{"sources", `{"text":"a b c d","min":-1}`, "min"},
		{"query", `{"statement":"SELEC 1"}`, "SELECT"},
		{"query", `{"statement":""}`, "statement"},
		{"query", `{"statement":"SIMILAR TO FILE '/etc/passwd'"}`, "FILE"},
		{"query", `{"statement":"SELECT id FROM docs WHERE id = ?","params":[{}]}`, "$1"},
	} {
		c.refused(tt.tool, tt.arguments, tt.says)
	}
	if _, err := c.session.CallTool(t.Context(), &mcp.CallToolParams{Name: "forget"}); err == nil {
		t.Errorf("a tool that is not there answers")
	}
	a := c.call("query", `{"statement":"SELECT year FROM docs WHERE year = ?","params":[9007199254740993]}`)
	res, err := c.session.CallTool(t.Context(), &mcp.CallToolParams{Name: "query", Arguments: json.RawMessage(`{"statement":"SELECT year FROM docs WHERE year = ?","params":[9007199254740993]}`)})
	if len(a["rows"].([]any)) != 1 || err != nil || !strings.Contains(textOf(res), "[[9007199254740993]]") {
		t.Errorf("a large number: %v, %s", err, textOf(res))
	}
}

// waiting adds a tool that waits for the cancellation of its call and reports it.
func waiting(s *serving) (m *mcp.Server, working, ended chan bool) {
	m, working, ended = s.server(), make(chan bool), make(chan bool, 1)
	add(&server{serving: s, mcp: m, slots: make(chan struct{}, 1)}, &mcp.Tool{Name: "wait"},
		func(ctx context.Context, _ *simdb.DB, _ struct{}) (object, error) {
			working <- true
			<-ctx.Done()
			ended <- true
			return nil, ctx.Err()
		})
	return m, working, ended
}

// A call that is given up ends, and its place is free again.
func TestCancelled(t *testing.T) {
	s := serving{maxBytes: 64 << 10}
	s.Web.MaxRows, s.Web.MaxTime = 100, time.Hour
	s.Web.Lend = func() (*simdb.DB, func()) { return nil, func() {} }
	m, working, ended := waiting(&s)
	c := connectServer(t, m)
	for range 3 {
		ctx, cancel := context.WithCancel(t.Context())
		go func() { <-working; cancel() }()
		if _, err := c.CallTool(ctx, &mcp.CallToolParams{Name: "wait"}); err == nil {
			t.Error("a call that was given up has an answer")
		}
		<-ended
	}
}

// A row of many long values is not encoded whole before the answer is full.
func TestLongRow(t *testing.T) {
	s := &server{serving: &serving{maxBytes: 64 << 10}}
	row := make(simdb.Row, 100)
	for i := range row {
		row[i] = strings.Repeat("x", 1<<20)
	}
	var a cut
	var cells []any
	var err error
	n := guard.Allocates(func() { cells, err = s.room(&a).encode(row) })
	if cells != nil || err != nil || !a.More || n > 8<<20 {
		t.Errorf("a row of 100 MiB: %d cells, %v, more %v, after %d bytes", len(cells), err, a.More, n)
	}
}

// counted counts its encodings.
type counted struct{ n int }

func (c *counted) MarshalJSON() ([]byte, error) { c.n++; return []byte("1"), nil }

// A row is encoded once, for its size and for the answer.
func TestRowsAreEncodedOnce(t *testing.T) {
	s := &server{serving: &serving{maxBytes: 64 << 10}}
	var a queryAnswer
	value := &counted{}
	cells, err := s.room(&a.cut).encode(simdb.Row{value, "<b>", nil})
	if err != nil {
		t.Fatal(err)
	}
	a.Rows = [][]any{cells}
	b, err := json.Marshal(a)
	if want := `"rows":[[1,"\u003cb\u003e",null]]`; err != nil || value.n != 1 || !strings.Contains(string(b), want) {
		t.Errorf("%s, %v after %d encodings, want %s after 1", b, err, value.n, want)
	}
}

// A statement that is too large fails; its answer is not only cut after some rows.
func TestTooLargeStatement(t *testing.T) {
	db, err := simdb.Open("", &simdb.Options{InMemory: true, MemoryBytes: 8 << 20})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	for i := range 600 {
		if err := db.Put(t.Context(), api.Document{ID: fmt.Sprint(i), Text: "all of these documents have one text"}); err != nil {
			t.Fatal(err)
		}
	}
	c := connectTo(t, db, serving{})
	c.refused("query", `{"statement":"SIMILAR PAIRS NEAREST 600"}`, "have one sim")
}

// Arguments with more values than a statement may have are refused before they are decoded.
func TestManyValues(t *testing.T) {
	c := connect(t, serving{remember: true})
	list := func(n int) string { return "[" + strings.Repeat("1,", n-1) + "1]" }
	arguments := func(list string) string {
		return `{"statement":"SELECT id FROM docs WHERE year = $1","params":` + list + `}`
	}
	c.refused("query", arguments(list(1_000_000)), "more than 100000 values")
	c.refused("query", arguments("["+list(1_000_000)+"]"), "more than 100000 values")
	c.refused("remember", `{"text":"one two","metadata":{"a":`+list(1_000_000)+`}}`, "more than 100000 values")
	var into queryArgs
	long := json.RawMessage(arguments(list(1_000_000)))
	if n := guard.Allocates(func() { decode(long, &into) }); n > 1<<20 {
		t.Errorf("refused after %d bytes", n)
	}
	if err := decode(json.RawMessage(arguments(list(99_000))), &into); err != nil || len(into.Params) != 99_000 {
		t.Errorf("99,000 values: %d, %v", len(into.Params), err)
	}
}

// The schema of query says that parameters and cells may have any type.
func TestSchemaOfValues(t *testing.T) {
	for _, items := range []*jsonschema.Schema{schemaOf[queryArgs]().Properties["params"].Items, schemaOf[queryAnswer]().Properties["rows"].Items.Items} {
		if b, err := json.Marshal(items); err != nil || string(b) != "true" {
			t.Errorf("items %s, %v, want true", b, err)
		}
	}
}
