package ingest

// The base of an import: file ids are paths below this directory. A file therefore has the same id
// whether its directory, a glob, the shell's expansion of the glob or a tar of the directory is
// imported.

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// place determines the base of an import and sets the paths of the inputs below it.
//
// The base of a single path is the directory itself, the fixed part of the glob, or the directory
// of the file. The base of several paths is the deepest directory that contains all of them, with
// globs represented by their fixed parts.
func place(inputs []input, several bool) error {
	var base string
	for i := range inputs {
		in := &inputs[i]
		if in.stdin {
			continue
		}
		abs, err := in.abs()
		if err != nil {
			return err
		}
		in.at = abs // absolute, until the base is known
		holder := filepath.Dir(abs)
		if in.glob != "" || !several && in.mode.IsDir() {
			holder = abs
		}
		base = cmp.Or(base, holder)
		base = commonDir(base, holder)
	}
	for i := range inputs {
		in := &inputs[i]
		if in.stdin {
			continue
		}
		rel, err := filepath.Rel(base, in.at)
		if err != nil { // on another volume
			rel = strings.Trim(strings.TrimPrefix(in.at, filepath.VolumeName(in.at)), `\/`)
		}
		in.at = ""
		if rel != "." {
			in.at = filepath.ToSlash(rel)
		}
	}
	return nil
}

// Base returns the directory that the ids of files are relative to, for paths that are no globs.
func Base(paths []string) (base string, err error) {
	paths = slices.DeleteFunc(slices.Clone(paths), func(path string) bool { return path == "-" })
	for _, path := range paths {
		holder, err := filepath.Abs(path)
		if err != nil {
			return "", err
		}
		if info, err := os.Stat(path); len(paths) > 1 || err != nil || !info.IsDir() {
			holder = filepath.Dir(holder)
		}
		base = commonDir(cmp.Or(base, holder), holder)
	}
	return base, nil
}

// abs returns the absolute path of the input, with the separators of the machine.
func (in input) abs() (string, error) {
	if in.fsys != nil {
		return filepath.FromSlash("/" + in.path), nil // clean: fs.Stat refuses other paths
	}
	return filepath.Abs(in.path)
}

// commonDir returns the deepest common directory of two absolute clean directories.
func commonDir(a, b string) string {
	for a != b && !strings.HasPrefix(b, strings.TrimSuffix(a, string(filepath.Separator))+string(filepath.Separator)) {
		parent := filepath.Dir(a)
		if parent == a {
			return a
		}
		a = parent
	}
	return a
}
