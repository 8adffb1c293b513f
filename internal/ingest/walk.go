package ingest

// Walking a directory, also on behalf of a glob. A named path may be a symbolic link; links below
// it are not followed.

import (
	"context"
	"errors"
	"io/fs"
	"os"
	slashpath "path"
	"path/filepath"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

const symbolicLink = "symbolic link"

// walk calls visit for everything below a directory except directories, sorted by name within each
// directory. For an unreadable directory it calls visit with the error. rel is slash-separated and
// relative to the directory; path is for messages and for opening. A glob restricts the walk to
// matches and to links to directories that might contain matches. walk ends with ctx.
func walk(ctx context.Context, in input, visit func(path, rel string, d fs.DirEntry, err error) error) error {
	skip, done, err := in.ignoring()
	if err != nil {
		return visit(in.path, "", nil, err)
	}
	defer done()
	step := func(path, rel string, d fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			return visit(path, rel, d, err)
		case d.IsDir() && rel == ".":
			skip.enter(rel)
			return nil
		case d.IsDir():
			if !in.mayHold(rel) || d.Name() == ".git" || in.fsys == nil && IsStore(path) || skip.excludes(rel, true) {
				return fs.SkipDir
			}
			skip.enter(rel)
			return nil
		case skip.excludes(rel, false):
			return nil
		// A link to a directory may hide matches, so it is rejected visibly, not skipped.
		case in.takes(rel), d.Type()&fs.ModeSymlink != 0 && in.mayHold(rel) && in.fsys == nil && leadsToDir(path):
			return visit(path, rel, d, nil)
		}
		return nil
	}
	root := filepath.FromSlash(in.path)
	// Messages show paths below the named path, not below the target of a link.
	below := func(path string, d fs.DirEntry, err error) error {
		rel, relErr := filepath.Rel(root, filepath.FromSlash(path))
		if relErr != nil {
			return relErr
		}
		if in.fsys == nil {
			path = filepath.Join(in.path, rel)
		}
		return step(path, filepath.ToSlash(rel), d, err)
	}
	if in.fsys != nil {
		return fs.WalkDir(in.fsys, in.path, below)
	}
	if root, err = filepath.EvalSymlinks(in.path); err != nil { // WalkDir does not follow a link, not even a named one
		return visit(in.path, "", nil, err)
	}
	return filepath.WalkDir(root, below)
}

// ignoring returns the exclusion rules of a walk. Call done after it.
func (in input) ignoring() (g *ignoring, done func() error, err error) {
	g = &ignoring{exclude: in.exclude, heed: in.gitIgnore}
	if g.exclude == nil {
		g.exclude = newRules("", nil)
	}
	if !in.gitIgnore {
		return g, func() error { return nil }, nil
	}
	g.open, done, err = in.opener()
	return g, done, err
}

// isSkippedDir reports whether a directory is always skipped.
func isSkippedDir(dir string) bool { return filepath.Base(dir) == ".git" || IsStore(dir) }

// takes reports whether the walk includes a file.
func (in input) takes(rel string) bool {
	return in.glob == "" || doublestar.MatchUnvalidated(in.glob, rel)
}

// mayHold reports whether a directory may contain files to read. Alternatives of a glob may contain
// slashes; with alternatives every directory may.
func (in input) mayHold(dir string) bool {
	if in.glob == "" || strings.Contains(in.glob, "{") {
		return true
	}
	glob := in.glob
	for more := true; more; {
		var pattern, name string
		var deeper bool
		pattern, glob, deeper = strings.Cut(glob, "/")
		name, dir, more = strings.Cut(dir, "/")
		if pattern == "**" {
			return true
		}
		if !deeper || !doublestar.MatchUnvalidated(pattern, name) {
			return false
		}
	}
	return true
}

// leadsToDir reports whether a link leads to a directory or into a cycle.
func leadsToDir(path string) bool {
	info, err := os.Stat(path)
	return err != nil && !errors.Is(err, fs.ErrNotExist) || err == nil && info.IsDir()
}

// readDir reads a directory recursively, or the files that match a glob. It opens files through an
// os.Root, so that it reads nothing outside even if a directory is concurrently replaced by a
// symbolic link.
func (r *reader) readDir(in input) error {
	open, done, err := in.opener()
	if err != nil {
		return r.reject(1, in.path, 0, cause(err)) // it was there when we looked
	}
	defer done()
	return walk(r.ctx, in, func(path, rel string, d fs.DirEntry, err error) error {
		r.at.file, r.at.entry = rel, 0
		r.trail.enterFile(rel, stampIn(d))
		switch {
		case r.at.compareFile(r.after) < 0:
			return r.ctx.Err()
		case err != nil:
			return r.reject(1, path, 0, cause(err))
		case d.Type()&fs.ModeSymlink != 0:
			return r.reject(1, path, 0, symbolicLink)
		case !d.Type().IsRegular():
			return r.reject(1, path, 0, notRegular)
		case dovecotFiles.MatchString(d.Name()):
			return r.reject(1, path, 0, kindReason("mail index", ""))
		}
		var taken *File
		if r.o.Take != nil {
			if taken, err = r.take(rel, d); taken == nil {
				return err
			}
		}
		f, err := open(rel)
		if err != nil {
			return r.reject(1, path, 0, cause(err))
		}
		defer f.Close()
		return r.readFile(f, stream{source: path, path: slashpath.Join(in.at, rel), name: rel, taken: taken})
	})
}

// take calls Options.Take. It returns nil for a file that is not read.
func (r *reader) take(rel string, d fs.DirEntry) (*File, error) {
	info, err := d.Info()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil // deleted since its directory was read
	}
	if err != nil {
		return nil, err
	}
	f := &File{Rel: rel, Size: info.Size(), Time: info.ModTime()}
	if ok, err := r.o.Take(*f); !ok || err != nil {
		return nil, err
	}
	return f, nil
}

// opener returns a function that opens files below a directory.
func (in input) opener() (open func(rel string) (fs.File, error), done func() error, err error) {
	if in.fsys != nil {
		open = func(rel string) (fs.File, error) { return in.fsys.Open(slashpath.Join(in.path, rel)) }
		return open, func() error { return nil }, nil
	}
	root, err := os.OpenRoot(in.path)
	if err != nil {
		return nil, nil, err
	}
	return func(rel string) (fs.File, error) { return root.Open(filepath.FromSlash(rel)) }, root.Close, nil
}

// stampIn returns the stamp of a visited file. An unreadable directory has none.
func stampIn(d fs.DirEntry) uint64 {
	if d == nil || d.IsDir() {
		return 0
	}
	info, err := d.Info()
	if err != nil {
		return 0
	}
	return stampOf(info)
}

// cause returns the message of an error without the path, which a Reject has in its own field.
func cause(err error) string {
	if pathError, ok := errors.AsType[*fs.PathError](err); ok {
		return pathError.Err.Error()
	}
	return err.Error()
}
