package ingest

// Exclusion of files: patterns with the syntax of .gitignore, from Options.Exclude and from the
// .gitignore files of a directory.

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

// maxIgnoreBytes is the limit of a .gitignore; the rest is ignored.
const maxIgnoreBytes = 1 << 20

// pattern is one parsed line.
type pattern struct {
	glob    string // matches paths below the directory of the pattern
	negated bool   // matching files are included again
	dirs    bool   // matches directories only
}

// CheckExclude returns an error for invalid patterns.
func CheckExclude(lines []string) error {
	for _, line := range lines {
		if _, ok := newPattern(line); !ok {
			return fmt.Errorf("the pattern %q cannot be read; write one as in .gitignore, such as *.log or build/", line)
		}
	}
	return nil
}

// newPattern parses a line. It returns false for blank lines, comments and invalid patterns.
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
	if within, all := strings.CutSuffix(p.glob, "/**"); all { // the content of the directory, not the directory
		p.glob = within + "/**/*"
	}
	p.glob = escapeBraces(p.glob)
	return p, p.glob != "" && doublestar.ValidatePattern(p.glob)
}

// escapeBraces escapes braces, which are alternatives for doublestar but literal for git.
func escapeBraces(glob string) string {
	return strings.NewReplacer(`\{`, `\{`, `\}`, `\}`, "{", `\{`, "}", `\}`).Replace(glob)
}

// rules are the patterns of one directory, in order.
type rules struct {
	dir      string // "" for the root of the walk
	patterns []pattern
}

// newRules parses the lines of a file and skips the invalid ones.
func newRules(dir string, lines []string) *rules {
	r := &rules{dir: dir}
	for _, line := range lines {
		if p, ok := newPattern(line); ok {
			r.patterns = append(r.patterns, p)
		}
	}
	return r
}

// match applies the last pattern that matches a path. It returns matched = false if none does.
func (r *rules) match(rel string, isDir bool) (ignored, matched bool) {
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

// excludesNamed is excludesFile for a path that may be a directory.
func (r *rules) excludesNamed(rel string, isDir bool) bool {
	ignored, _ := r.match(rel, true)
	return isDir && ignored || r.excludesFile(rel)
}

// excludesFile reports whether a file or a directory above it is excluded.
func (r *rules) excludesFile(rel string) bool {
	for i, c := range rel {
		if c == '/' {
			if ignored, _ := r.match(rel[:i], true); ignored {
				return true
			}
		}
	}
	ignored, _ := r.match(rel, false)
	return ignored
}

// ignoring decides which files a walk skips.
type ignoring struct {
	exclude *rules
	git     []*rules // of the directories from the root to the current one
	heed    bool     // apply .gitignore files
	open    func(rel string) (fs.File, error)
}

// excludes reports whether the walk skips a file or directory. Calls must follow the order of the
// walk, so that the .gitignore files of all parent directories have been read.
func (g *ignoring) excludes(rel string, isDir bool) bool {
	if ignored, _ := g.exclude.match(rel, isDir); ignored {
		return true
	}
	if !g.heed {
		return false
	}
	for _, r := range slices.Backward(g.git) {
		if ignored, matched := r.match(rel, isDir); matched && within(r.dir, rel) {
			return ignored
		}
	}
	return false
}

// within reports whether a path lies below a directory.
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
		return // there is no .gitignore
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
