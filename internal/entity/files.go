package entity

// This file reads the two lists a user may give: names that are entities, and
// synonyms.

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"
)

// A Gazetteer knows names that are entities wherever they stand and however
// they are written. ReadGazetteer makes one; the zero value knows none.
type Gazetteer struct{ phrases }

// Synonyms knows groups of terms for one thing, which are entities as the names
// of a gazetteer are. ReadSynonyms makes one; the zero value knows none.
type Synonyms struct {
	phrases
	others map[string][]string // a term → the rest of its groups, ascending
}

// phrases is a set of entities, as they are written.
type phrases struct {
	known map[string]bool
	most  int // words of the longest
}

func (p *phrases) add(phrase string, words int) {
	if p.known == nil {
		p.known = map[string]bool{}
	}
	p.known[phrase] = true
	p.most = max(p.most, words)
}

// longest returns the number of words in the longest phrase that words start
// with, 0 if there is none.
func (p phrases) longest(words []word) int {
	for n := min(p.most, len(words)); n > 0; n-- {
		if p.known[joinedWords(words[:n])] {
			return n
		}
	}
	return 0
}

// ReadGazetteer reads one name a line. White space around it, case and
// punctuation do not matter; blank lines and those that start with # are left
// out. A line without a word, and one of more than 64 KiB, is an error that
// tells its number.
func ReadGazetteer(r io.Reader) (Gazetteer, error) {
	var g Gazetteer
	err := readLines(r, func(line string) error {
		name, n := canonical(line)
		if n == 0 {
			return fmt.Errorf("%q has no word", line)
		}
		g.add(name, n)
		return nil
	})
	if err != nil {
		return Gazetteer{}, fmt.Errorf("gazetteer: %w", err)
	}
	return g, nil
}

// ReadSynonyms reads one group of terms a line, with commas between: "golf
// title, golf trophy". Blank lines and those that start with # are left out. A
// term of several groups has the synonyms of all of them. A line of fewer
// than two different terms, an empty term, and a line of more than 64 KiB are
// errors that tell the number of the line.
func ReadSynonyms(r io.Reader) (Synonyms, error) {
	s := Synonyms{others: map[string][]string{}}
	err := readLines(r, func(line string) error {
		var terms []string
		for part := range strings.SplitSeq(line, ",") {
			term, n := canonical(part)
			if n == 0 {
				return fmt.Errorf("term %q has no word", strings.TrimSpace(part))
			}
			s.add(term, n)
			terms = append(terms, term)
		}
		slices.Sort(terms)
		if terms = slices.Compact(terms); len(terms) < 2 {
			return fmt.Errorf("%q: want at least two terms with a comma between", line)
		}
		for _, term := range terms {
			for _, other := range terms {
				if other != term {
					s.others[term] = append(s.others[term], other)
				}
			}
		}
		return nil
	})
	if err != nil {
		return Synonyms{}, fmt.Errorf("synonyms: %w", err)
	}
	for term, others := range s.others {
		slices.Sort(others)
		s.others[term] = slices.Compact(others)
	}
	return s, nil
}

// canonical returns a term as an entity is written, and the number of its words.
func canonical(term string) (string, int) {
	words := wordsOf(term)
	return joinedWords(words), len(words)
}

// readLines calls f for every line that is neither blank nor a comment, and
// puts the line's number before an error.
func readLines(r io.Reader, f func(line string) error) error {
	lines := bufio.NewScanner(r)
	n := 0
	for lines.Scan() {
		n++
		line := strings.TrimSpace(strings.TrimPrefix(lines.Text(), "\ufeff"))
		if line == "" || line[0] == '#' {
			continue
		}
		if err := f(line); err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("line %d: %w", n+1, err)
	}
	return nil
}
