package simdb_test

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The documents show only what works: in README.md, docs/*.md and
// docs/guide/*.md
//
//   - every ```console block is run: lines after "$ " are commands, which must
//     succeed, the others what they print; "…" stands for any text, a line of
//     its own for any lines, and runs of blanks count as one;
//   - every ```go block that is a whole program is run, and prints what stands
//     under its last "// Output:";
//   - every ```python block is run, and prints what stands under its last
//     "# Output:"; one that begins with "# NAME.py" is kept under that name for the others;
//   - every ```sql block of README.md is run on the store the README makes.
//
// "<!-- not run: reason -->" on the line before a block leaves it out. All of
// it happens in a copy of the project.
func TestDocuments(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and runs a copy of the project: left out with -short")
	}
	if _, err := exec.LookPath("sh"); err != nil || runtime.GOOS == "windows" {
		t.Skipf("the commands of the documents are those of a Unix shell: %v", err)
	}
	dir := copyProject(t)
	t.Cleanup(func() { endServers(t, dir) })
	w := &docWorld{dir: dir, env: docEnv(t, dir)}
	w.run(t, "go build ./cmd/simdb")
	names, err := filepath.Glob("docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	guide, err := filepath.Glob("docs/guide/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range slices.Concat([]string{"README.md"}, names, guide) {
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			for _, b := range docBlocks(string(text)) {
				w.check(t, name, b)
			}
		})
	}
}

// docBlock is a fenced block of a document.
type docBlock struct {
	kind, text string
	notRun     string // the reason, where it is left out
}

var (
	docFence  = regexp.MustCompile("(?ms)((?:^<!-- not run: [^\n]*-->\n)?)^```(\\w+)\n(.*?)^```$")
	docNotRun = regexp.MustCompile(`<!-- not run: (.*?) *-->`)
)

func docBlocks(text string) []docBlock {
	var blocks []docBlock
	for _, m := range docFence.FindAllStringSubmatch(text, -1) {
		b := docBlock{kind: m[2], text: m[3]}
		if reason := docNotRun.FindStringSubmatch(m[1]); reason != nil {
			b.notRun = reason[1]
		}
		blocks = append(blocks, b)
	}
	return blocks
}

// docWorld is the copy of the project in which commands are run.
type docWorld struct {
	dir string
	env []string
}

func (w *docWorld) check(t *testing.T, name string, b docBlock) {
	t.Helper()
	switch {
	case b.notRun != "":
		b.skip(t, b.notRun)
	case b.kind == "console" && strings.Contains(b.text, "curl ") && missing("curl"):
		b.skip(t, "curl is not installed")
	case b.kind == "console" && strings.Contains(b.text, "duckdb ") && missing("duckdb"):
		b.skip(t, "duckdb is not installed")
	case b.kind == "python" && missing("python3"):
		b.skip(t, "python3 is not installed")
	case b.kind == "python":
		w.checkPython(t, name, b.text)
	case b.kind == "console":
		for _, c := range docCommands(b.text) {
			if got := w.run(t, c.command); c.want != "" && !docMatches(got, c.want) {
				t.Errorf("%s: $ %s\nprints\n%s\nwant\n%s", name, c.command, got, c.want)
			}
		}
	case b.kind == "go" && strings.HasPrefix(b.text, "package main"):
		w.checkProgram(t, name, b.text)
	case b.kind == "sql" && name == "README.md":
		w.run(t, "./simdb query demo.simdb '"+strings.ReplaceAll(b.text, "'", `'\''`)+"'")
	}
}

// skip counts the block among the skipped tests.
func (b docBlock) skip(t *testing.T, reason string) {
	t.Helper()
	t.Run("block", func(t *testing.T) {
		t.Log(b.text)
		t.Skipf("a block of the documents is not run: %s", reason)
	})
}

func missing(command string) bool {
	_, err := exec.LookPath(command)
	return err != nil
}

// endServers ends what a document has begun and not ended, because a command failed.
func endServers(t *testing.T, dir string) {
	b, err := os.ReadFile(filepath.Join(dir, "serve.pid"))
	if err != nil {
		return
	}
	if pid, err := strconv.Atoi(strings.TrimSpace(string(b))); err == nil {
		if p, err := os.FindProcess(pid); err == nil && p.Kill() == nil {
			t.Logf("ended the server %d", pid)
		}
	}
}

var docModule = regexp.MustCompile(`^# (\w+\.py)\n`)

// checkPython runs a program in Python, or keeps it for others.
func (w *docWorld) checkPython(t *testing.T, name, program string) {
	t.Helper()
	file := "recipe.py"
	m := docModule.FindStringSubmatch(program)
	if m != nil {
		file = m[1]
	}
	if err := os.WriteFile(filepath.Join(w.dir, file), []byte(program), 0o644); err != nil {
		t.Fatal(err)
	}
	if m != nil {
		return
	}
	_, output, found := strings.Cut(program, "# Output:\n")
	if !found {
		t.Fatalf("%s: the recipe does not say what it prints under # Output:\n%s", name, program)
	}
	want := strings.ReplaceAll("\n"+output, "\n# ", "\n")[1:]
	if got := w.run(t, "python3 "+file); !docMatches(got, want) {
		t.Errorf("%s: the recipe\n%s\nprints\n%s\nwant\n%s", name, program, got, want)
	}
}

func (w *docWorld) checkProgram(t *testing.T, name, program string) {
	t.Helper()
	dir := filepath.Join(w.dir, "cmd", "program-of-the-docs")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(program), 0o644); err != nil {
		t.Fatal(err)
	}
	_, output, found := strings.Cut(program, "// Output:\n")
	if !found {
		t.Fatalf("%s: the program does not say what it prints under // Output:", name)
	}
	var want strings.Builder
	for line := range strings.Lines(output) {
		if line, ok := strings.CutPrefix(strings.TrimSpace(line), "//"); ok {
			want.WriteString(line + "\n")
		}
	}
	if got := w.run(t, "go run ./cmd/program-of-the-docs"); !docMatches(got, want.String()) {
		t.Errorf("%s: the program prints\n%s\nwant\n%s", name, got, want.String())
	}
}

// run runs a command line and returns what it printed.
func (w *docWorld) run(t *testing.T, command string) string {
	t.Helper()
	cmd := exec.Command("sh", "-c", command)
	cmd.Dir, cmd.Env = w.dir, w.env
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("$ %s\n%v\n%s%s", command, err, out.String(), errs.String())
	}
	if errs.Len() > 0 { // a command of a pipe may fail and the last one not
		t.Logf("$ %s\n%s", command, errs.String())
	}
	return out.String()
}

// docCommand is a command of a console block and what it is said to print.
type docCommand struct{ command, want string }

func docCommands(block string) []docCommand {
	var commands []docCommand
	for line := range strings.Lines(block) {
		if command, ok := strings.CutPrefix(line, "$ "); ok {
			commands = append(commands, docCommand{command: strings.TrimSpace(command)})
		} else if len(commands) > 0 {
			last := &commands[len(commands)-1]
			if strings.HasSuffix(last.command, `\`) {
				last.command += "\n" + strings.TrimSuffix(line, "\n")
			} else {
				last.want += line
			}
		}
	}
	return commands
}

var docBlanks = regexp.MustCompile(`[ \t]+`)

// docMatches reports whether the output is the one wanted, "…" being anything.
func docMatches(got, want string) bool {
	pattern := regexp.QuoteMeta(docTidy(want))
	pattern = strings.ReplaceAll(pattern, "\n…\n", "\n(?:.*\n)*?")
	pattern = strings.ReplaceAll(pattern, "…", ".*")
	return regexp.MustCompile("^" + pattern + "$").MatchString(docTidy(got))
}

// docTidy leaves one blank between words and none at the ends of lines.
func docTidy(s string) string {
	var tidy strings.Builder
	for line := range strings.Lines(s) {
		tidy.WriteString("\n" + strings.TrimSpace(docBlanks.ReplaceAllString(line, " ")))
	}
	return strings.TrimRight(tidy.String(), "\n") + "\n"
}

func TestDocMatches(t *testing.T) {
	tests := []struct {
		got, want string
		match     bool
	}{
		{"a  b\n", "a b\n", true},
		{"a b\n", "a c\n", false},
		{"a\nb\nc\nd\n", "a\n…\nd\n", true},
		{"a\nd\n", "a\n…\nd\n", true},
		{"a\nb\n", "a\n…\nd\n", false},
		{"in 12.3 s\n", "in … s\n", true},
		{"a.c\n", "abc\n", false},
		{"", "a\n", false},
		{"a\nb\n", "a\n", false},
	}
	for _, tt := range tests {
		if got := docMatches(tt.got, tt.want); got != tt.match {
			t.Errorf("docMatches(%q, %q) = %v, want %v", tt.got, tt.want, got, tt.match)
		}
	}
}

// CI runs the very command the README gives for the tests.
func TestCIRunsTheReadmesTests(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	ci, err := os.ReadFile(".ci/run")
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for _, b := range docBlocks(string(readme)) {
		if b.kind == "sh" && strings.Contains(b.text, "test") {
			found = true
			if want := "\nstep " + b.text; !strings.Contains(string(ci), want) {
				t.Errorf("README.md says %q, and .ci/run has no line %q", b.text, want)
			}
		}
	}
	if !found {
		t.Errorf("README.md has no sh block that runs the tests")
	}
}

// The figures of the README stand in bench/RESULTS.md, by the same name and number of documents.
func TestReadmeStatesTheResults(t *testing.T) {
	readme, results := figuresBySize(t, "README.md"), figuresBySize(t, "bench/RESULTS.md")
	if len(readme) < 10 {
		t.Errorf("README.md states %d figures", len(readme))
	}
	for what, figure := range readme {
		if results[what] != figure {
			t.Errorf("README.md says of %s that it is %s, bench/RESULTS.md says %q", what, figure, results[what])
		}
	}
}

// figuresBySize reads the table of a file whose columns are numbers of documents.
func figuresBySize(t *testing.T, name string) map[string]string {
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	figures := map[string]string{}
	var sizes []string
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.TrimSpace(line), " | ")
		switch {
		case cells[0] == "| what" && slices.Contains(cells, "100,000"):
			sizes = cells
		case !strings.HasPrefix(line, "|"):
			sizes = nil
		case len(cells) == len(sizes):
			for i := range cells[1:] {
				figures[cells[0]+", "+strings.Trim(sizes[i+1], "| ")] = strings.Trim(cells[i+1], "| ")
			}
		}
	}
	return figures
}

var docLink = regexp.MustCompile(`\]\(([^)#:]+)(?:#[^)]*)?\)`)

func TestDocumentLinks(t *testing.T) {
	names := []string{}
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/*/*.md"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, found...)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range docLink.FindAllStringSubmatch(string(text), -1) {
			if _, err := os.Stat(filepath.Join(filepath.Dir(name), m[1])); err != nil {
				t.Errorf("%s links to %s, which is not there", name, m[1])
			}
		}
	}
}

// copyProject copies the project, without what is no source, into
// "project" under a new folder.
func copyProject(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "project")
	err := filepath.WalkDir(".", func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		hidden := strings.HasPrefix(e.Name(), ".") && path != "."
		switch {
		case e.IsDir() && (hidden || strings.HasSuffix(path, ".simdb") || path == "bin"):
			return filepath.SkipDir
		case e.IsDir():
			return os.MkdirAll(filepath.Join(dir, path), 0o755)
		case hidden || !e.Type().IsRegular() || path == "simdb":
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(dir, path), data, 0o644)
	})
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// docEnv is the environment of the commands: a clean home, the caches of Go
// as they are, and the command on the path. -trimpath: what was compiled in one copy is as good in the next.
func docEnv(t *testing.T, dir string) []string {
	t.Helper()
	caches, err := exec.Command("go", "env", "GOMODCACHE", "GOCACHE", "GOPATH").Output()
	if err != nil {
		t.Fatal(err)
	}
	env := slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "XDG_") })
	lines := strings.Split(strings.TrimSpace(string(caches)), "\n")
	return append(env, "GOMODCACHE="+lines[0], "GOCACHE="+lines[1], "GOPATH="+lines[2], "CGO_ENABLED=0", "GOFLAGS="+strings.TrimSpace(os.Getenv("GOFLAGS")+" -trimpath"),
		"HOME="+t.TempDir(), "PATH="+dir+string(os.PathListSeparator)+os.Getenv("PATH"))
}
