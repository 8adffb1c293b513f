package shell

// Tab completion of keywords and of names in the database.

import (
	"context"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/simdb/simdb/cmd/simdb/internal/output"
	"github.com/simdb/simdb/query"
	"github.com/simdb/simdb/query/syntax"
)

// sampledDocs limits the documents per collection that are searched for field names, because
// completion must not wait for a large collection.
const sampledDocs = 200

// completer completes statements and dot commands.
type completer struct{ sh *shell }

// tab returns the effect of Tab on a line. head and tail are the line before and after the cursor;
// before has the earlier lines of the statement. If nothing can be added to head, list has the
// candidates.
func (c completer) tab(before, head, tail string) (newHead, newTail string, list []string) {
	if in, ok := openQuote(before + head); ok {
		return c.quoted(in, head, tail)
	}
	word, found := c.candidates(before, head)
	common := commonPrefix(found)
	switch {
	case len(found) == 1 && strings.HasSuffix(found[0], string(filepath.Separator)):
		return strings.TrimSuffix(head, word) + common, tail, nil
	case len(found) == 1:
		return strings.TrimSuffix(head, word) + common + " ", strings.TrimPrefix(tail, " "), nil
	case len(common) > len(word):
		return strings.TrimSuffix(head, word) + common, tail, nil
	}
	return head, tail, found
}

// candidates returns the word at the end of head and its completions, sorted.
func (c completer) candidates(before, head string) (word string, found []string) {
	if before == "" && strings.HasPrefix(strings.TrimSpace(head), ".") {
		return c.dotCandidates(head)
	}
	words := slices.Concat(syntax.Keywords(), syntax.Methods(), query.Fields(), []string{syntax.ViewName})
	word = lastWord(head)
	return word, matching(append(words, c.names()...), word)
}

// dotCandidates completes dot commands and their arguments.
func (c completer) dotCandidates(head string) (word string, found []string) {
	fields := strings.Fields(head)
	if len(fields) == 1 && !strings.HasSuffix(head, " ") {
		var names []string
		for _, d := range dotCommands() {
			names = append(names, d.name)
		}
		return fields[0], matching(names, fields[0])
	}
	word = lastWord(head)
	switch fields[0] {
	case ".mode":
		return word, matching(output.Formats, word)
	case ".timer", ".explain", ".bail", ".pager":
		return word, matching([]string{"on", "off"}, word)
	case ".schema":
		return word, matching(c.collections(), word)
	case ".read", ".open", ".import", ".output", ".dump", ".export", ".backup":
		word = head[strings.LastIndexAny(head, " \t'\"")+1:]
		return word, fileNames(word)
	}
	return word, nil
}

// commonPrefix returns the longest common prefix of words.
func commonPrefix(words []string) string {
	if len(words) == 0 {
		return ""
	}
	prefix := words[0]
	for _, w := range words[1:] {
		for !strings.HasPrefix(w, prefix) {
			_, size := utf8.DecodeLastRuneInString(prefix)
			prefix = prefix[:len(prefix)-size]
		}
	}
	return prefix
}

// names returns the collections and the fields of their documents.
func (c completer) names() []string {
	snapshot, err := c.sh.DB.Snapshot()
	if err != nil {
		return nil
	}
	defer snapshot.Close()
	seen := map[string]bool{}
	for _, name := range c.collections() {
		seen[name] = true
		n := 0
		for doc, err := range snapshot.Infos(context.Background(), name, "") {
			if n++; err != nil || n > sampledDocs {
				break
			}
			for field := range doc.Meta {
				if field == output.EscapeControls(field) { // control characters could control the terminal
					seen[field] = true
				}
			}
		}
	}
	return slices.Collect(maps.Keys(seen))
}

// collections returns the names of the collections.
func (c completer) collections() []string {
	all, err := c.sh.DB.Collections(context.Background())
	if err != nil {
		return nil
	}
	var names []string
	for _, info := range all {
		names = append(names, info.Name)
	}
	return names
}

// matching returns the words with a prefix, regardless of case, sorted. Keywords are in lower case if
// the prefix is.
func matching(words []string, prefix string) []string {
	seen := map[string]bool{}
	for _, w := range words {
		if len(w) < len(prefix) || !strings.EqualFold(w[:len(prefix)], prefix) {
			continue
		}
		if prefix != "" && w == strings.ToUpper(w) && prefix == strings.ToLower(prefix) {
			w = strings.ToLower(w)
		}
		seen[w] = true
	}
	return slices.Sorted(maps.Keys(seen))
}

// lastWord returns the name at the end of the text, or "".
func lastWord(text string) string {
	for i, r := range slices.Backward([]rune(text)) {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) && r != '_' {
			return string([]rune(text)[i+1:])
		}
	}
	return text
}
