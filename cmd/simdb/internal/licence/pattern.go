package licence

// Texts of a pattern. A licence of licensecheck is a pattern of words: ((a || b)) is
// one of two, ((a))?? may be left out, __5__ stands for up to five words, and what is
// between //** and **// is a comment.

import (
	"slices"
	"strings"
)

// part is a word, or if it has choices a group of which one is taken.
type part struct {
	word     string
	choices  [][]part
	optional bool
}

var apart = strings.NewReplacer("((", " (( ", "))??", " ))?? ", "))", " )) ", "||", " || ", "//**", " //** ", "**//", " **// ")

// textsOf returns texts that a pattern matches: for each of its first choices the text with
// all that may be left out, and the one without.
func textsOf(lre string) (texts []string) {
	choices, _ := parse(strings.Fields(apart.Replace(lre)))
	if len(choices) == 1 && len(choices[0]) == 1 {
		choices = choices[0][0].choices
	}
	for _, parts := range choices {
		for _, short := range []bool{false, true} {
			text := strings.Join(words(nil, parts, short), " ")
			if text != "" && !slices.Contains(texts, text) {
				texts = append(texts, text)
			}
		}
	}
	return texts
}

// parse reads choices up to the end of their group, and returns what follows.
func parse(tokens []string) (choices [][]part, rest []string) {
	var parts []part
	for len(tokens) > 0 {
		t, from := tokens[0], tokens
		tokens = tokens[1:]
		switch {
		case t == "//**":
			tokens = tokens[min(len(tokens), 1+max(0, slices.Index(tokens, "**//"))):]
		case strings.HasPrefix(t, "__"):
		case t == "||":
			choices, parts = append(choices, parts), nil
		case t == "((":
			var g part
			g.choices, tokens = parse(tokens)
			if len(tokens) > 0 {
				g.optional, tokens = tokens[0] == "))??", tokens[1:]
			}
			parts = append(parts, g)
		case t == "))" || t == "))??":
			return append(choices, parts), from
		default:
			parts = append(parts, part{word: t})
		}
	}
	return append(choices, parts), nil
}

// words appends the words of a text. Of the choices of a group it takes the first.
func words(to []string, parts []part, short bool) []string {
	for _, x := range parts {
		switch {
		case x.choices == nil:
			to = append(to, x.word)
		case x.optional && short:
		default:
			to = words(to, x.choices[0], short)
		}
	}
	return to
}
