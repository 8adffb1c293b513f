package syntax

// Which word was meant by one that is unknown.

import "strings"

// DidYouMean suggests the name nearest to the one found, or nothing if all are
// far, or if it is the one found: then the name is not what is wrong.
func DidYouMean(found string, names []string) string {
	if found == "" {
		return ""
	}
	best, dist := "", 1+len(found)/3
	for _, n := range names {
		if d := EditDistance(strings.ToLower(found), strings.ToLower(n)); d <= dist && (best == "" || d < dist) {
			best, dist = n, d
		}
	}
	if best == "" || strings.EqualFold(best, found) {
		return ""
	}
	return "did you mean " + best + "?"
}

// EditDistance counts the insertions, deletions, replacements and swaps of
// neighbours that turn a into b. Names over 64 bytes count as far.
func EditDistance(a, b string) int {
	if len(a) > 64 || len(b) > 64 {
		return max(len(a), len(b))
	}
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			d := min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d = min(d, rows[i-2][j-2]+1)
			}
			rows[i][j] = d
		}
	}
	return rows[len(a)][len(b)]
}
