package main

// How the shell reads from a terminal: it reads lines, with history and Tab,
// until a statement is complete.

import (
	"errors"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"

	"github.com/simdb/simdb/query"
)

// An editor reads what a person enters: one or several statements, or a dot
// command. read returns errInterrupted after Ctrl-C and io.EOF after Ctrl-D.
type editor interface {
	read() (string, error)
}

var (
	errInterrupted = errors.New("interrupted")
	errLongLine    = errors.New("a typed line ends at 4,095 characters; paste the text, or give it in a file with .read")
)

const (
	prompt     = "simdb> "
	nextPrompt = "   ...> "

	typedLimit = 4096 // the terminal silently drops what is typed beyond
)

// lineEditor is the editor of a terminal. It holds the terminal in raw mode
// only while it reads, so that Ctrl-C is a signal while a statement runs.
type lineEditor struct {
	in, out *os.File
	keys    *keys
	term    *term.Terminal
	past    *history
	pending string // lines of a statement without its semicolon
}

func newEditor(in, out *os.File, offer *completer) *lineEditor {
	e := &lineEditor{in: in, out: out, keys: &keys{in: in}}
	e.term = term.NewTerminal(struct {
		io.Reader
		io.Writer
	}{e.keys, out}, prompt)
	e.past = openHistory()
	e.term.History = recalled{e.past}
	e.term.AutoCompleteCallback = func(line string, pos int, key rune) (string, int, bool) {
		if key != '\t' {
			return "", 0, false
		}
		head, tail, list := offer.tab(e.pending, line[:pos], line[pos:])
		if len(list) > 0 {
			io.WriteString(e.term, strings.Join(list, "  ")+"\n")
		}
		return head + tail, len(head), true
	}
	return e
}

func (e *lineEditor) read() (string, error) {
	state, err := term.MakeRaw(int(e.in.Fd()))
	if err != nil {
		return "", err
	}
	defer term.Restore(int(e.in.Fd()), state)
	if width, height, err := term.GetSize(int(e.out.Fd())); err == nil && width > 0 {
		if err := e.term.SetSize(width, height); err != nil {
			return "", err
		}
	}
	e.term.SetBracketedPasteMode(true)
	defer e.term.SetBracketedPasteMode(false)
	defer func() { e.pending = "" }()
	for {
		e.term.SetPrompt(map[bool]string{true: prompt, false: nextPrompt}[e.pending == ""])
		line, err := e.term.ReadLine()
		pasted := errors.Is(err, term.ErrPasteIndicator)
		switch {
		case e.keys.interrupted:
			e.keys.interrupted = false
			return "", errInterrupted
		case err != nil && !pasted:
			return "", err
		case !pasted && utf8.RuneCountInString(line) >= typedLimit:
			return "", errLongLine
		}
		if e.pending += line + "\n"; complete(e.pending) {
			for _, entry := range entries(e.pending) {
				e.past.Add(entry)
			}
			return e.pending, nil
		}
	}
}

// complete reports whether Enter runs what has been entered: a dot command,
// nothing, or statements of which the last one has its semicolon.
func complete(text string) bool {
	if _, isDot := asDot(text); isDot {
		return true
	}
	var s query.Splitter
	s.Feed(text)
	return !s.Pending()
}

// recalled is a history in which the terminal can look lines up, but to which
// it cannot add. It would add single lines, and people want whole statements
// back.
type recalled struct{ *history }

func (recalled) Add(string) {}

// entries returns what the history keeps of an input. The lines become one,
// unless a string or a comment goes on after the end of a line.
func entries(text string) []string {
	var s query.Splitter
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for _, line := range lines {
		if s.Feed(line); s.Inside() {
			return lines
		}
		s.Feed("\n")
	}
	return []string{strings.Join(lines, " ")}
}

// keys reads a terminal. The line editor would take Ctrl-C as the end of all
// input. So keys replaces it by the keys that clear the line and end it, and
// remembers that it did.
type keys struct {
	in          io.Reader
	waiting     []byte
	interrupted bool
}

const ctrlC, ctrlE, ctrlU = 3, 5, 21

func (k *keys) Read(p []byte) (int, error) {
	if len(k.waiting) == 0 {
		buf := make([]byte, len(p))
		n, err := k.in.Read(buf)
		if n == 0 {
			return 0, err
		}
		for _, c := range buf[:n] {
			if c == ctrlC {
				k.interrupted = true
				k.waiting = append(k.waiting, ctrlE, ctrlU, '\r')
				continue
			}
			k.waiting = append(k.waiting, c)
		}
	}
	n := copy(p, k.waiting)
	k.waiting = k.waiting[n:]
	return n, nil
}
