package shell

// The edited line: text, cursor, history and incremental search.

import (
	"strings"
	"unicode"

	"github.com/simdb/simdb/cmd/simdb/internal/output"
)

// editing is a line with a cursor, independent of the terminal.
type editing struct {
	text []rune
	at   int // character after the cursor

	past   *history
	recall int    // position in the history; 0 is the new line
	typed  string // the new line, while a line of the history is shown

	searching bool
	wanted    string // search text of Ctrl-R
	hit       int    // matching line of the history
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

// step returns the position one visible character from the cursor. Characters without width belong
// to the character before them.
func (e *editing) step(by int) int {
	i := min(max(e.at+by, 0), len(e.text))
	for i > 0 && i < len(e.text) && output.TextWidth(string(e.text[i])) == 0 {
		i += by
	}
	return i
}

// word returns the start of the word before the cursor, or the end of the word after it.
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

// cut removes the text between the cursor and a position.
func (e *editing) cut(to int) {
	from, to := min(e.at, to), max(e.at, to)
	e.text = append(e.text[:from:from], e.text[to:]...)
	e.at = from
}

// press applies a key to the line.
func (e *editing) press(k key) {
	if e.searching && e.searchKey(k) {
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

// older moves back in the history by the given number of lines, forward if negative.
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

// searchKey applies a key during a Ctrl-R search. It returns false for a key that ends the search and
// acts on the line found.
func (e *editing) searchKey(k key) bool {
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

// find shows the first line of the history, starting at from, that contains the search text.
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

// prompt returns the prompt: usual, or the search text.
func (e *editing) prompt(usual string) string {
	if e.searching {
		return "search: " + e.wanted + " → "
	}
	return usual
}
