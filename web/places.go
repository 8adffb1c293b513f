package web

// Offsets in a text in several units: the database counts bytes, Python code points, and
// JavaScript UTF-16 code units.

import (
	"slices"
	"unicode/utf16"
)

// span is a half-open range of a text in each unit.
type span struct {
	Bytes [2]int `json:"bytes"`
	Chars [2]int `json:"chars"`
	UTF16 [2]int `json:"utf16"`
}

// places converts byte offsets of a text: add offsets, call measure once, then span.
type places struct {
	text string
	at   []int          // bytes
	is   map[int][2]int // bytes → code points, units
}

// newPlaces returns places without offsets.
func newPlaces(text string) *places { return &places{text: text, is: map[int][2]int{}} }

// add registers byte offsets.
func (p *places) add(bytes ...int) { p.at = append(p.at, bytes...) }

// measure converts the offsets in one pass. An invalid byte counts as one code point, because JSON
// contains one replacement character for it.
func (p *places) measure() {
	slices.Sort(p.at)
	at := slices.Compact(p.at)
	var chars, units int
	for i, r := range p.text {
		for len(at) > 0 && at[0] <= i {
			p.is[at[0]] = [2]int{chars, units}
			at = at[1:]
		}
		if len(at) == 0 {
			return
		}
		chars++
		units += utf16.RuneLen(r)
	}
	for _, end := range at {
		p.is[end] = [2]int{chars, units}
	}
}

// span returns the range of two registered offsets.
func (p *places) span(from, to int) span {
	a, b := p.is[from], p.is[to]
	return span{[2]int{from, to}, [2]int{a[0], b[0]}, [2]int{a[1], b[1]}}
}
