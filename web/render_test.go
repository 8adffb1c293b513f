package web_test

// Documents that are sent to be read.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/simdb/simdb/api"

	"github.com/simdb/simdb/web"
)

// shoutingTables write a row a line, in capital letters.
var shoutingTables = map[string]func(io.Writer, []string, [][]any) error{
	"shout": func(to io.Writer, columns []string, rows [][]any) error {
		_, err := fmt.Fprintln(to, strings.ToUpper(fmt.Sprint(columns, rows)))
		return err
	},
}

// shouting reads files that end with .shout: in capital letters, if there are any.
type shouting struct{}

func (shouting) Reads(name string, head []byte) bool { return strings.HasSuffix(name, ".shout") }

func (shouting) Render(ctx context.Context, name, _ string, file []byte) (string, map[string]any, error) {
	switch {
	case strings.HasPrefix(name, "slow"):
		<-ctx.Done()
		return "", nil, ctx.Err()
	case len(file) == 0:
		return "", nil, errors.New("nothing to shout")
	}
	return strings.ToUpper(string(file)), api.Meta{"loud": true}, nil
}

func TestRender(t *testing.T) {
	s := open(t, &web.Options{Renderer: shouting{}, MaxBody: 100, MaxTime: 50 * time.Millisecond})
	for _, c := range []struct{ name, file, text, meta string }{
		{"a.shout", "hello", "HELLO", "loud"},
		{"a.txt", "hello", "hello", ""},
		{"a.txt", "caf\xe9", "CAF\ufffd", "loud"}, // no UTF-8, so it is asked for that too
		{"", "x", "x", ""},
	} {
		answer := s.json("POST", "render?name="+c.name, c.file, 200)
		if answer["text"] != c.text || (answer["metadata"].(object)["loud"] == true) != (c.meta != "") {
			t.Errorf("%s with %q: %v", c.name, c.file, answer)
		}
	}
	if notes := s.json("POST", "render?name=a.txt", "", 200)["notes"].([]any); len(notes) != 1 || notes[0] != "This object has no content." {
		t.Errorf("an empty text: %v", notes)
	}
	if said := s.refused("POST", "/api/v1/render?name=a.shout", "", 400); !strings.Contains(said, `"a.shout" cannot be read: nothing to shout`) {
		t.Error(said)
	}
	s.refused("POST", "/api/v1/render?nome=a.shout", "x", 400)
	s.refused("POST", "/api/v1/render?name=a.shout", strings.Repeat("x", 101), 413)
	s.refused("POST", "/api/v1/render?name=slow.shout", "x", 504)
	if documents := s.get("documents")["documents"].([]any); len(documents) != len(texts) {
		t.Errorf("%d documents are stored, want %d", len(documents), len(texts))
	}
	open(t, nil).refused("POST", "/api/v1/render?name=a.shout", "x", 404)
}
