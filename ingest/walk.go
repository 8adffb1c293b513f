package ingest

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// walk calls visit for everything below a directory that is no directory
// itself, sorted by name in each directory, and for directories that cannot be
// read, with the error. rel is slash-separated and relative to dir, path is for
// messages and for opening.
func walk(dir string, visit func(path, rel string, d fs.DirEntry, err error) error) error {
	root, err := filepath.EvalSymlinks(dir) // WalkDir does not enter a link, not even a named one
	if err != nil {
		return visit(dir, "", nil, err)
	}
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		rel, relErr := filepath.Rel(root, path)
		if relErr != nil {
			return relErr
		}
		path, rel = filepath.Join(dir, rel), filepath.ToSlash(rel)
		switch {
		case err != nil:
			return visit(path, rel, d, err)
		case !d.IsDir():
			return visit(path, rel, d, nil)
		case d.Name() == ".git" && rel != ".":
			return fs.SkipDir
		}
		return nil
	})
}

// readDir reads a directory and all below it. Files are opened through an
// os.Root, so that nothing outside is read even if a directory is replaced by
// a symbolic link meanwhile.
func (r *reader) readDir(in input) error {
	root, err := os.OpenRoot(in.path)
	if err != nil {
		return r.reject(1, in.path, 0, cause(err)) // it was there when we looked
	}
	defer root.Close()
	return walk(in.path, func(path, rel string, d fs.DirEntry, err error) error {
		r.at.file, r.at.entry = rel, 0
		switch {
		case r.at.compareFile(r.after) < 0:
			return r.ctx.Err()
		case err != nil:
			return r.reject(1, path, 0, cause(err))
		case d.Type()&fs.ModeSymlink != 0:
			return r.reject(1, path, 0, "symbolic link")
		case !d.Type().IsRegular():
			return r.reject(1, path, 0, notRegular)
		}
		f, err := root.Open(filepath.FromSlash(rel))
		if err != nil {
			return r.reject(1, path, 0, cause(err))
		}
		defer f.Close()
		return r.readFile(f, stream{source: path, id: rel, name: rel})
	})
}

// cause is the message of an error without the path, which a Reject has in a
// field of its own.
func cause(err error) string {
	var pathError *fs.PathError
	if errors.As(err, &pathError) {
		return pathError.Err.Error()
	}
	return err.Error()
}
