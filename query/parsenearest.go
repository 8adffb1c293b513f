package query

// NEAREST: so many of the most similar, in place of a threshold.

import "strings"

// nearest = "NEAREST" count .
func (p *parser) nearest() Operand {
	if !p.acceptWord("NEAREST") {
		return nil
	}
	if t := p.tok; t.kind != tokParam && (t.kind != tokNumber || !isInteger(t.text) || strings.Trim(t.text, "0") == "") {
		p.expected("a whole number above 0 after NEAREST")
	}
	return p.count("NEAREST")
}

// nearestHints say, by the first words of a statement, where NEAREST stands, or what to
// write instead.
var nearestHints = []struct{ statement, hint string }{
	{"SIMILAR PAIRS", "it stands right behind PAIRS: SIMILAR PAIRS NEAREST 1 IN …"},
	{"SIMILAR", "it stands right behind the target: SIMILAR TO 'x' NEAREST 10 IN …"},
	{"DUPLICATES", "it stands right behind the first word: DUPLICATES NEAREST 1 IN …"},
	{"CLUSTERS", "groups are made of all pairs from one similarity on: write WHERE sim >= x; SIMILAR PAIRS NEAREST 1 has the best row of each document"},
	{"SELECT DUPLICATES", "who stays is decided by one similarity: write WHERE sim >= x"},
	{"DELETE DUPLICATES", "who stays is decided by one similarity: write WHERE sim >= x"},
	{"SELECT", "write SIMILAR TO 'x' NEAREST 10 WHERE … RETURNING …"},
	{"INSERT", "one document that is similar keeps a new one out: write UNLESS SIMILAR sim >= x"},
	{"DELETE", "write WHERE similarity('x') >= y, or DELETE by the ids that SIMILAR TO 'x' NEAREST 10 finds"},
	{"UPDATE", "write WHERE id IN (…) with the ids that SIMILAR TO 'x' NEAREST 10 finds"},
}

// nearestHint is the hint for a word out of place, if it is NEAREST or MUTUAL.
func (p *parser) nearestHint() string {
	if p.tok.isWord("MUTUAL") {
		return "MUTUAL stands in SIMILAR PAIRS, behind NEAREST and its number"
	}
	if p.tok.isWord("NEAREST") {
		for _, h := range nearestHints {
			if strings.HasPrefix(p.begins, h.statement) {
				return h.hint
			}
		}
	}
	return ""
}
