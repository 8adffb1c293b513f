package shell

// Terminal input of the shell: lines with history and completion, until a statement is complete.

import (
	"errors"
	"io"
	"os"
	"strings"
	"sync"

	"golang.org/x/term"

	"github.com/simdb/simdb/cmd/simdb/internal/output"
	"github.com/simdb/simdb/query/syntax"
)

// An editor reads user input: one or several statements, or a dot command. read returns
// errInterrupted on Ctrl-C and io.EOF on Ctrl-D.
type editor interface {
	read() (string, error)
}

var errInterrupted = errors.New("interrupted")

const (
	prompt     = "simdb> "
	nextPrompt = "   ...> "
)

// lineEditor is the editor of a terminal. The terminal is in raw mode only during a read, so that
// Ctrl-C remains a signal while a statement runs, and a pager receives its keys.
type lineEditor struct {
	in, out *os.File
	keys    *keys
	past    *history
	offer   *completer
	color   bool
	pending string // lines of an incomplete statement

	mu    sync.Mutex // guards the fields below, because a resize draws too
	line  editing
	shown drawn
}

// newEditor returns an editor with the persistent history.
func newEditor(in, out *os.File, offer *completer) *lineEditor {
	return &lineEditor{in: in, out: out, keys: &keys{in: in}, past: openHistory(), offer: offer, color: output.StyleOf(out, offer.sh.Color).Color}
}

// read implements editor.
func (e *lineEditor) read() (string, error) {
	state, err := term.MakeRaw(int(e.in.Fd()))
	if err != nil {
		return "", err
	}
	defer term.Restore(int(e.in.Fd()), state)
	io.WriteString(e.out, "\x1b[?2004h") // pastes are marked
	defer io.WriteString(e.out, "\x1b[?2004l")
	stop := onResize(func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.draw()
	})
	defer func() {
		stop() // before any other writes
		e.pending = ""
	}()
	for {
		line, err := e.readLine()
		if err != nil {
			return "", err
		}
		e.mu.Lock()
		e.pending += line + "\n"
		e.mu.Unlock()
		if complete(e.pending) {
			for _, entry := range entries(e.pending) {
				e.past.Add(entry)
			}
			return e.pending, nil
		}
	}
}

// readLine reads keys until Enter.
func (e *lineEditor) readLine() (string, error) {
	e.mu.Lock()
	e.line, e.shown = editing{past: e.past}, drawn{rows: []int{0}}
	e.draw()
	e.mu.Unlock()
	for {
		k, err := e.keys.next()
		if err != nil {
			return "", err
		}
		line, done, err := e.pressed(k)
		if done || err != nil {
			return line, err
		}
	}
}

// pressed applies a key and redraws. done reports whether the key ended the line.
func (e *lineEditor) pressed(k key) (line string, done bool, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case k == keyEnter, k == ctrlC:
		e.line.searching = false
		e.line.at = len(e.line.text)
		e.draw()
		io.WriteString(e.out, "\r\n")
		if k == ctrlC {
			return "", true, errInterrupted
		}
		return string(e.line.text), true, nil
	case k == ctrlD && len(e.line.text) == 0 && !e.line.searching:
		return "", true, io.EOF
	case k == keyTab && e.keys.pasting:
		e.line.insert("\t")
	case k == keyTab:
		e.line.searching = false
		e.complete()
	case k == ctrlL:
		io.WriteString(e.out, "\x1b[H\x1b[2J")
		e.shown = drawn{rows: []int{0}}
	case len(e.line.text) < maxPending:
		e.line.press(k)
	}
	if e.keys.pasting && len(e.keys.waiting) > 0 {
		return "", false, nil // a paste is drawn once, not per character
	}
	e.draw()
	return "", false, nil
}

// draw redraws the line in place.
func (e *lineEditor) draw() {
	width := max(output.TerminalWidth(e.out), 2)
	usual := map[bool]string{true: prompt, false: nextPrompt}[e.pending == ""]
	before := e.shown.clear(width)
	s, d := show(e.line.prompt(usual), e.line.text, e.colors(), e.line.at, width)
	io.WriteString(e.out, before+s)
	e.shown = d
}

// complete handles Tab. It lists ambiguous completions below the line.
func (e *lineEditor) complete() {
	text, at := e.line.text, e.line.at
	head, tail, list := e.offer.tab(e.pending, string(text[:at]), string(text[at:]))
	e.line.set(head)
	e.line.text = append(e.line.text, []rune(tail)...)
	if len(list) > 0 {
		e.line.at = len(e.line.text)
		e.draw()
		io.WriteString(e.out, "\r\n"+strings.ReplaceAll(inColumns(list, output.TerminalWidth(e.out)), "\n", "\r\n"))
		e.shown = drawn{rows: []int{0}}
		e.line.at = len([]rune(head))
	}
}

// complete reports whether Enter runs the input: a dot command, an empty line, or statements that
// end with a semicolon.
func complete(text string) bool {
	if _, isDot := asDot(text); isDot {
		return true
	}
	var s syntax.Splitter
	s.Feed(text)
	return !s.Pending()
}

// entries returns the history entries of an input. It joins lines, unless a string or a comment
// spans a line break.
func entries(text string) []string {
	var s syntax.Splitter
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for _, line := range lines {
		if s.Feed(line); s.Inside() {
			return lines
		}
		s.Feed("\n")
	}
	return []string{strings.Join(lines, " ")}
}
