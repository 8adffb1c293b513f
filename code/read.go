package code

// What a lexer of the library gives becomes tokens: those of one kind, with their places in the
// text as it is stored.

import (
	"errors"
	"fmt"
	"sort"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/alecthomas/chroma/v2"

	"github.com/simdb/simdb/api"
)

// The library gives up a regular expression that takes 250 ms, and goes on with the next one
// without a word. Then its tokens would depend on the load of the machine. So a step that has
// come near to that fails: what is read is read without. It is tried again, because the machine
// may only have been busy. All steps of a text together have allowed and so much for each
// byte; usual texts take 1 to 4 µs a byte.
const (
	tooSlow  = 200 * time.Millisecond
	tries    = 3
	allowed  = time.Second
	eachByte = 60 * time.Microsecond
)

var errSlow = errors.New("it takes too long")

func read(l chroma.Lexer, text string) (tokens []api.CodeToken, err error) {
	end := time.Now().Add(allowed + time.Duration(len(text))*eachByte)
	for range tries {
		if tokens, err = readOnce(l, text, end); !errors.Is(err, errSlow) || time.Now().After(end) {
			break
		}
	}
	return tokens, err
}

func readOnce(l chroma.Lexer, text string, end time.Time) (_ []api.CodeToken, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("it panics: %v", r)
		}
	}()
	doc := unified(text)
	r := reader{text: text, cuts: doc.cuts}
	begun := time.Now()
	it, err := l.Tokenise(&chroma.TokeniseOptions{State: "root"}, doc.text)
	if err != nil {
		return nil, err
	}
	for at := 0; ; {
		t := it()
		now := time.Now()
		switch {
		case now.Sub(begun) >= tooSlow || now.After(end):
			return nil, errSlow
		case t == chroma.EOF:
			return r.tokens, nil
		}
		begun = now
		v := t.Value[:min(len(t.Value), len(doc.text)-at)] // some lexers add a line end
		if doc.text[at:at+len(v)] != v {                   // some lexers lose their place, in texts of another language mostly
			rest := r.raw(at)
			return plain(r.tokens, text[rest:], rest), nil
		}
		r.take(t.Type, at, v)
		at += len(v)
	}
}

// unifiedText is a text with single line feeds, as lexers expect it.
type unifiedText struct {
	text string
	cuts []int // where carriage returns were taken out of it, ascending
}

// unified takes out what would change the places of tokens if the library did: carriage returns
// at line ends. Bytes that are no UTF-8 become question marks, one for one.
func unified(text string) (u unifiedText) {
	if utf8.ValidString(text) && !strings.Contains(text, "\r\n") {
		return unifiedText{text: text}
	}
	b := make([]byte, 0, len(text))
	for i, r := range text {
		_, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			b = append(b, '?')
		case r == '\r' && strings.HasPrefix(text[i+1:], "\n"):
			u.cuts = append(u.cuts, len(b))
		default:
			b = append(b, text[i:i+size]...)
		}
	}
	u.text = string(b)
	return u
}

// reader gathers the tokens of a text.
type reader struct {
	text   string // as stored
	cuts   []int
	tokens []api.CodeToken
	quoted int // where a string has ended in the unified text: a piece that follows belongs to it
}

// raw is the place in the stored text of one in the unified text.
func (r *reader) raw(at int) int { return at + sort.SearchInts(r.cuts, at) }

// separators only separate. They are left out: a program says the same without them, and where people
// write them is mostly a matter of taste.
const separators = "()[]{},;."

// take adds a token of the library.
func (r *reader) take(kind chroma.TokenType, at int, v string) {
	trimmed := strings.TrimSpace(v)
	isString, goesOn := kind.InSubCategory(chroma.LiteralString), at == r.quoted && at > 0
	if isString && (goesOn || trimmed != "") {
		r.quoted = at + len(v)
	}
	if trimmed == "" {
		return
	}
	at += strings.Index(v, trimmed)
	start, end := r.raw(at), r.raw(at+len(trimmed)-1)+1
	switch {
	case kind.InCategory(chroma.Comment) && !kind.InSubCategory(chroma.CommentPreproc), kind == chroma.LiteralStringDoc:
	case kind.InCategory(chroma.Keyword), kind.InCategory(chroma.Operator), kind == chroma.Punctuation:
		if strings.Trim(trimmed, separators) != "" {
			r.add(start, end, api.CodeWord)
		}
	case isString && goesOn:
		r.tokens[len(r.tokens)-1].End = end
	case isString:
		r.add(start, end, api.CodeString)
	case kind.InSubCategory(chroma.LiteralNumber):
		r.add(start, end, api.CodeNumber)
	case kind.InCategory(chroma.Name):
		r.add(start, end, nameKind(kind, r.text[:start], trimmed))
	default: // text, preprocessor, what the lexer does not understand
		r.tokens = plain(r.tokens, r.text[start:end], start)
	}
}

func (r *reader) add(start, end int, kind api.CodeKind) {
	r.tokens = append(r.tokens, api.CodeToken{Start: start, End: end, Kind: kind})
}

// nameKind says what renaming could change of a name that stands behind some text.
func nameKind(kind chroma.TokenType, before, name string) api.CodeKind {
	before = strings.TrimRight(before, " \t\r\n")
	ends := func(s string) bool { return strings.HasSuffix(before, s) }
	switch {
	case name[0] >= '0' && name[0] <= '9': // the library takes numbers of Java and others for names
		return api.CodeNumber
	case kind == chroma.NameBuiltin, kind == chroma.NameBuiltinPseudo, kind == chroma.NameTag, kind == chroma.NameKeyword, kind == chroma.NameOperator, kind == chroma.NameEntity:
		return api.CodeWord
	case ends(".") && !ends(".."), ends("->"), ends("::"), kind == chroma.NameAttribute, kind == chroma.NameDecorator, kind == chroma.NameProperty:
		return api.CodeMember
	}
	return api.CodeName
}
