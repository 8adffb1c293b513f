package simdb_test

import (
	"bytes"
	"fmt"
	"math"
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

// What docs/platforms.md says of the modules that a program links, and of the size of the
// binaries, is so.
func TestReadmeStatesWhatIsLinked(t *testing.T) {
	readme, err := os.ReadFile("docs/platforms.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ row, folder, pkg string }{
		{"a program that imports the package", "examples", "./checkin"},
		{"the command", ".", "./cmd/simdb"},
	} {
		row := regexp.MustCompile(`(?m)^\| ` + tt.row + ` \| (\d+) \| (\d+) MB \|$`).FindStringSubmatch(string(readme))
		if row == nil {
			t.Errorf("docs/platforms.md has no row for %s", tt.row)
			continue
		}
		if got := strconv.Itoa(modulesLinked(t, tt.folder, tt.pkg)); got != row[1] {
			t.Errorf("%s links %s modules of others, docs/platforms.md says %s", tt.row, got, row[1])
		}
		if testing.Short() || runtime.GOOS+"/"+runtime.GOARCH != "linux/amd64" {
			t.Logf("the size is that on linux/amd64, and not measured with -short")
			continue
		}
		// Go releases differ by some per cent.
		stated, err := strconv.ParseFloat(row[2], 64)
		if got := megabytes(t, tt.folder, tt.pkg); err != nil || math.Abs(got-stated) > max(1, stated/10) {
			t.Errorf("%s has %.1f MB, docs/platforms.md says %s", tt.row, got, row[2])
		}
	}
}

// modulesLinked counts the modules of others that a package links on linux/amd64.
func modulesLinked(t *testing.T, folder, pkg string) int {
	t.Helper()
	out := goOn(t, folder, "list", "-deps", "-f", "{{with .Module}}{{if .Version}}{{.Path}}{{end}}{{end}}", pkg)
	modules := strings.Fields(out)
	slices.Sort(modules)
	modules = slices.Compact(modules)
	return len(slices.DeleteFunc(modules, func(m string) bool { return strings.HasPrefix(m, modulePath) }))
}

// megabytes builds a package as a release does, but for -trimpath, which would
// compile everything anew.
func megabytes(t *testing.T, folder, pkg string) float64 {
	t.Helper()
	name := filepath.Join(t.TempDir(), "binary")
	goOn(t, folder, "build", "-ldflags=-s -w", "-o", name, pkg)
	info, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	return float64(info.Size()) / 1e6
}

func goOn(t *testing.T, folder string, args ...string) string {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0")
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go %s in %s: %v\n%s", args[0], folder, err, errs.String())
	}
	return string(out)
}

// The platforms and Go releases are the same in all places that name them.
func TestPlatformsAgree(t *testing.T) {
	read := func(name string) string {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	find := func(name, pattern string) string {
		m := regexp.MustCompile(pattern).FindStringSubmatch(read(name))
		if m == nil {
			t.Fatalf("%s has no %s", name, pattern)
		}
		return m[1]
	}
	var want []string
	for goos := range strings.SplitSeq(find(".goreleaser.yaml", `goos: \[(.*)\]`), ", ") {
		for goarch := range strings.SplitSeq(find(".goreleaser.yaml", `goarch: \[(.*)\]`), ", ") {
			want = append(want, goos+"/"+goarch)
		}
	}
	if got := strings.Fields(find("Makefile", `(?m)^PLATFORMS := (.*)$`)); !slices.Equal(got, want) {
		t.Errorf("make cross takes %q, a release %q", got, want)
	}
	var got []string
	for _, m := range regexp.MustCompile(`"(\w+/\w+)"`).FindAllStringSubmatch(find("tools/notices/modules.go", `(?s)var platforms = \[\]string\{(.*?)\}`), -1) {
		got = append(got, m[1])
	}
	if !slices.Equal(got, want) {
		t.Errorf("the notices are of %q, a release of %q", got, want)
	}
	release := find("go.mod", `(?m)^go (\d+\.\d+)`)
	for _, name := range []string{"README.md", "CONTRIBUTING.md"} {
		if !strings.Contains(read(name), "Go "+release) {
			t.Errorf("%s does not name Go %s", name, release)
		}
	}
	if want := fmt.Sprintf(`go: ["%s", stable]`, release); !strings.Contains(read(".github/workflows/test.yml"), want) {
		t.Errorf("test.yml does not have %s", want)
	}
}

// The workflows take the work of others by its commit: a tag could be moved.
func TestWorkflowsPinActions(t *testing.T) {
	names, err := filepath.Glob(".github/workflows/*.yml")
	if err != nil || len(names) == 0 {
		t.Fatal("no workflows", err)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`uses: (.*)`).FindAllStringSubmatch(string(text), -1) {
			if !regexp.MustCompile(`^[\w.-]+/[\w.-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$`).MatchString(m[1]) {
				t.Errorf("%s: %s is not pinned to a commit, with its version behind", name, m[1])
			}
		}
	}
}
