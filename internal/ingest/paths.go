package ingest

// Resolution of the named paths: files, directories, globs and standard input. It precedes all
// reading, because a mistyped path must not end a long import half-way.

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	pathpkg "path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"github.com/bmatcuk/doublestar/v4"
)

// input is one named path.
type input struct {
	path    string // of a glob, the directory before its first wildcard
	glob    string // pattern below that directory, with slashes; "" for no glob
	at      string // path below the base of the import, with slashes; "" for the base itself
	several bool   // several paths are named: read this one like a file of a directory
	passed  bool   // skipped among several paths: a database, .git or excluded
	fsys    fs.FS  // nil for the file system of the machine
	stdin   bool
	mode    fs.FileMode // type bits; symbolic links are followed unless several is set
	size    int64
	stamp   uint64

	exclude   *rules // applies to files below it
	gitIgnore bool   // apply .gitignore files
}

const notRegular = "not a regular file"

// Check returns the error that Read would return for missing or unreadable paths.
func Check(ctx context.Context, paths []string) error {
	_, err := resolve(ctx, paths, Options{Stdin: strings.NewReader("")})
	return err
}

// ErrNoStdin is returned by Read for the path "-" without Options.Stdin.
var ErrNoStdin = errors.New("ingest: the path - is standard input, and there is none")

// resolve resolves the paths. It fails on the first missing or unreadable path.
func resolve(ctx context.Context, paths []string, o Options) ([]input, error) {
	var inputs []input
	// Standard input has no directory, so it does not count among several paths.
	several := len(slices.DeleteFunc(slices.Clone(paths), func(path string) bool { return path == "-" })) > 1
	for _, path := range paths {
		in, err := resolvePath(ctx, o.FS, path, several)
		if err != nil {
			return nil, fmt.Errorf("ingest: %w", err)
		}
		inputs = append(inputs, in)
	}
	stdin := func(in input) bool { return in.stdin }
	if first := slices.IndexFunc(inputs, stdin); first >= 0 && slices.ContainsFunc(inputs[first+1:], stdin) {
		return nil, errors.New("ingest: standard input (-) occurs twice")
	} else if first >= 0 && o.Stdin == nil {
		return nil, ErrNoStdin
	} else if first >= 0 {
		inputs[first].at = o.StdinName
	}
	err := place(inputs, several)
	exclude := newRules("", o.Exclude)
	for i := range inputs {
		in := &inputs[i]
		in.exclude, in.gitIgnore = exclude, o.GitIgnore
		if several && !in.stdin && err == nil {
			in.passed = in.passed || exclude.excludesNamed(in.at, in.mode.IsDir())
		}
	}
	return inputs, err
}

// resolvePath resolves one path. An existing file takes precedence over a glob.
func resolvePath(ctx context.Context, fsys fs.FS, path string, several bool) (input, error) {
	if path == "-" {
		return input{path: "-", stdin: true}, nil
	}
	in, err := stat(fsys, path, several)
	if err == nil || !absent(err) || !strings.ContainsAny(path, "*?[{") {
		return in, err
	}
	if in, err = expand(ctx, fsys, path); err != nil {
		return input{}, fmt.Errorf("glob %s: %w", path, err)
	}
	return in, nil
}

// absent reports whether an error means that no file has the name. Windows reports a glob as an
// invalid name.
func absent(err error) bool {
	const invalidName = syscall.Errno(123) // ERROR_INVALID_NAME
	return errors.Is(err, fs.ErrNotExist) || runtime.GOOS == "windows" && errors.Is(err, invalidName)
}

// stat describes a path. Only opening a file is a reliable test of permission, but opening a FIFO
// would wait for a writer, so stat opens only regular files and directories.
func stat(fsys fs.FS, path string, several bool) (input, error) {
	look := os.Stat
	if fsys != nil {
		look = func(path string) (fs.FileInfo, error) { return fs.Stat(fsys, path) }
	} else if several {
		look = os.Lstat
	}
	info, err := look(path)
	if err != nil {
		return input{}, err
	}
	in := input{path: path, fsys: fsys, several: several, mode: info.Mode().Type(), size: info.Size(), stamp: stampOf(info)}
	if fsys != nil {
		in.passed = several && in.mode.IsDir() && pathpkg.Base(path) == ".git"
		return in, nil
	}
	if several && in.mode.IsDir() && isSkippedDir(path) {
		in.passed = true
		return in, nil
	}
	if err := outsideStores(path); err != nil {
		return input{}, err
	}
	if in.mode.IsRegular() || in.mode.IsDir() {
		f, err := os.Open(path)
		if err != nil {
			return input{}, err
		}
		f.Close()
	}
	return in, nil
}

// expand resolves a glob to its directory, restricted to matching files, so that all rules of
// directories, for example about links, apply to globs too. A glob without matches is
// fs.ErrNotExist.
func expand(ctx context.Context, fsys fs.FS, pattern string) (input, error) {
	base, glob := doublestar.SplitPattern(filepath.ToSlash(pattern))
	if !doublestar.ValidatePattern(glob) {
		return input{}, doublestar.ErrBadPattern
	}
	if fsys == nil {
		base = filepath.FromSlash(base)
	}
	in, err := stat(fsys, base, false)
	switch {
	case err != nil:
		return input{}, err
	case !in.mode.IsDir():
		return input{}, syscall.ENOTDIR
	}
	in.glob = glob
	found := false
	walkErr := walk(ctx, in, func(string, string, fs.DirEntry, error) error {
		found = true
		return fs.SkipAll
	})
	if walkErr == nil && !found {
		walkErr = fs.ErrNotExist
	}
	return in, walkErr
}

// totalBytes returns the total size of all files to read, 0 if it is unknown.
func totalBytes(ctx context.Context, inputs []input) int64 {
	var total int64
	for _, in := range inputs {
		switch {
		case in.stdin:
			return 0
		case in.mode.IsRegular():
			total += in.size
		case in.mode.IsDir():
			walk(ctx, in, func(_, _ string, d fs.DirEntry, err error) error {
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
