package query

import "slices"

// pattern is a compiled LIKE or GLOB pattern.
type pattern []piece

// piece matches one code point, or any run of them.
type piece struct {
	run    bool   // any run
	any    bool   // any one
	one    rune   // this one, if there is no class
	class  []rune // pairs of first and last
	negate bool
}

// likePattern reads a LIKE pattern: % is any run, _ any one.
func likePattern(s string) pattern {
	var p pattern
	for _, r := range s {
		p = append(p, piece{run: r == '%', any: r == '_', one: r})
	}
	return p
}

// globPattern reads a GLOB pattern: * is any run, ? any one, [a-z] one of a
// class and [^a-z] one outside it. A [ without a ] stands for itself.
func globPattern(s string) pattern {
	var p pattern
	rs := []rune(s)
	for i := 0; i < len(rs); i++ {
		if rs[i] == '[' {
			if c, n := class(rs[i:]); n > 0 {
				p = append(p, c)
				i += n - 1
				continue
			}
		}
		p = append(p, piece{run: rs[i] == '*', any: rs[i] == '?', one: rs[i]})
	}
	return p
}

// class reads [a-z] and returns its length, 0 if it does not end. A ] that
// comes first is a member.
func class(rs []rune) (piece, int) {
	i := 1
	var c piece
	if i < len(rs) && (rs[i] == '^' || rs[i] == '!') {
		c.negate = true
		i++
	}
	for first := i; i < len(rs); i++ {
		if rs[i] == ']' && i > first {
			return c, i + 1
		}
		last := rs[i]
		if i+2 < len(rs) && rs[i+1] == '-' && rs[i+2] != ']' {
			last = rs[i+2]
			c.class = append(c.class, rs[i], last)
			i += 2
			continue
		}
		c.class = append(c.class, last, last)
	}
	return piece{}, 0
}

func (c piece) admits(r rune) bool {
	if c.class == nil {
		return c.any || c.one == r
	}
	in := false
	for pair := range slices.Chunk(c.class, 2) {
		in = in || pair[0] <= r && r <= pair[1]
	}
	return in != c.negate
}

// match reports whether the whole of s fits. Only the last run is ever tried
// again, so the work is at most len(p)·len(s), whatever the pattern.
func (p pattern) match(s string) bool {
	rs := []rune(s)
	i, j := 0, 0       // next piece, next code point
	run, from := -1, 0 // last run seen, and what it does not cover yet
	for j < len(rs) {
		switch {
		case i < len(p) && p[i].run:
			run, from = i, j
			i++
		case i < len(p) && p[i].admits(rs[j]):
			i, j = i+1, j+1
		case run >= 0:
			from++
			i, j = run+1, from
		default:
			return false
		}
	}
	for i < len(p) && p[i].run {
		i++
	}
	return i == len(p)
}
