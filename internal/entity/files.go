package entity

// The two lists that a user may supply: names that are entities, and synonyms.

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"
)

// A Gazetteer is a set of names that are entities anywhere and in any case. Obtain it
// from ReadGazetteer; the zero value is empty. It is immutable.
type Gazetteer struct{ phrases }

// Synonyms is a set of groups of terms for the same thing, all of them entities like
// the names of a gazetteer. Obtain it from ReadSynonyms; the zero value is empty. It is
// immutable.
type Synonyms struct {
	phrases
	others map[string][]string // a term → the rest of its groups, ascending
}

// phrases is a set of entities in their spelling by canonical.
type phrases struct {
	known map[string]bool
	most  int // number of words of the longest
}

// add adds a phrase of so many words.
func (p *phrases) add(phrase string, words int) {
	if p.known == nil {
		p.known = map[string]bool{}
	}
	p.known[phrase] = true
	p.most = max(p.most, words)
}

// longest returns the number of words of the longest phrase at the start of words, 0 if
// there is none.
func (p phrases) longest(words []word) int {
	for n := min(p.most, len(words)); n > 0; n-- {
		if p.known[joinedWords(words[:n])] {
			return n
		}
	}
	return 0
}

// ReadGazetteer reads one name per line. Surrounding white space, case and punctuation
// do not matter; blank lines and lines that start with # are skipped. A line without a
// word, or of more than 64 KiB, is an error with the number of the line.
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

// ReadSynonyms reads one group of terms per line, separated by commas: "golf title,
// golf trophy". Blank lines and lines that start with # are skipped. A term of several
// groups has the synonyms of all of them. A line of fewer than two different terms, an
// empty term, or a line of more than 64 KiB is an error with the number of the line.
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

// canonical returns a term in the spelling of an entity, and the number of its words.
func canonical(term string) (string, int) {
	words := wordsOf(term)
	return joinedWords(words), len(words)
}

// readLines calls f for each line other than blanks and comments, and prefixes an error
// with the number of the line.
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
