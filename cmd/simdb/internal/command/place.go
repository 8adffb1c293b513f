package command

// The files that commands write.

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/simdb/simdb/cmd/simdb/internal/exit"
	"github.com/simdb/simdb/cmd/simdb/internal/output"
)

// Writable returns an error if the file of a flag cannot be written: its folder is missing, it lies in
// a database, or it is part of the input, which it would replace. A command calls it before it works.
func Writable(flag, path string, input []string) error {
	shown := flag + " " + output.EscapeControls(path)
	if err := OutsideDatabases("the file of "+flag, path); err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		if dir := filepath.Dir(filepath.Clean(path)); !isFolder(dir) {
			return exit.Failf(exit.Unavailable, "%s: there is no folder %s; make it, or name another", shown, output.EscapeControls(dir))
		}
		return nil
	}
	if info.IsDir() {
		return exit.Failf(exit.Rejected, "%s is a folder; name a file in it", shown)
	}
	for _, in := range input {
		if contains(in, path, info) {
			return exit.Failf(exit.Rejected, "%s is part of the input, and would be replaced; name another file%s", shown, map[bool]string{true: " outside of " + output.EscapeControls(in)}[isFolder(in)])
		}
	}
	return nil
}

// contains reports whether an input is an existing file, or a folder around it.
func contains(in, path string, info os.FileInfo) bool {
	of, err := os.Stat(in)
	if err != nil || !of.IsDir() {
		return err == nil && os.SameFile(of, info)
	}
	for path, err = filepath.EvalSymlinks(path); err == nil; path = filepath.Dir(path) {
		if path, err = filepath.Abs(path); err != nil {
			break
		}
		if up, err := os.Stat(path); err == nil && os.SameFile(of, up) {
			return true
		}
		if path == filepath.Dir(path) {
			break
		}
	}
	return false
}

// isFolder reports whether a path is an existing folder.
func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// Discard closes a file after a failure and removes it, unless it is a device or a pipe.
func Discard(f *os.File) error {
	info, err := f.Stat()
	if err = errors.Join(err, f.Close()); err != nil || !info.Mode().IsRegular() {
		return err
	}
	return os.Remove(f.Name())
}

// WriteFile writes a file. A failure leaves none.
func WriteFile(path string, write func(io.Writer) error) (err error) {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if err = write(f); err != nil {
		return errors.Join(err, Discard(f))
	}
	return f.Close()
}

// TempDir creates a folder for a temporary database, which the caller removes.
func TempDir() (string, error) {
	dir, err := os.MkdirTemp("", "simdb-")
	if err == nil {
		return dir, nil
	}
	return "", &exit.Error{Code: exit.CodeOf(err), Err: err, Message: fmt.Sprintf("there is no room for temporary files: %v; set TMPDIR to a folder that can be written", err)}
}

// InTempDir adds the remedy to an error of a temporary database.
func InTempDir(err error) error {
	if !exit.DiskFull(err) {
		return err
	}
	return &exit.Error{Code: exit.Rejected, Err: err, Message: fmt.Sprintf("no space is left in %s for a temporary database of the files; set TMPDIR to a folder with more space", os.TempDir())}
}
