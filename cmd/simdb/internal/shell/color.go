package shell

// The statement in colour while it is typed.

import (
	"unicode/utf8"

	"github.com/simdb/simdb/query/syntax"
)

// plain ends a colour.
const plain = "\x1b[0m"

// partColors are readable on a dark and on a bright terminal.
var partColors = [...]string{syntax.KeywordPart: "\x1b[1m", syntax.StringPart: "\x1b[32m", syntax.NumberPart: "\x1b[36m", syntax.CommentPart: "\x1b[2m"}

// mostColored is the length up to which a statement is in colour: it is read anew at each key.
const mostColored = 64 << 10

// colors returns what begins the colour of each character of the line, nil for none. The lines
// before it say whether it begins within a string or a comment.
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
