package code

import (
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/chroma/v2"

	"github.com/simdb/simdb/api"
)

// broken is a lexer with tokens from a function.
type broken struct {
	chroma.Lexer
	next func() chroma.Token
}

func (b broken) Tokenise(*chroma.TokeniseOptions, string) (chroma.Iterator, error) {
	return b.next, nil
}

// A lexer that is slow or panics causes an error; from where a lexer loses its
// position, the text is read as Plain.
func TestBrokenLexers(t *testing.T) {
	begun := 0
	for want, next := range map[string]func() chroma.Token{
		"too long": func() chroma.Token { begun++; time.Sleep(tooSlow); return chroma.EOF },
		"panics":   func() chroma.Token { panic("state") },
	} {
		if tokens, err := read(broken{next: next}, "a"); err == nil || tokens != nil || !strings.Contains(err.Error(), want) {
			t.Errorf("tokens %v, error %v, want %q", tokens, err, want)
		}
	}
	if begun != tries {
		t.Errorf("%d tries, want %d", begun, tries)
	}
	slowOnce := 0
	tokens, err := read(broken{next: func() chroma.Token {
		if slowOnce++; slowOnce == 1 {
			time.Sleep(tooSlow)
		}
		return chroma.EOF
	}}, "a")
	if err != nil || tokens != nil || slowOnce != 2 {
		t.Errorf("slow once: %v, %v, %d steps", tokens, err, slowOnce)
	}
	tokens, err = read(broken{next: func() chroma.Token { return chroma.Token{Type: chroma.Name, Value: "b"} }}, "a 1")
	if err != nil || len(tokens) != 2 || tokens[1].Kind != api.CodeNumber {
		t.Errorf("out of its place: %v, %v", tokens, err)
	}
}
