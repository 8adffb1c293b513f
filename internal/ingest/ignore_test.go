package ingest

// Exclusion of files, compared with git itself.

import (
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestExclude(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a.txt", "a.log", "build/b.txt", "docs/build/c.txt", "docs/keep.log", "docs/d.txt", "{x}.txt"} {
		write(t, filepath.Join(dir, name), "x")
	}
	write(t, filepath.Join(dir, "t.tar"), tarOf(t, "a.log", "x", "build/b", "y", "c", "z"))
	for _, tt := range []struct {
		exclude []string
		want    string
	}{
		{nil, "a.log a.txt build/b.txt docs/build/c.txt docs/d.txt docs/keep.log t.tar/a.log t.tar/build/b t.tar/c {x}.txt"},
		{[]string{"*.log", "!keep.log"}, "a.txt build/b.txt docs/build/c.txt docs/d.txt docs/keep.log t.tar/build/b t.tar/c {x}.txt"},
		{[]string{"build/"}, "a.log a.txt docs/d.txt docs/keep.log t.tar/a.log t.tar/c {x}.txt"},
		{[]string{"/build", "*.tar", "{x}.txt"}, "a.log a.txt docs/build/c.txt docs/d.txt docs/keep.log"},
		{[]string{"*", "!*/", "!*.txt"}, "a.txt build/b.txt docs/build/c.txt docs/d.txt {x}.txt"},
	} {
		docs, rejects := readAll(t, Options{Exclude: tt.exclude}, dir).ids()
		if got := strings.Join(docs, " "); got != tt.want || len(rejects) > 0 {
			t.Errorf("without %q: %s, rejected %q, want %s", tt.exclude, got, rejects, tt.want)
		}
	}
	// Matching paths among several named paths are skipped too.
	docs, _ := readAll(t, Options{Exclude: []string{"build", "*.log"}}, filepath.Join(dir, "a.txt"), filepath.Join(dir, "a.log"), filepath.Join(dir, "build")).ids()
	if !slices.Equal(docs, []string{"a.txt"}) {
		t.Errorf("of several paths %q are read", docs)
	}
}

// On random files and patterns, an import skips exactly the files that git ignores. (The pattern ?
// matches a character here and a byte in git.)
func TestGitIgnoreIsGits(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not there: ", err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	names := []string{"a", "b", "ab", "a.txt", "b.log", "c d", "[x]", "éa"}
	lines := []string{"a", "b/", "/a", "*.txt", "!a.txt", "a/b", "**/b", "a/**", "a/**/b", "*", "!*/", "!b", "# a", "", "[ab]", "[!a]", "a*", "?", `\\[x]`, "c d", "c d ", "/b/*", "!/b/a", "éa", "*.log\r", "a/", "!a/", "b/**/"}
	for try := range 60 {
		dir := t.TempDir()
		if out, err := exec.Command("git", "-C", dir, "init", "-q").CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		path := func() string {
			var parts []string
			for range 1 + random.IntN(3) {
				parts = append(parts, names[random.IntN(len(names))])
			}
			return strings.Join(parts, "/")
		}
		var files, said []string
		for range 25 {
			p := path()
			if !slices.ContainsFunc(files, func(f string) bool { return f == p || strings.HasPrefix(f, p+"/") || strings.HasPrefix(p, f+"/") }) {
				files = append(files, p)
				write(t, filepath.Join(dir, filepath.FromSlash(p)), "x")
			}
		}
		for _, at := range []string{"", filepath.Dir(files[0]), filepath.Dir(files[len(files)-1])} {
			var b strings.Builder
			for range 1 + random.IntN(4) {
				b.WriteString(lines[random.IntN(len(lines))] + "\n")
			}
			write(t, filepath.Join(dir, at, ".gitignore"), b.String())
			said = append(said, at+": "+b.String())
		}
		cmd := exec.Command("git", "-C", dir, "-c", "core.quotePath=false", "ls-files", "-z", "--others", "--exclude-standard")
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		want := strings.Split(strings.Trim(string(out), "\x00"), "\x00")
		slices.Sort(want)
		want = slices.DeleteFunc(want, func(s string) bool { return s == "" })
		got, rejects := readAll(t, Options{GitIgnore: true}, dir).ids()
		slices.Sort(got)
		if !slices.Equal(got, want) || len(rejects) > 0 {
			t.Fatalf("try %d: read %q, git has %q (rejects %q) with %q", try, got, want, rejects, said)
		}
	}
}

// A .gitignore that is missing or a directory has no effect.
func TestNoGitIgnore(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, ".gitignore", "x"), "x")
	if docs, _ := readAll(t, Options{GitIgnore: true}, dir).ids(); !slices.Equal(docs, []string{".gitignore/x"}) {
		t.Errorf("%q are read", docs)
	}
}
