package main

// The words of a dot command. They are quoted as in a Unix shell.

import "strings"

// splitWords cuts a dot command at white space that is not between quotes.
func splitWords(line string) ([]string, error) {
	var words []string
	var word strings.Builder
	quote, open := rune(0), false
	for _, r := range line {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '\'' || r == '"':
			quote, open = r, true
		case r == ' ' || r == '\t':
			if open {
				words = append(words, word.String())
				word.Reset()
				open = false
			}
		default:
			word.WriteRune(r)
			open = true
		}
	}
	if quote != 0 {
		return nil, failf(exitRejected, "a quote (%c) without its end", quote)
	}
	if open {
		words = append(words, word.String())
	}
	return words, nil
}
