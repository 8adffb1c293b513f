package shell

// Tab completion between quotes: document ids, and file names after FILE.

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/simdb/simdb/cmd/simdb/internal/output"
)

const (
	offeredIDs = 1000 // limit of examined ids
	shownNames = 60   // limit of listed names
)

// quotedText is an unterminated string.
type quotedText struct {
	word string // word before the string, in upper case
	text string // raw text of the string
}

// openQuote returns the unterminated string at the end of a text, if any. Other unterminated tokens,
// such as comments, return open with an empty word, and are not completed.
func openQuote(text string) (q quotedText, open bool) {
	ends := []struct{ start, end string }{{"'", "'"}, {`"`, `"`}, {"$$", "$$"}, {"--", "\n"}, {"/*", "*/"}}
	for i := 0; i < len(text); {
		k := slices.IndexFunc(ends, func(e struct{ start, end string }) bool { return strings.HasPrefix(text[i:], e.start) })
		if k < 0 {
			i++
			continue
		}
		from := i + len(ends[k].start)
		n := strings.Index(text[from:], ends[k].end)
		if n < 0 {
			if ends[k].start != "'" {
				return quotedText{word: "TEXT"}, true
			}
			return quotedText{strings.ToUpper(lastWord(strings.TrimRight(text[:i], " \t\n"))), text[from:]}, true
		}
		i = from + n + len(ends[k].end)
	}
	return q, false
}

// quoted is like tab, for a cursor between quotes.
func (c completer) quoted(q quotedText, head, tail string) (newHead, newTail string, list []string) {
	var found []string
	whole := true
	switch q.word {
	case "TEXT", "FINGERPRINT", "TIME":
		return head, tail, nil
	case "FILE":
		found = fileNames(q.text)
	default:
		found, whole = c.ids(strings.ReplaceAll(q.text, "''", "'"))
	}
	for i, f := range found {
		found[i] = strings.ReplaceAll(f, "'", "''")
	}
	common := commonPrefix(found)
	switch {
	case len(found) == 1 && whole:
		end := "' "
		if strings.HasSuffix(common, string(filepath.Separator)) {
			end = ""
		}
		return strings.TrimSuffix(head, q.text) + common + end, strings.TrimPrefix(tail, "'"), nil
	case whole && len(common) > len(q.text):
		return strings.TrimSuffix(head, q.text) + common, tail, nil
	}
	return head, tail, found
}

// ids returns the ids with a prefix, and whether the list is complete. It omits ids with control
// characters.
func (c completer) ids(prefix string) (found []string, whole bool) {
	snapshot, err := c.sh.DB.Snapshot()
	if err != nil {
		return nil, true
	}
	defer snapshot.Close()
	whole = true
	for _, name := range c.collections() {
		n := 0
		for id, err := range snapshot.IDs(context.Background(), name, prefix) {
			if err != nil {
				break
			}
			if n++; n > offeredIDs {
				whole = false
				break
			}
			if id == output.EscapeControls(id) {
				found = append(found, id)
			}
		}
	}
	slices.Sort(found)
	return slices.Compact(found), whole
}

// fileNames returns the paths with a prefix. Directories end in a slash.
func fileNames(prefix string) (found []string) {
	dir, base := filepath.Split(prefix)
	entries, err := os.ReadDir(cmp.Or(dir, "."))
	if err != nil {
		return nil
	}
	for _, e := range entries {
		name := e.Name()
		if !strings.HasPrefix(name, base) || base == "" && strings.HasPrefix(name, ".") || name != output.EscapeControls(name) {
			continue
		}
		if e.IsDir() {
			name += string(filepath.Separator)
		}
		found = append(found, dir+name)
	}
	return found
}

// inColumns formats names in columns that fit a width. Every line ends with a line break.
func inColumns(names []string, width int) string {
	more := len(names) - shownNames
	names = names[:min(len(names), shownNames)]
	widest := 0
	for _, n := range names {
		widest = max(widest, output.TextWidth(n)+2)
	}
	each := max(1, width/max(widest, 1))
	var b strings.Builder
	for line := range slices.Chunk(names, each) {
		for i, n := range line {
			if i < len(line)-1 {
				n = output.PadRight(n, widest)
			}
			b.WriteString(n)
		}
		b.WriteString("\n")
	}
	if more > 0 {
		fmt.Fprintf(&b, "… and %s more\n", output.Thousands(int64(more)))
	}
	return b.String()
}
