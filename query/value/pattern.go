package value

// LIKE and GLOB match a text against a pattern. A pattern may be as long as a statement,
// and a text as long as a document, so matching must be fast. strings.Index searches the
// literals between the runs of a pattern, and each search begins at the end of the previous
// match. Package regexp takes 116 µs instead of 0.6 µs for '%a%b%' on a text of 1.6 kB, and
// nine times as long for a whole statement, because it steps through states where
// strings.Index compares words. It cannot be cancelled by a context either.

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"unicode/utf8"
)

// Pattern is a compiled LIKE or GLOB pattern: the segments between its runs, where a run is
// % of LIKE or * of GLOB. The first segment is anchored at the start of the text, the last
// at its end; a single segment must match the whole text. A Pattern is read-only after
// compilation, and safe for concurrent use.
type Pattern []segment

// segment is the piece of a pattern between two runs.
type segment struct {
	parts []part
	pivot int // index of the longest literal, the search key; −1 without a literal
}

// part matches a literal, or one code point.
type part struct {
	literal string // "" for one code point
	class   *class // nil for any code point
}

// class is a character class of GLOB: [a-z], or [^a-z].
type class struct {
	ranges [][2]rune // sorted, disjoint
	negate bool
}

// patternBuilder collects the segments of a pattern from left to right.
type patternBuilder struct {
	done    Pattern
	parts   []part
	literal []rune
}

// run ends the current segment.
func (b *patternBuilder) run() {
	b.endLiteral()
	s := segment{parts: b.parts, pivot: -1}
	for i, p := range s.parts {
		if p.literal != "" && (s.pivot < 0 || len(p.literal) > len(s.parts[s.pivot].literal)) {
			s.pivot = i
		}
	}
	if len(s.parts) > 0 || len(b.done) == 0 { // adjacent runs are one run
		b.done = append(b.done, s)
	}
	b.parts = nil
}

// one adds a part for one code point; a nil class admits any.
func (b *patternBuilder) one(c *class) {
	b.endLiteral()
	b.parts = append(b.parts, part{class: c})
}

// endLiteral turns the collected characters into a part.
func (b *patternBuilder) endLiteral() {
	if len(b.literal) > 0 {
		b.parts = append(b.parts, part{literal: string(b.literal)})
		b.literal = b.literal[:0]
	}
}

// end returns the pattern. Its last segment is the part after the last run, even if empty.
func (b *patternBuilder) end() Pattern {
	// After a final run the last segment is empty, and matches at any end.
	trailing := len(b.parts) == 0 && len(b.literal) == 0 && len(b.done) > 0
	b.run()
	if trailing {
		b.done = append(b.done, segment{pivot: -1})
	}
	return b.done
}

// Like compiles a LIKE pattern: % matches any run, _ any one code point. Every string is a
// valid pattern.
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

// Glob compiles a GLOB pattern: * matches any run, ? any one code point, [a-z] a code point
// of the class and [^a-z] one outside it. A [ without a ] stands for itself, so every
// string is a valid pattern.
func Glob(s string) Pattern {
	var b patternBuilder
	rs := []rune(s)
	last := len(rs) - 1
	// Without this bound, a pattern of many [ would search for ] from each of them.
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

// readClass reads [a-z] and returns its length, 0 without a closing ]. A leading ] is a
// member.
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

// sort sorts the ranges and joins overlapping ones. A reversed range is empty.
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

// admits reports whether the class contains r.
func (c *class) admits(r rune) bool {
	i, found := slices.BinarySearchFunc(c.ranges, r, func(pair [2]rune, r rune) int { return cmp.Compare(pair[0], r) })
	in := found || i > 0 && r <= c.ranges[i-1][1]
	return in != c.negate
}

// matching is the state of one match. It counts the bytes compared, and stops when the
// context ends.
type matching struct {
	ctx     context.Context
	steps   int
	checkAt int
	stopped bool
}

// checkEvery is the number of bytes compared between two checks of the context.
const checkEvery = 1 << 16

// patience is the number of bytes compared per byte of text before find switches to
// findBits, which tries all positions at once. It bounds the time of patterns with many
// one-character parts.
const patience = 16

// step counts n bytes and reports whether to go on.
func (m *matching) step(n int) bool {
	if m.steps += n; m.steps >= m.checkAt {
		m.checkAt = m.steps + checkEvery
		m.stopped = m.stopped || m.ctx.Err() != nil
	}
	return !m.stopped
}

// Match reports whether the pattern matches the whole of s. Once the context has ended, the
// result is false and meaningless: check ctx.Err. Bytes that are not UTF-8 match as U+FFFD.
//
// Match takes the first match of each segment, which leaves the longest rest of the text to
// the later segments, so it never backtracks. For literals, the time grows with the text
// plus the pattern. Parts of one code point are tried at each position of the segment's
// longest literal, until patience runs out (patternbits.go).
func (p Pattern) Match(ctx context.Context, s string) bool {
	m := &matching{ctx: ctx}
	return m.all(p, s)
}

// all matches the segments in order; s may contain bytes that are not UTF-8.
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

// prefix reports whether the parts match at the start of s, and the length of the match.
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

// find returns the end of the first match of a segment in s.
func (m *matching) find(g segment, s string) (end int, ok bool) {
	tried := 0 // bytes compared at pivots so far
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
			// The text between at and the pivot has no match: the literal must occur in it.
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
