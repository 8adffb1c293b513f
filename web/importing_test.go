package web_test

// Documents that are streamed to the server.

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/simdb/simdb/web"
)

// A body of any length is stored as it comes, and what was rejected is told.
func TestImport(t *testing.T) {
	s := open(t, &web.Options{Writable: true, MaxBody: 1000})
	body, w := io.Pipe()
	go func() {
		for i := range 3000 {
			fmt.Fprintf(w, "{\"id\":\"i%d\",\"text\":\"text number %d of many texts\",\"n\":%d}\n", i, i, i)
		}
		io.WriteString(w, "{\"id\":\"no text\"}\n")
		w.Close()
	}()
	res, err := http.Post(s.url+"/api/v1/import?collection=many", "application/x-ndjson", body)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	answer, _ := io.ReadAll(res.Body)
	for _, want := range []string{`"imported":3000,`, `"rejected":1,`, `"line":3001,`, `no field \"text\"`} {
		if !strings.Contains(string(answer), want) {
			t.Errorf("the answer lacks %s: %s", want, answer)
		}
	}
	if n := len(s.post("query", `{"statement":"SELECT id FROM many WHERE n >= 1000"}`)["rows"].([]any)); n != 2000 {
		t.Errorf("%d documents, want 2000", n)
	}
	open(t, nil).refused("POST", "/api/v1/import", `{"id":"x","text":"y"}`, 403)
	s.refused("POST", "/api/v1/import?unless_similar=high", `{"id":"x","text":"y"}`, 400)
	s.refused("POST", "/api/v1/import?colection=x", `{"id":"x","text":"y"}`, 400)
}

// A put on condition says what kept the document out.
func TestPutUnlessSimilar(t *testing.T) {
	s := open(t, &web.Options{Writable: true})
	put := func(text, unless string) object {
		res, answer := s.send("PUT", "/api/v1/document?id=new", `{"text":"`+text+`","unless_similar":`+unless+`}`)
		if res.StatusCode != 200 {
			t.Fatalf("%s: %s", res.Status, answer)
		}
		return decoded(t, answer).(object)
	}
	const text = "The trick is to look at many small pieces. Then they are counted one by two."
	a := put(text, `{"threshold":0.5}`)
	like, _ := a["like"].(object)
	if a["stored"] != false || like["id"] != "a" || fmt.Sprint(like["shared"], "/", like["union"]) != "13/15" {
		t.Errorf("kept out by %v", a)
	}
	if a = put(text, `{"threshold":0.95}`); a["stored"] != true || a["like"] != nil {
		t.Errorf("not stored: %v", a)
	}
}
