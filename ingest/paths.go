package ingest

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// input is one named path, after globs are expanded.
type input struct {
	path  string
	id    string // of the document, if the path turns out to be one
	stdin bool
	mode  fs.FileMode // type bits, symbolic links followed
	size  int64
}

const notRegular = "not a regular file"

// Check fails as Read would on paths that are not there, or may not be read.
func Check(paths []string) error {
	_, err := resolve(paths)
	return err
}

// resolve finds what the paths name, and fails on the first that is not there
// or may not be read: a mistyped path must not end a long import half-way.
func resolve(paths []string) ([]input, error) {
	var inputs []input
	for _, path := range paths {
		more, err := resolvePath(path)
		if err != nil {
			return nil, fmt.Errorf("ingest: %w", err)
		}
		inputs = append(inputs, more...)
	}
	stdin := func(in input) bool { return in.stdin }
	if first := slices.IndexFunc(inputs, stdin); first >= 0 && slices.ContainsFunc(inputs[first+1:], stdin) {
		return nil, errors.New("ingest: standard input (-) is named twice")
	}
	return inputs, nil
}

func resolvePath(path string) ([]input, error) {
	if path == "-" {
		return []input{{path: "-", id: "stdin", stdin: true}}, nil
	}
	in, err := stat(path, filepath.Base(path))
	if err == nil {
		return []input{in}, nil
	}
	if !errors.Is(err, fs.ErrNotExist) || !strings.ContainsAny(path, "*?[{") {
		return nil, err
	}
	return expand(path)
}

// stat describes a path. Opening it is the only sure test of permission, but
// a FIFO would wait for a writer, so only files and directories are opened.
func stat(path, name string) (input, error) {
	info, err := os.Stat(path)
	if err != nil {
		return input{}, err
	}
	in := input{path: path, id: trimCompression(name), mode: info.Mode().Type(), size: info.Size()}
	if in.mode.IsRegular() || in.mode.IsDir() {
		f, err := os.Open(path)
		if err != nil {
			return input{}, err
		}
		f.Close()
	}
	return in, nil
}

// expand finds the files that a glob matches, in the order of their names.
// Directories are left out, or "**" would bring each file once for every
// directory above it.
func expand(pattern string) ([]input, error) {
	matches, err := doublestar.FilepathGlob(pattern,
		doublestar.WithFilesOnly(), doublestar.WithNoFollow(), doublestar.WithFailOnIOErrors())
	if err != nil {
		return nil, fmt.Errorf("glob %s: %w", pattern, err)
	}
	if len(matches) == 0 {
		return nil, &fs.PathError{Op: "glob", Path: pattern, Err: fs.ErrNotExist}
	}
	slices.Sort(matches)
	base, _ := doublestar.SplitPattern(filepath.ToSlash(pattern))
	var inputs []input
	for _, match := range matches {
		rel, err := filepath.Rel(filepath.FromSlash(base), match)
		if err != nil {
			return nil, err
		}
		in, err := stat(match, filepath.ToSlash(rel))
		if err != nil {
			return nil, err
		}
		inputs = append(inputs, in)
	}
	return inputs, nil
}

// totalBytes sums the sizes of all files to be read, 0 if that cannot be known.
func totalBytes(inputs []input) int64 {
	var total int64
	for _, in := range inputs {
		switch {
		case in.stdin:
			return 0
		case in.mode.IsRegular():
			total += in.size
		case in.mode.IsDir():
			walk(in.path, func(_, _ string, d fs.DirEntry, err error) error {
				if err != nil || !d.Type().IsRegular() {
					return nil
				}
				if info, err := d.Info(); err == nil {
					total += info.Size()
				}
				return nil
			})
		}
	}
	return total
}
