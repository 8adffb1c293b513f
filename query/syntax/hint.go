package syntax

// Hints for a word in the wrong place.

import (
	"slices"
	"strings"
)

// nearestHints maps the first words of a statement to the place of NEAREST, or to a
// substitute for it.
var nearestHints = []struct{ statement, hint string }{
	{"SIMILAR PAIRS", "it stands right behind PAIRS: SIMILAR PAIRS NEAREST 1 IN …"},
	{"SIMILAR", "it stands right behind the target: SIMILAR TO 'x' NEAREST 10 IN …"},
	{"DUPLICATES", "it stands right behind the first word: DUPLICATES NEAREST 1 IN …"},
	{"CLUSTERS", "groups are made of all pairs from one similarity on: write WHERE sim >= x; SIMILAR PAIRS NEAREST 1 has the best row of each document"},
	{"SELECT DUPLICATES", "one similarity decides which document stays: write WHERE sim >= x"},
	{"DELETE DUPLICATES", "one similarity decides which document stays: write WHERE sim >= x"},
	{"SELECT", "write SIMILAR TO 'x' NEAREST 10 WHERE … RETURNING …"},
	{"INSERT", "one document that is similar keeps a new one out: write UNLESS SIMILAR sim >= x"},
	{"DELETE", "write WHERE similarity('x') >= y, or DELETE by the ids that SIMILAR TO 'x' NEAREST 10 finds"},
	{"UPDATE", "write WHERE id IN (…) with the ids that SIMILAR TO 'x' NEAREST 10 finds"},
}

// nearestHint returns the hint for a misplaced NEAREST or MUTUAL, else "". begins holds the
// first two words of the statement.
func nearestHint(t token, begins string) string {
	if t.isWord("MUTUAL") {
		return "MUTUAL stands in SIMILAR PAIRS, behind NEAREST and its number"
	}
	if t.isWord("NEAREST") {
		for _, h := range nearestHints {
			if strings.HasPrefix(begins, h.statement) {
				return h.hint
			}
		}
	}
	return ""
}

// clauseWords begin clauses, or continue a predicate.
var clauseWords = strings.Fields("AGAINST GROUP HAVING IN LIMIT OFFSET ORDER RETURNING SINCE USING WHERE AND OR")

// misplaced returns the hint for a word after the last clause. A word that begins a clause
// is out of order, or belongs to another statement.
func misplaced(t token, begins string) string {
	word := strings.ToUpper(t.text)
	selects := strings.HasPrefix(begins, "SELECT")
	switch {
	case t.kind != tokName:
		return ""
	case word == "SINCE":
		return "SINCE stands before USING and WHERE"
	case word == "RETURNING" && selects:
		return "SELECT names its fields before FROM"
	case word == "USING" && selects:
		return "write WHERE similarity('x' USING …) >= y"
	case word == "HAVING" && selects:
		return "HAVING chooses among groups, and stands behind GROUP BY; documents are chosen by WHERE"
	case (word == "HAVING" || word == "GROUP") && !selects && !strings.HasPrefix(begins, "CLUSTERS"):
		return word + " belongs to SELECT and CLUSTERS; rows are chosen by WHERE, and counted by RETURNING count(*)"
	case slices.Contains(clauseWords, word):
		return "the order of the clauses is IN, SINCE, USING, WHERE, RETURNING, GROUP BY, HAVING, ORDER BY, LIMIT, OFFSET"
	}
	return DidYouMean(t.text, clauseWords)
}
