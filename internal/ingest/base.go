package ingest

// The base of an import: the directory below which the paths of files become ids. So a
// file has one id, whether its directory is named, a glob that the import expands, the
// files that the shell has made of a glob, or a tar of the directory.

import (
	"cmp"
	"path/filepath"
	"strings"
)

// place finds the base of an import and gives the inputs their paths below it.
//
// The base is the directory that is the only path, or the fixed part of the glob that
// is, or the directory of the file that is. If there are several paths, it is the
// deepest directory that holds all of them, and what is fixed of their globs.
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
		in.at = abs // until the base is known
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
		if err != nil { // it is on another volume
			rel = strings.Trim(strings.TrimPrefix(in.at, filepath.VolumeName(in.at)), `\/`)
		}
		in.at = ""
		if rel != "." {
			in.at = filepath.ToSlash(rel)
		}
	}
	return nil
}

// abs returns where the input is, with the separators of the machine.
func (in input) abs() (string, error) {
	if in.fsys != nil {
		return filepath.FromSlash("/" + in.path), nil // clean, or fs.Stat had refused it
	}
	return filepath.Abs(in.path)
}

// commonDir returns the deepest directory that two absolute clean directories share.
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
