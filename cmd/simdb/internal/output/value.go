package output

// Values as text: complete for programs, and without control characters for people.

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// plainText formats a value completely, for csv and tsv. NULL is "".
func plainText(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case map[string]any, []any:
		b, err := JSON(v)
		if err != nil {
			return fmt.Sprint(v)
		}
		return string(b)
	default:
		return fmt.Sprint(v)
	}
}

// displayText formats a value for people: on one line, with control characters escaped, and with at
// most six decimal places (displayFloat).
func displayText(v any) string {
	switch v := v.(type) {
	case nil:
		return "NULL"
	case float64:
		return displayFloat(v)
	default:
		return EscapeControls(plainText(v))
	}
}

// displayFloat rounds to six decimal places, unless that would turn another number into 1 or 0: 1 must
// mean equal, and 0 disjoint.
func displayFloat(f float64) string {
	s := strconv.FormatFloat(f, 'f', 6, 64)
	s = strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
	if (s == "1" || s == "0" || s == "-0") && s != strconv.FormatFloat(f, 'f', -1, 64) {
		return strconv.FormatFloat(f, 'g', -1, 64)
	}
	return s
}

// EscapeControls escapes invalid UTF-8 and unprintable characters in the syntax of Go. Ids and
// names of metadata may contain such characters, which could control a terminal.
func EscapeControls(s string) string {
	if strings.IndexFunc(s, func(r rune) bool { return r == utf8.RuneError || !unicode.IsPrint(r) }) < 0 {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, s[0])
		case unicode.IsPrint(r):
			b.WriteRune(r)
		default:
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		}
		s = s[size:]
	}
	return b.String()
}

// isNumber reports whether a value is a number, for alignment to the right.
func isNumber(v any) bool {
	switch v.(type) {
	case int, int32, int64, uint, uint32, uint64, float32, float64, json.Number:
		return true
	}
	return false
}

// JSON is json.Marshal without the escapes for HTML.
func JSON(v any) ([]byte, error) {
	b := NewJSONBuffer()
	err := b.value(v)
	return b.Bytes(), err
}

// QuoteName quotes the name of a collection for a statement.
func QuoteName(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }
