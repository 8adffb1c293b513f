package shell

// The line that is being edited: its characters, the cursor, what came before it, and the
// search for what came before.

import (
	"strings"
	"unicode"

	"github.com/simdb/simdb/cmd/simdb/internal/output"
)

// editing is a line and a cursor in it. It knows no terminal.
type editing struct {
	text []rune
	at   int // the cursor stands before this character

	past   *history
	recall int    // lines up in the history; 0 is the line being typed
	typed  string // that line, while another is shown

	searching bool
	wanted    string // what Ctrl-R looks for
	hit       int    // line of the history that is shown
	before    editingLine
}

type editingLine struct {
	text []rune
	at   int
}

func (e *editing) set(s string) { e.text = []rune(s); e.at = len(e.text) }

func (e *editing) insert(s string) {
	r := []rune(s)
	e.text = append(e.text[:e.at:e.at], append(r, e.text[e.at:]...)...)
	e.at += len(r)
}

// step returns the place one character from the cursor, as it is seen: what takes no width
// belongs to the character before it.
func (e *editing) step(by int) int {
	i := min(max(e.at+by, 0), len(e.text))
	for i > 0 && i < len(e.text) && output.TextWidth(string(e.text[i])) == 0 {
		i += by
	}
	return i
}

// word returns the place where the word before or behind the cursor begins or ends.
func (e *editing) word(by int) int {
	i := e.at
	in := func() bool {
		j := i
		if by < 0 {
			j--
		}
		return j >= 0 && j < len(e.text) && (unicode.IsLetter(e.text[j]) || unicode.IsDigit(e.text[j]))
	}
	for i+by >= 0 && i+by <= len(e.text) && !in() {
		i += by
	}
	for in() {
		i += by
	}
	return i
}

// cut removes what lies between the cursor and a place.
func (e *editing) cut(to int) {
	from, to := min(e.at, to), max(e.at, to)
	e.text = append(e.text[:from:from], e.text[to:]...)
	e.at = from
}

// press does what a key does to the line.
func (e *editing) press(k key) {
	if e.searching && e.searched(k) {
		return
	}
	switch k {
	case keyLeft, ctrlB:
		e.at = e.step(-1)
	case keyRight, ctrlF:
		e.at = e.step(1)
	case keyHome, ctrlA:
		e.at = 0
	case keyEnd, ctrlE:
		e.at = len(e.text)
	case keyWordLeft:
		e.at = e.word(-1)
	case keyWordRight:
		e.at = e.word(1)
	case keyBackspace:
		e.cut(e.step(-1))
	case keyDelete, ctrlD:
		e.cut(e.step(1))
	case ctrlK:
		e.cut(len(e.text))
	case ctrlU:
		e.cut(0)
	case ctrlW:
		e.cut(e.word(-1))
	case keyUp, ctrlP:
		e.older(1)
	case keyDown, ctrlN:
		e.older(-1)
	case ctrlR:
		e.searching, e.wanted, e.hit = true, "", -1
		e.before = editingLine{e.text, e.at}
	default:
		if k < keyUp && unicode.IsPrint(rune(k)) || unicode.IsMark(rune(k)) {
			e.insert(string(rune(k)))
		}
	}
}

// older goes up or down in the history.
func (e *editing) older(by int) {
	to := e.recall + by
	if to < 0 || to > e.past.Len() {
		return
	}
	if e.recall == 0 {
		e.typed = string(e.text)
	}
	if e.recall = to; to == 0 {
		e.set(e.typed)
		return
	}
	e.set(e.past.At(to - 1))
}

// searched does what a key does while Ctrl-R looks for a line. It reports false for a key
// that takes the line found and goes on with it.
func (e *editing) searched(k key) bool {
	switch {
	case k == ctrlR:
		e.find(e.hit + 1)
	case k == keyEscape || k == ctrlG:
		e.searching, e.text, e.at = false, e.before.text, e.before.at
	case k == keyBackspace:
		r := []rune(e.wanted)
		e.wanted = string(r[:max(0, len(r)-1)])
		e.find(0)
	case k < keyUp && unicode.IsPrint(rune(k)):
		e.wanted += string(rune(k))
		e.find(max(e.hit, 0))
	default:
		e.searching = false
		return false
	}
	return true
}

// find shows the first line that holds what is wanted, from a line of the history on.
func (e *editing) find(from int) {
	for i := from; e.wanted != "" && i < e.past.Len(); i++ {
		line := e.past.At(i)
		if j := strings.Index(strings.ToLower(line), strings.ToLower(e.wanted)); j >= 0 {
			e.hit = i
			e.set(line)
			e.at = len([]rune(line[:min(j, len(line))]))
			return
		}
	}
}

// prompt returns what stands before the line.
func (e *editing) prompt(usual string) string {
	if e.searching {
		return "search: " + e.wanted + " → "
	}
	return usual
}
