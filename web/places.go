package web

// Places in a text as several languages count them. The database counts bytes, Python code
// points, JavaScript units of UTF-16.

import (
	"slices"
	"unicode/utf16"
)

// span is a piece of a text, from the first number to before the second.
type span struct {
	Bytes [2]int `json:"bytes"`
	Chars [2]int `json:"chars"`
	UTF16 [2]int `json:"utf16"`
}

// places knows some places of a text, once measure has gone through it.
type places struct {
	text string
	at   []int          // bytes
	is   map[int][2]int // bytes → code points, units
}

func newPlaces(text string) *places { return &places{text: text, is: map[int][2]int{}} }

func (p *places) add(bytes ...int) { p.at = append(p.at, bytes...) }

// measure goes through the text once. A byte that is no UTF-8 counts as one code point,
// because JSON has one in its place.
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

func (p *places) span(from, to int) span {
	a, b := p.is[from], p.is[to]
	return span{[2]int{from, to}, [2]int{a[0], b[0]}, [2]int{a[1], b[1]}}
}
