package shell

// Decoding of the bytes of a terminal into keys.

import (
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

// key is a character, a control character, or one of the constants below.
type key rune

const (
	ctrlA, ctrlB, ctrlC, ctrlD, ctrlE, ctrlF, ctrlG = 1, 2, 3, 4, 5, 6, 7
	keyTab, ctrlK, ctrlL, keyEnter, ctrlN, ctrlP    = 9, 11, 12, 13, 14, 16
	ctrlR, ctrlU, ctrlW, keyEscape, keyBackspace    = 18, 21, 23, 27, 127

	keyUp key = utf8.MaxRune + 1 + iota
	keyDown
	keyLeft
	keyRight
	keyHome
	keyEnd
	keyDelete
	keyWordLeft
	keyWordRight
	keyUnknown // an unsupported sequence
)

// sequences maps the parameter and final byte of a sequence after Escape [ or Escape O to its key.
var sequences = map[string]key{
	"A": keyUp, "B": keyDown, "C": keyRight, "D": keyLeft, "H": keyHome, "F": keyEnd,
	"1~": keyHome, "7~": keyHome, "4~": keyEnd, "8~": keyEnd, "3~": keyDelete,
	"1;5C": keyWordRight, "1;3C": keyWordRight, "1;5D": keyWordLeft, "1;3D": keyWordLeft,
}

// keys reads keys from a terminal. An Escape that is the last available byte is a key of its own:
// waiting for a sequence would swallow the next key.
type keys struct {
	in      io.Reader
	waiting []byte
	pasting bool // within a bracketed paste, whose characters are text, not commands
	escaped bool // the last key was a lone Escape
}

// next returns the next key.
func (k *keys) next() (key, error) {
	for {
		if len(k.waiting) == 0 || !utf8.FullRune(k.waiting) {
			buf := make([]byte, 4096)
			n, err := k.in.Read(buf)
			if k.waiting = append(k.waiting, buf[:n]...); n == 0 {
				return 0, err
			}
			continue
		}
		r, size := utf8.DecodeRune(k.waiting)
		k.waiting = k.waiting[size:]
		split := k.escaped && (r == '[' || r == 'O') && len(k.waiting) > 0
		k.escaped = false
		switch {
		case split:
			if s, ok := k.sequence(); ok {
				return s, nil
			}
		case r == keyEscape && len(k.waiting) == 0:
			k.escaped = true
			return keyEscape, nil
		case r == keyEscape && (k.waiting[0] == '[' || k.waiting[0] == 'O'):
			k.waiting = k.waiting[1:]
			if s, ok := k.sequence(); ok {
				return s, nil
			}
		case r == keyEscape:
			if alt, ok := map[byte]key{'b': keyWordLeft, 'f': keyWordRight, keyBackspace: ctrlW}[k.waiting[0]]; ok {
				k.waiting = k.waiting[1:]
				return alt, nil
			}
			return keyEscape, nil
		case r == 8:
			return keyBackspace, nil
		case r == '\n':
			return keyEnter, nil
		default:
			return key(r), nil
		}
	}
}

// sequence reads the rest of a sequence after Escape [. A control character ends the sequence and is
// a key itself. It returns false for the marks of a paste, which are not keys.
func (k *keys) sequence() (key, bool) {
	end := 0
	for end < len(k.waiting) && k.waiting[end] >= 0x20 && k.waiting[end] < 0x40 {
		end++
	}
	if end == len(k.waiting) || k.waiting[end] < 0x20 {
		k.waiting = k.waiting[end:]
		return keyUnknown, true
	}
	name := string(k.waiting[:end+1])
	k.waiting = k.waiting[end+1:]
	if mark, err := strconv.Atoi(strings.TrimSuffix(name, "~")); err == nil && (mark == 200 || mark == 201) {
		k.pasting = mark == 200
		return 0, false
	}
	if s, ok := sequences[name]; ok {
		return s, true
	}
	return keyUnknown, true
}
