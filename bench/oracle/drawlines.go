package main

// Texts of lines: tables of numbers, as CSV has them, and transcripts of meetings.

import (
	"fmt"
	"strings"
)

var (
	speakers = strings.Split("Anna Berg|Peter Long|王小明|佐藤|สมชาย|أحمد|Иван Петров|अनिल|Q|Speaker 2", "|")
	sayings  = strings.Split("We met at noon.|We met at noon|No.|Yes, “yes”, yes!|The budget is 12.50, not 13.|我们明天再说。|Да.|Hm … so be it?|हाँ।|ครับ", "|")
)

// lines draws a table or a transcript. The rows of a table count on, and so differ in few digits. A ␤
// ends each line.
func (d *drawer) lines() []string {
	row, from := d.IntN(4), d.IntN(20)
	separator := pick(d, []string{",", ";", "\t", ", ", " | "})
	var out []string
	for i := range 1 + d.IntN(12) {
		n := from + i
		switch row {
		case 0:
			out = append(out, strings.Join([]string{fmt.Sprint(n), fmt.Sprintf("2026-03-%02d", n), pick(d, []string{"12.50", "0", "-1", "1e5", ""}), fmt.Sprint(n * n)}, separator))
		case 1:
			out = append(out, strings.Join([]string{fmt.Sprint(d.IntN(10)), fmt.Sprint(d.IntN(10)), pick(d, []string{`"a, b"`, "x", `""`})}, separator))
		case 2:
			out = append(out, fmt.Sprintf("[00:%02d:%02d] %s: %s", n/3, n, pick(d, speakers), pick(d, sayings)))
		case 3:
			out = append(out, fmt.Sprintf("%d␤00:00:%02d,%03d --> 00:00:%02d,500␤%s␤", n, n, d.IntN(1000), n+1, pick(d, sayings)))
		}
		out[i] += "␤"
	}
	return strings.FieldsFunc(strings.Join(out, " "), func(r rune) bool { return r == ' ' })
}
