package main

// Which files are texts, of which language, and which functions they have.

import (
	"io"
	"iter"
	"path"
	"strings"
	"unicode/utf8"
)

// A text is of so many bytes: shorter ones have too few shingles, and longer ones are
// mostly tables.
const (
	leastText = 200
	mostText  = 1 << 20
)

// readText says whether a file is UTF-8 without zeros, of a length that is taken.
func readText(r io.Reader) (text string, ok bool, err error) {
	b, err := io.ReadAll(io.LimitReader(r, mostText+1))
	if err != nil {
		return "", false, err
	}
	text = string(b)
	ok = len(b) >= leastText && len(b) <= mostText && utf8.Valid(b) && strings.IndexByte(text, 0) < 0
	return text, ok, nil
}

var languages = map[string]string{
	".c": "c", ".h": "c", ".cc": "c++", ".cpp": "c++", ".hpp": "c++", ".cxx": "c++", ".C": "c++",
	".go": "go", ".py": "python", ".rs": "rust", ".java": "java", ".js": "javascript", ".ts": "typescript",
	".ad": "ada", ".adb": "ada", ".ads": "ada", ".f90": "fortran", ".f": "fortran", ".d": "d",
	".s": "assembly", ".S": "assembly", ".dts": "devicetree", ".dtsi": "devicetree",
	".html": "html", ".htm": "html", ".rst": "text", ".txt": "text", ".md": "text", ".texi": "text", ".po": "text",
	".yaml": "yaml", ".json": "json", ".sgml": "text", ".pod": "text", ".xml": "xml", ".tex": "text",
}

// languageOf tells the language of a file by its name; a manual page ends with its section.
func languageOf(name string) string {
	ext := path.Ext(name)
	if len(ext) >= 2 && ext[1] >= '1' && ext[1] <= '9' && strings.Contains(name, "/man") {
		return "man"
	}
	return languages[ext]
}

// functions yields the functions of a text and their first lines, where these languages
// are written as nearly all write them: the body ends with a brace in the first column.
// What stands before it, up to an empty line or the end of something else, belongs to it.
func functions(lang, text string) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		if lang != "c" && lang != "c++" && lang != "go" {
			return
		}
		begin, first, at, number := 0, 1, 0, 0 // of the function, and of the line
		opened := false
		for line := range strings.Lines(text) {
			number++
			end := at + len(line)
			line = strings.TrimRight(line, " \t\r\n")
			switch {
			case opened && strings.HasPrefix(line, "}"):
				if body := text[begin:end]; line == "}" && len(body) >= leastText && !yield(first, body) {
					return
				}
				opened, begin, first = false, end, number+1
			case opened:
			case line == "{" || strings.HasSuffix(line, "{") && startsWithLetter(line) && strings.Contains(text[begin:end], "("):
				opened = true
			case line == "" || strings.HasSuffix(line, ";") || strings.HasPrefix(line, "#") || strings.HasSuffix(line, "*/") || strings.HasPrefix(line, "//"):
				begin, first = end, number+1
			}
			at = end
		}
	}
}

func startsWithLetter(line string) bool {
	c := line[0] | 0x20
	return c >= 'a' && c <= 'z' || c == '_'
}
