package disk

// A file system over a read-only base that keeps changes in memory. A store opened read-only
// lives in an overlay, so it can replay the log of a crash without writing to its directory
// (docs/decisions/0035).

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// overlay presents the files of base, minus the removed ones, plus those in memory. A file that
// is opened for writing is first copied to memory. Safe for concurrent use.
type overlay struct {
	vfs.FS // base
	mem    *vfs.MemFS

	mu   sync.Mutex
	gone map[string]bool // removed, with everything below
}

// newOverlay returns an overlay without changes.
func newOverlay(base vfs.FS) *overlay {
	return &overlay{FS: base, mem: vfs.NewMem(), gone: map[string]bool{}}
}

// inMem returns the name in memory of a name in base.
func inMem(name string) string { return filepath.ToSlash(filepath.Clean(name)) }

// isGone reports whether name or a directory above it was removed.
func (o *overlay) isGone(name string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	for path := inMem(name); ; {
		if o.gone[path] {
			return true
		}
		i := strings.LastIndexByte(path, '/')
		if i <= 0 {
			return false
		}
		path = path[:i]
	}
}

// has reports whether name exists in memory.
func (o *overlay) has(name string) bool {
	_, err := o.mem.Stat(inMem(name))
	return err == nil
}

// makeParent creates the parent directory of name in memory.
func (o *overlay) makeParent(name string) error {
	return o.mem.MkdirAll(inMem(o.FS.PathDir(name)), 0o755)
}

// copyUp copies a file of base to memory, where it can change.
func (o *overlay) copyUp(name string) error {
	if o.has(name) {
		return nil
	}
	f, err := o.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	to, err := o.Create(name, vfs.WriteCategoryUnspecified)
	if err != nil {
		return err
	}
	if _, err := io.Copy(to, f); err != nil {
		to.Close()
		return err
	}
	return to.Close()
}

func (o *overlay) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	if err := o.makeParent(name); err != nil {
		return nil, err
	}
	return o.mem.Create(inMem(name), c)
}

func (o *overlay) Open(name string, opts ...vfs.OpenOption) (vfs.File, error) {
	switch {
	case o.has(name):
		return o.mem.Open(inMem(name), opts...)
	case o.isGone(name):
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return o.FS.Open(name, opts...)
}

func (o *overlay) OpenReadWrite(name string, c vfs.DiskWriteCategory, opts ...vfs.OpenOption) (vfs.File, error) {
	if err := o.copyUp(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err := o.makeParent(name); err != nil {
		return nil, err
	}
	return o.mem.OpenReadWrite(inMem(name), c, opts...)
}

// OpenDir serves directory syncs, which do nothing.
func (o *overlay) OpenDir(name string) (vfs.File, error) {
	if _, err := o.Stat(name); err != nil {
		return nil, err
	}
	if err := o.mem.MkdirAll(inMem(name), 0o755); err != nil {
		return nil, err
	}
	return o.mem.OpenDir(inMem(name))
}

func (o *overlay) Link(from, to string) error {
	if err := o.copyUp(from); err != nil {
		return err
	}
	if err := o.makeParent(to); err != nil {
		return err
	}
	return o.mem.Link(inMem(from), inMem(to))
}

func (o *overlay) Rename(from, to string) error {
	if err := o.Link(from, to+".renamed"); err != nil {
		return err
	}
	if err := o.Remove(from); err != nil {
		return err
	}
	return o.mem.Rename(inMem(to+".renamed"), inMem(to))
}

func (o *overlay) ReuseForWrite(from, to string, c vfs.DiskWriteCategory) (vfs.File, error) {
	if err := o.Rename(from, to); err != nil {
		return nil, err
	}
	return o.mem.OpenReadWrite(inMem(to), c)
}

func (o *overlay) Remove(name string) error {
	if _, err := o.Stat(name); err != nil {
		return err
	}
	return o.RemoveAll(name)
}

func (o *overlay) RemoveAll(name string) error {
	o.mu.Lock()
	o.gone[inMem(name)] = true
	o.mu.Unlock()
	return o.mem.RemoveAll(inMem(name))
}

func (o *overlay) MkdirAll(name string, perm os.FileMode) error {
	return o.mem.MkdirAll(inMem(name), perm)
}

// put creates files with the given contents in memory.
func (o *overlay) put(files map[string][]byte) error {
	for name, b := range files {
		f, err := o.Create(name, vfs.WriteCategoryUnspecified)
		if err != nil {
			return err
		}
		_, err = f.Write(b)
		if err = errors.Join(err, f.Close()); err != nil {
			return err
		}
	}
	return nil
}

// Lock does nothing: a reader takes no lock, or locks the store in base.
func (o *overlay) Lock(string) (io.Closer, error) { return noLock{}, nil }

func (o *overlay) List(name string) ([]string, error) {
	var names []string
	if !o.isGone(name) {
		var err error
		if names, err = o.FS.List(name); err != nil && !(o.has(name) && errors.Is(err, fs.ErrNotExist)) {
			return nil, err
		}
		names = slices.DeleteFunc(names, func(n string) bool { return o.isGone(o.FS.PathJoin(name, n)) })
	}
	if o.has(name) {
		over, err := o.mem.List(inMem(name))
		if err != nil {
			return nil, err
		}
		names = append(names, over...)
		slices.Sort(names)
		names = slices.Compact(names)
	} else if o.isGone(name) {
		return nil, &fs.PathError{Op: "list", Path: name, Err: fs.ErrNotExist}
	}
	return names, nil
}

func (o *overlay) Stat(name string) (vfs.FileInfo, error) {
	switch {
	case o.has(name):
		return o.mem.Stat(inMem(name))
	case o.isGone(name):
		return nil, &fs.PathError{Op: "stat", Path: name, Err: fs.ErrNotExist}
	}
	return o.FS.Stat(name)
}

// GetDiskUsage is unsupported: writes go to memory.
func (o *overlay) GetDiskUsage(string) (vfs.DiskUsage, error) {
	return vfs.DiskUsage{}, vfs.ErrUnsupported
}

// Unwrap returns nil, because a caller that looks for the system's files must not find base.
func (o *overlay) Unwrap() vfs.FS { return nil }
