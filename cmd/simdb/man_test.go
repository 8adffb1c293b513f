package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/simdb/simdb/cmd/simdb/internal/exit"
)

// commands returns a command and all below it.
func commands(cmd *cobra.Command) []*cobra.Command {
	all := []*cobra.Command{cmd}
	for _, c := range cmd.Commands() {
		all = append(all, commands(c)...)
	}
	return all
}

// Every command that is shown has a page, which shows all that its help shows.
func TestManPages(t *testing.T) {
	dir := t.TempDir()
	root := newRoot()
	if err := writePages(dir, root); err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, c := range commands(root) {
		if c.Hidden {
			continue
		}
		want = append(want, pageName(c)+".1")
		page, err := os.ReadFile(filepath.Join(dir, pageName(c)+".1"))
		if err != nil {
			t.Error(err)
			continue
		}
		plain := unroff(t, string(page))
		for _, text := range []string{c.Short, c.Long, c.Example} {
			for line := range strings.Lines(text) {
				if line := strings.TrimSpace(line); !strings.Contains(plain, line) {
					t.Errorf("the page of %s lacks %q", c.CommandPath(), line)
				}
			}
		}
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if !strings.Contains(plain, "--"+f.Name) || !strings.Contains(plain, strings.ReplaceAll(f.Usage, "`", "")) {
				t.Errorf("the page of %s lacks the flag --%s", c.CommandPath(), f.Name)
			}
		})
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("the pages are %q, want %q", got, want)
	}
}

var (
	roffMacro  = regexp.MustCompile(`(?m)^[.'].*$`)
	roffFont   = regexp.MustCompile(`\\f[BIP]`)
	knownMacro = regexp.MustCompile(`^\.(TH [^ ]+ 1 "" "[^"]+" "[^"]+"|S[HS] [A-Za-z ]+|TP|PP|RS 2|RE|nf|fi)$`)
	roffBack   = strings.NewReplacer(`\e`, `\`, `\-`, "-", `\(aq`, "'", `\(ga`, "`", `\(ha`, "^", `\(ti`, "~", `\&`, "")
)

// unroff returns what a page shows, and fails where it holds a request that we do
// not write: that would be text which roff takes for one.
func unroff(t *testing.T, page string) string {
	t.Helper()
	for _, request := range roffMacro.FindAllString(page, -1) {
		if !knownMacro.MatchString(request) {
			t.Errorf("%q is taken for a request", request)
		}
	}
	return roffBack.Replace(roffFont.ReplaceAllString(page, ""))
}

func TestRoffText(t *testing.T) {
	for in, want := range map[string]string{
		"":                "",
		".help lists":     `\&.help lists`,
		"so\n.bail\n'a'":  "so\n\\&.bail\n\\(aqa\\(aq",
		`--in C:\texts ~`: `\-\-in C:\etexts \(ti`,
		"a `b` ^c é …":    "a \\(gab\\(ga \\(hac é …",
		"a.b":             "a.b",
	} {
		if got := roffText(in); got != want {
			t.Errorf("roffText(%q) = %q, want %q", in, got, want)
		}
	}
}

// groff, where it is installed, sees nothing wrong in the pages.
func TestManPagesByGroff(t *testing.T) {
	groff, err := exec.LookPath("groff")
	if err != nil {
		t.Skipf("groff is not installed: %v", err)
	}
	for _, c := range commands(newRoot()) {
		cmd := exec.Command(groff, "-man", "-ww", "-Kutf8", "-Tutf8", "-z")
		cmd.Stdin = strings.NewReader(manPage(c))
		if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("groff on the page of %s: %v\n%s", c.CommandPath(), err, out)
		}
	}
}

// docs/commands.md lists the exit codes of the manual.
func TestExitMeaningsAreDocumented(t *testing.T) {
	docs, err := os.ReadFile("../../docs/commands.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := regexp.MustCompile(`(?m)^\| \d+ \| .* \|$`).FindAllString(strings.ReplaceAll(string(docs), "`", ""), -1)
	var want []string
	for _, e := range exit.Meanings {
		want = append(want, fmt.Sprintf("| %d | %s |", e.Code, e.Means))
	}
	if !slices.Equal(rows, want) {
		t.Errorf("docs/commands.md has the exit codes\n%s\nwant\n%s", strings.Join(rows, "\n"), strings.Join(want, "\n"))
	}
}
