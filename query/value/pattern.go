package value

// LIKE and GLOB compare a text with a pattern. A pattern may be as long as a
// statement, and a text as long as a document, so the comparison must be fast.
// The literal text between the runs of a pattern is searched as strings.Index
// does. Each search begins where the last one ended.

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"unicode/utf8"
)

// Pattern is a compiled LIKE or GLOB pattern: the segments between its runs. A
// run is % of LIKE or * of GLOB. The first segment begins where the text
// begins, and the last ends where the text ends. A single segment is the whole
// text.
type Pattern []segment

// segment is the piece of a pattern between two runs.
type segment struct {
	parts []part
	pivot int // the longest literal, which is looked for; −1 if there is none
}

// part matches a literal, or one code point.
type part struct {
	literal string // "" for one code point
	class   *class // nil for any one
}

// class is [a-z] of GLOB, or [^a-z].
type class struct {
	ranges [][2]rune // sorted by their first, and apart
	negate bool
}

// patternBuilder puts segments together from what a pattern is read as.
type patternBuilder struct {
	done    Pattern
	parts   []part
	literal []rune
}

func (b *patternBuilder) run() {
	b.endLiteral()
	s := segment{parts: b.parts, pivot: -1}
	for i, p := range s.parts {
		if p.literal != "" && (s.pivot < 0 || len(p.literal) > len(s.parts[s.pivot].literal)) {
			s.pivot = i
		}
	}
	if len(s.parts) > 0 || len(b.done) == 0 { // runs side by side are one
		b.done = append(b.done, s)
	}
	b.parts = nil
}

func (b *patternBuilder) one(c *class) {
	b.endLiteral()
	b.parts = append(b.parts, part{class: c})
}

func (b *patternBuilder) endLiteral() {
	if len(b.literal) > 0 {
		b.parts = append(b.parts, part{literal: string(b.literal)})
		b.literal = b.literal[:0]
	}
}

// end returns the pattern. Its last segment is what follows the last run, even
// if that is nothing.
func (b *patternBuilder) end() Pattern {
	trailing := len(b.parts) == 0 && len(b.literal) == 0 && len(b.done) > 0
	b.run()
	if trailing {
		b.done = append(b.done, segment{pivot: -1})
	}
	return b.done
}

// Like reads a LIKE pattern: % is any run, _ any one.
func Like(s string) Pattern {
	var b patternBuilder
	for _, r := range s {
		switch r {
		case '%':
			b.run()
		case '_':
			b.one(nil)
		default:
			b.literal = append(b.literal, r)
		}
	}
	return b.end()
}

// Glob reads a GLOB pattern: * is any run, ? any one, [a-z] one of a
// class and [^a-z] one outside it. A [ without a ] stands for itself.
func Glob(s string) Pattern {
	var b patternBuilder
	rs := []rune(s)
	last := len(rs) - 1
	for last >= 0 && rs[last] != ']' {
		last--
	}
	for i := 0; i < len(rs); i++ {
		switch r := rs[i]; {
		case r == '*':
			b.run()
		case r == '?':
			b.one(nil)
		case r == '[' && i < last:
			if c, n := readClass(rs[i:]); n > 0 {
				b.one(c)
				i += n - 1
				continue
			}
			b.literal = append(b.literal, r)
		default:
			b.literal = append(b.literal, r)
		}
	}
	return b.end()
}

// readClass reads [a-z] and returns its length, or 0 if it has no end. A ] that
// comes first is a member.
func readClass(rs []rune) (*class, int) {
	i := 1
	c := &class{}
	if i < len(rs) && (rs[i] == '^' || rs[i] == '!') {
		c.negate = true
		i++
	}
	for first := i; i < len(rs); i++ {
		if rs[i] == ']' && i > first {
			c.sort()
			return c, i + 1
		}
		if i+2 < len(rs) && rs[i+1] == '-' && rs[i+2] != ']' {
			c.ranges = append(c.ranges, [2]rune{rs[i], rs[i+2]})
			i += 2
			continue
		}
		c.ranges = append(c.ranges, [2]rune{rs[i], rs[i]})
	}
	return nil, 0
}

// sort sorts the ranges and joins those that overlap. A range whose end comes
// before its beginning is empty.
func (c *class) sort() {
	slices.SortFunc(c.ranges, func(a, b [2]rune) int { return cmp.Compare(a[0], b[0]) })
	var apart [][2]rune
	for _, r := range c.ranges {
		switch last := len(apart) - 1; {
		case r[1] < r[0]:
		case last >= 0 && r[0] <= apart[last][1]:
			apart[last][1] = max(apart[last][1], r[1])
		default:
			apart = append(apart, r)
		}
	}
	c.ranges = apart
}

func (c *class) admits(r rune) bool {
	i, found := slices.BinarySearchFunc(c.ranges, r, func(pair [2]rune, r rune) int { return cmp.Compare(pair[0], r) })
	in := found || i > 0 && r <= c.ranges[i-1][1]
	return in != c.negate
}

// matching is one comparison with a pattern. It counts the bytes that it looks
// at, and gives up when the context ends.
type matching struct {
	ctx     context.Context
	steps   int
	checkAt int
	stopped bool
}

// checkEvery is how many bytes are compared between two checks of the context.
const checkEvery = 1 << 16

// patience is how many bytes are compared for each byte of a text before all its places
// are compared at once.
const patience = 16

// step counts n bytes and reports whether to go on.
func (m *matching) step(n int) bool {
	if m.steps += n; m.steps >= m.checkAt {
		m.checkAt = m.steps + checkEvery
		m.stopped = m.stopped || m.ctx.Err() != nil
	}
	return !m.stopped
}

// Match reports whether the pattern matches the whole of s. Once the context
// has ended, it returns false, which means nothing. Bytes that are not UTF-8
// match as U+FFFD.
//
// A segment is put at the first place where it matches, which leaves the
// longest rest of the text to the others. The time for literals grows with the
// Text and the pattern. Parts that match one code point are tried again at
// the places of the longest literal of their segment, as long as that is fast
// (patternbits.go).
func (p Pattern) Match(ctx context.Context, s string) bool {
	m := &matching{ctx: ctx}
	return m.all(p, s)
}

func (m *matching) all(p Pattern, s string) bool {
	if !utf8.ValidString(s) {
		s = string([]rune(s))
	}
	head, ok := m.prefix(p[0].parts, s)
	if len(p) == 1 || !ok {
		return ok && head == len(s)
	}
	s = s[head:]
	tail, ok := m.suffix(p[len(p)-1].parts, s)
	if !ok {
		return false
	}
	s = s[:len(s)-tail]
	for _, segment := range p[1 : len(p)-1] {
		end, ok := m.find(segment, s)
		if !ok {
			return false
		}
		s = s[end:]
	}
	return !m.stopped
}

// prefix reports whether s begins with what fits the parts, and how long that is.
func (m *matching) prefix(parts []part, s string) (length int, ok bool) {
	for _, p := range parts {
		n := len(p.literal)
		if !m.step(max(n, 1)) {
			return 0, false
		}
		if n == 0 {
			var r rune
			if r, n = utf8.DecodeRuneInString(s[length:]); n == 0 || p.class != nil && !p.class.admits(r) {
				return 0, false
			}
		} else if !strings.HasPrefix(s[length:], p.literal) {
			return 0, false
		}
		length += n
	}
	return length, true
}

// suffix is prefix for the end of s.
func (m *matching) suffix(parts []part, s string) (length int, ok bool) {
	for _, p := range slices.Backward(parts) {
		rest := s[:len(s)-length]
		n := len(p.literal)
		if !m.step(max(n, 1)) {
			return 0, false
		}
		if n == 0 {
			var r rune
			if r, n = utf8.DecodeLastRuneInString(rest); n == 0 || p.class != nil && !p.class.admits(r) {
				return 0, false
			}
		} else if !strings.HasSuffix(rest, p.literal) {
			return 0, false
		}
		length += n
	}
	return length, true
}

// find returns where the first match of a segment in s ends.
func (m *matching) find(g segment, s string) (end int, ok bool) {
	tried := 0 // bytes that were compared where the pivot is
	for at := 0; m.step(1); {
		if tried > patience*(at+checkEvery) {
			return m.findBits(g.parts, s)
		}
		pivot := at
		if g.pivot >= 0 {
			literal := g.parts[g.pivot].literal
			i := strings.Index(s[at:], literal)
			if i < 0 {
				m.step(len(s) - at)
				return 0, false
			}
			pivot = at + i
			m.step(i)
			tried += len(literal)
		}
		begun := m.steps
		_, before := m.suffix(g.parts[:max(g.pivot, 0)], s[:pivot])
		after, behind := m.prefix(g.parts[max(g.pivot, 0):], s[pivot:])
		tried += m.steps - begun
		if before && behind {
			return pivot + after, true
		}
		if pivot >= len(s) {
			return 0, false
		}
		_, size := utf8.DecodeRuneInString(s[pivot:])
		at = pivot + size
	}
	return 0, false
}
