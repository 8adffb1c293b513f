package ingest

// Which files are passed over: patterns as in .gitignore, of Options.Exclude and of the
// .gitignore files that a walk meets.

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	slashpath "path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// maxIgnoreBytes bounds a .gitignore; what is longer is cut.
const maxIgnoreBytes = 1 << 20

// pattern is one line.
type pattern struct {
	glob    string // of the path below the directory of the pattern
	negated bool   // what it matches is read after all
	dirs    bool   // it matches directories only
}

// CheckExclude refuses patterns that cannot be read.
func CheckExclude(lines []string) error {
	for _, line := range lines {
		if _, ok := newPattern(line); !ok {
			return fmt.Errorf("the pattern %q cannot be read; write one as in .gitignore, such as *.log or build/", line)
		}
	}
	return nil
}

// newPattern reads a line. ok is false if it is blank, a comment, or no pattern.
func newPattern(line string) (p pattern, ok bool) {
	line = strings.TrimSuffix(line, "\r")
	for strings.HasSuffix(line, " ") && !strings.HasSuffix(line, `\ `) {
		line = strings.TrimSuffix(line, " ")
	}
	if strings.HasPrefix(line, "#") {
		return p, false
	}
	line, p.negated = strings.CutPrefix(line, "!")
	line, p.dirs = strings.CutSuffix(line, "/")
	if line == "" {
		return p, false
	}
	// Without a slash before its end a pattern matches in every directory below.
	if strings.Contains(line, "/") {
		p.glob = strings.TrimPrefix(line, "/")
	} else {
		p.glob = "**/" + line
	}
	if within, all := strings.CutSuffix(p.glob, "/**"); all { // what is in it, not itself
		p.glob = within + "/**/*"
	}
	p.glob = withoutBraces(p.glob)
	return p, p.glob != "" && doublestar.ValidatePattern(p.glob)
}

// withoutBraces escapes what doublestar reads as alternatives, and git does not.
func withoutBraces(glob string) string {
	return strings.NewReplacer(`\{`, `\{`, `\}`, `\}`, "{", `\{`, "}", `\}`).Replace(glob)
}

// rules are the patterns of one directory, in their order.
type rules struct {
	dir      string // "" for that of the walk
	patterns []pattern
}

func newRules(dir string, lines []string) *rules {
	r := &rules{dir: dir}
	for _, line := range lines {
		if p, ok := newPattern(line); ok {
			r.patterns = append(r.patterns, p)
		}
	}
	return r
}

// says returns what the last pattern that matches a path says: said is false if none does.
func (r *rules) says(rel string, isDir bool) (ignored, said bool) {
	if r.dir != "" {
		rel = strings.TrimPrefix(rel, r.dir+"/")
	}
	for _, p := range slices.Backward(r.patterns) {
		if (isDir || !p.dirs) && doublestar.MatchUnvalidated(p.glob, rel) {
			return !p.negated, true
		}
	}
	return false, false
}

// passesNamed is passesFile for what may be a directory.
func (r *rules) passesNamed(rel string, isDir bool) bool {
	ignored, _ := r.says(rel, true)
	return isDir && ignored || r.passesFile(rel)
}

// passesFile reports whether a file is passed over, or a directory in which it is.
func (r *rules) passesFile(rel string) bool {
	for i, c := range rel {
		if c == '/' {
			if ignored, _ := r.says(rel[:i], true); ignored {
				return true
			}
		}
	}
	ignored, _ := r.says(rel, false)
	return ignored
}

// ignoring decides what a walk passes over.
type ignoring struct {
	exclude *rules
	git     []*rules // of the directories down to where the walk is
	heed    bool     // .gitignore
	open    func(rel string) (fs.File, error)
}

// passes reports whether a file or directory is passed over. It is asked in the order of the
// walk, so that it knows the .gitignore of each directory above.
func (g *ignoring) passes(rel string, isDir bool) bool {
	if ignored, _ := g.exclude.says(rel, isDir); ignored {
		return true
	}
	if !g.heed {
		return false
	}
	for _, r := range slices.Backward(g.git) {
		if ignored, said := r.says(rel, isDir); said && within(r.dir, rel) {
			return ignored
		}
	}
	return false
}

func within(dir, rel string) bool { return dir == "" || strings.HasPrefix(rel, dir+"/") }

// enter reads the .gitignore of a directory.
func (g *ignoring) enter(rel string) {
	if !g.heed {
		return
	}
	if rel == "." {
		rel = ""
	}
	for len(g.git) > 0 && !within(g.git[len(g.git)-1].dir, rel) {
		g.git = g.git[:len(g.git)-1]
	}
	f, err := g.open(slashpath.Join(rel, ".gitignore"))
	if err != nil {
		return // there is none
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return
	}
	text, err := io.ReadAll(io.LimitReader(f, maxIgnoreBytes))
	if err != nil {
		return
	}
	g.git = append(g.git, newRules(rel, strings.Split(string(bytes.TrimPrefix(text, utf8BOM)), "\n")))
}
