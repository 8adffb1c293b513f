package disk

// A file system over another one that is only read: what is changed stays in memory. A
// store that is opened for reading lies in one, so nothing in its directory is written,
// though the log of a crash is replayed (docs/decisions/0035).

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

// overlay has the files of base, but for those that are gone, and those in memory over
// them. Files are changed only in memory; one that is to be changed in place is copied
// there first.
type overlay struct {
	vfs.FS // base
	mem    *vfs.MemFS

	mu   sync.Mutex
	gone map[string]bool // removed, with all below
}

func newOverlay(base vfs.FS) *overlay {
	return &overlay{FS: base, mem: vfs.NewMem(), gone: map[string]bool{}}
}

// inMem is the name in memory of a name in base.
func inMem(name string) string { return filepath.ToSlash(filepath.Clean(name)) }

// isGone says whether a name of base was removed, or a directory above it.
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

func (o *overlay) has(name string) bool {
	_, err := o.mem.Stat(inMem(name))
	return err == nil
}

// room makes the directory of a name in memory.
func (o *overlay) room(name string) error {
	return o.mem.MkdirAll(inMem(o.FS.PathDir(name)), 0o755)
}

// lift copies a file of base to memory, so that it can be changed there.
func (o *overlay) lift(name string) error {
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
	if err := o.room(name); err != nil {
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
	if err := o.lift(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err := o.room(name); err != nil {
		return nil, err
	}
	return o.mem.OpenReadWrite(inMem(name), c, opts...)
}

// OpenDir is for syncs, which have nothing to do.
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
	if err := o.lift(from); err != nil {
		return err
	}
	if err := o.room(to); err != nil {
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

// put writes whole files in memory.
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

// Lock is never asked for: a reader locks nothing, or locks the store in base.
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

// GetDiskUsage is of no disk: what is written is in memory.
func (o *overlay) GetDiskUsage(string) (vfs.DiskUsage, error) {
	return vfs.DiskUsage{}, vfs.ErrUnsupported
}

// Unwrap returns none: a caller that wants the system's own files must not get base.
func (o *overlay) Unwrap() vfs.FS { return nil }
