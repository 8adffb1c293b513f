// Package content makes the test content of paper 002 and repeats its result
// list. Load turns a folder of control files into one with variants of known
// likeness; Results stores such a folder in simdb and tells which variants find
// their control. Files come in; files and a report go out.
package content

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/simdb/simdb/internal/report"
)

// maxBytes is the largest control file, packed or not. Read as Latin-1 it still
// is a text that simdb takes.
const maxBytes = 7 << 20

// ErrNotEmpty is returned for a folder to write into that holds something.
var ErrNotEmpty = errors.New("is not empty")

// Loader says which variants are made. The zero value makes those the paper
// names, and never writes into a folder that holds anything.
type Loader struct {
	Percents []int // each from 1 to 100, once or more; nil means 1, 5, 10 and 25
	Pack     bool  // also take each text as a control NAME.gz, compressed
	Force    bool  // write into a folder that is not empty, over files of the same names

	OnLeftOut func(name, why string) // called for each file that is not taken as a control
}

func (l Loader) percents() []int {
	if l.Percents == nil {
		return []int{1, 5, 10, 25}
	}
	return slices.Compact(slices.Sorted(slices.Values(l.Percents)))
}

// Load writes to out, for each control file NAME.EXT under dir, the file itself,
// its copy NAME_dup.EXT, and NAME_d_N.EXT and NAME_i_N.EXT with N % of it deleted
// or inserted; at least one character. Folders are kept. Texts change in
// passages, other files in bytes, gzip files inside. The same dir gives the same
// out, byte for byte.
//
// Left out, and told to OnLeftOut, are files over 7 MiB and whatever is no
// regular file: a symbolic link is not followed. Nothing is written outside of
// out, and nothing at all when two files would have one name or there is none.
// ErrNotEmpty when out holds something.
func (l Loader) Load(ctx context.Context, dir, out string, o report.Options) (err error) {
	for _, n := range l.percents() {
		if n < 1 || n > 100 {
			return fmt.Errorf("content: %d %% is not from 1 to 100", n)
		}
	}
	in, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("content: %w", err)
	}
	defer in.Close()
	if inside, err := isInside(out, dir); err != nil || inside {
		return errors.Join(err, fmt.Errorf("content: %s lies in %s, and would be read as control files; name a folder outside", out, dir))
	}
	files, err := l.planAll(ctx, in)
	if err != nil {
		return fmt.Errorf("content: %w", err)
	}
	if len(files) == 0 {
		return fmt.Errorf("content: %s holds no file to make variants of", dir)
	}
	to, err := l.openOut(out)
	if err != nil {
		return fmt.Errorf("content: %w", err)
	}
	defer to.Close()
	var content []byte
	for i, f := range files {
		if err := ctx.Err(); err != nil {
			return err
		}
		if i == 0 || files[i-1].control != f.control {
			o.Progressf("%s", f.control)
			if content, err = readFile(in, f.control); err != nil {
				return fmt.Errorf("content: %w", err)
			}
		}
		if err := writeFile(to, f.name, f.make(content)); err != nil {
			return fmt.Errorf("content: %w", err)
		}
	}
	return nil
}

// planAll lists what will be written, all variants of a control together.
func (l Loader) planAll(ctx context.Context, in *os.Root) (files []planned, err error) {
	err = fs.WalkDir(in.FS(), ".", func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case ctx.Err() != nil:
			return ctx.Err()
		case e.IsDir():
			return nil
		case !e.Type().IsRegular():
			l.leaveOut(name, "no regular file")
			return nil
		}
		content, err := readFile(in, name)
		if err != nil {
			return err
		}
		if len(content) > maxBytes {
			l.leaveOut(name, fmt.Sprintf("larger than %d MiB", maxBytes>>20))
			return nil
		}
		files = append(files, l.plan(name, content)...)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return files, unique(files)
}

func (l Loader) leaveOut(name, why string) {
	if l.OnLeftOut != nil {
		l.OnLeftOut(name, why)
	}
}

// openOut makes the folder to write into, which must be empty unless forced.
func (l Loader) openOut(out string) (*os.Root, error) {
	if err := os.MkdirAll(out, 0o755); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(out)
	if err != nil {
		return nil, err
	}
	if len(entries) > 0 && !l.Force {
		return nil, fmt.Errorf("%s %w", out, ErrNotEmpty)
	}
	return os.OpenRoot(out)
}

// isInside reports whether a path, which need not be there, is the folder or
// lies in it.
func isInside(name, folder string) (bool, error) {
	dir, err := os.Stat(folder)
	if err != nil {
		return false, err
	}
	if name, err = filepath.Abs(name); err != nil {
		return false, err
	}
	for {
		if resolved, err := filepath.EvalSymlinks(name); err == nil {
			name = resolved
		}
		if info, err := os.Stat(name); err == nil && os.SameFile(info, dir) {
			return true, nil
		}
		up := filepath.Dir(name)
		if up == name {
			return false, nil
		}
		name = up
	}
}

// readFile reads at most one byte more than maxBytes.
func readFile(in *os.Root, name string) ([]byte, error) {
	f, err := in.Open(filepath.FromSlash(name))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxBytes+1))
}

// writeFile makes a new file, in the place of one of this name. A link that
// stands there is removed, not followed.
func writeFile(to *os.Root, name string, content []byte) error {
	if err := to.MkdirAll(filepath.FromSlash(path.Dir(name)), 0o755); err != nil {
		return err
	}
	name = filepath.FromSlash(name)
	if err := to.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := to.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	return errors.Join(err, f.Close())
}
