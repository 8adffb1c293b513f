package shell

// Syntax colours of the statement during editing.

import (
	"unicode/utf8"

	"github.com/simdb/simdb/query/syntax"
)

// plain is the escape sequence that ends a colour.
const plain = "\x1b[0m"

// partColors maps parts of a statement to colours that are readable on dark and bright terminals.
var partColors = [...]string{syntax.KeywordPart: "\x1b[1m", syntax.StringPart: "\x1b[32m", syntax.NumberPart: "\x1b[36m", syntax.CommentPart: "\x1b[2m"}

// mostColored is the length limit of coloured statements, because each key parses the statement
// again.
const mostColored = 64 << 10

// colors returns the escape sequence for the colour of each character of the line, nil for none. It
// parses the earlier lines too, since the line may begin within a string or a comment.
func (e *lineEditor) colors() (colors []string) {
	line := string(e.line.text)
	if _, dot := asDot(line); !e.color || dot && e.pending == "" || len(e.pending)+len(line) > mostColored {
		return nil
	}
	parts := syntax.Parts(e.pending + line)[len(e.pending):]
	for i := 0; i < len(line); {
		colors = append(colors, partColors[parts[i]])
		_, size := utf8.DecodeRuneInString(line[i:])
		i += size
	}
	return colors
}
