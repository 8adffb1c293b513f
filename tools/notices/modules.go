package main

// Which modules a command links: the union over the platforms of a release, since
// some modules serve one system only.

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// platforms are those of .goreleaser.yaml; a test compares them.
var platforms = []string{
	"darwin/amd64", "darwin/arm64", "freebsd/amd64", "freebsd/arm64",
	"linux/amd64", "linux/arm64", "windows/amd64", "windows/arm64",
}

// module is one that is linked.
type module struct {
	path, version, dir string
	folders            []string // of the packages that are linked
	files              []file   // licences and notices, sorted by name
}

// file is a licence or notice.
type file struct{ name, text string } // name is the path below the module

// linked returns the modules that a package links, without the one it is in,
// sorted by path. The first is Go itself.
func linked(project, pkg string) ([]module, error) {
	byPath := map[string]*module{}
	for _, platform := range platforms {
		goos, goarch, _ := strings.Cut(platform, "/")
		out, err := goCommand(project, []string{"GOOS=" + goos, "GOARCH=" + goarch, "CGO_ENABLED=0"},
			"list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}}\t{{.Version}}\t{{.Dir}}\t{{$.Dir}}{{end}}{{end}}", pkg)
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(out) {
			f := strings.Split(strings.TrimSpace(line), "\t")
			if len(f) != 4 {
				continue // the standard library, or the module itself
			}
			m := byPath[f[0]]
			if m == nil {
				m = &module{path: f[0], version: f[1], dir: f[2]}
				byPath[f[0]] = m
			}
			if !slices.Contains(m.folders, f[3]) {
				m.folders = append(m.folders, f[3])
			}
		}
	}
	root, err := goCommand(project, nil, "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	root = strings.TrimSpace(root)
	modules := []module{{path: "Go", version: "that of the build", dir: root, folders: []string{root}}}
	for _, path := range slices.Sorted(maps.Keys(byPath)) {
		modules = append(modules, *byPath[path])
	}
	return modules, nil
}

func goCommand(dir string, env []string, args ...string) (string, error) {
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("go %s: %w\n%s", args[0], err, errs.String())
	}
	return string(out), nil
}

// legal matches the names of files that tell who made something and who may use it.
var legal = regexp.MustCompile(`(?i)^(un)?(licen[cs]e|copying|notice|patents)([.-].*)?$`)

// noText matches what has to do with licences and is none: code, and the patterns by which a module knows them.
var noText = regexp.MustCompile(`(\.go|\.lre)$|^README`)

// read reads the licences and notices of a module: those of the packages that are
// linked, those of the folders above them, and those kept in a folder for them.
func (m *module) read() error {
	folders := []string{filepath.Join(m.dir, "licenses")}
	for _, f := range m.folders {
		for len(f) >= len(m.dir) && !slices.Contains(folders, f) {
			folders = append(folders, f)
			f = filepath.Dir(f)
		}
	}
	slices.Sort(folders)
	for _, folder := range folders {
		entries, err := os.ReadDir(folder)
		if os.IsNotExist(err) && filepath.Base(folder) == "licenses" {
			continue
		}
		if err != nil {
			return err
		}
		for _, e := range entries {
			if e.IsDir() || !legal.MatchString(e.Name()) && filepath.Base(folder) != "licenses" {
				continue
			}
			if noText.MatchString(e.Name()) {
				continue
			}
			text, err := os.ReadFile(filepath.Join(folder, e.Name()))
			if err != nil {
				return err
			}
			name, err := filepath.Rel(m.dir, filepath.Join(folder, e.Name()))
			if err != nil {
				return err
			}
			m.files = append(m.files, file{filepath.ToSlash(name), string(text)})
		}
	}
	slices.SortFunc(m.files, func(a, b file) int { return strings.Compare(a.name, b.name) })
	return nil
}
