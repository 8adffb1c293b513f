package disk

// Pinned files: a consistent set of open files, from which a read-only store reads while another
// process may write. An open file stays readable after its removal, and writers only append to
// the files that matter (docs/decisions/0035).

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/api"

	"github.com/simdb/simdb/wal"
)

// pins is the directory of a store at one moment. Files outside of pinnedDirs are read live.
type pins struct {
	vfs.FS
	dirs    map[string][]string // names in each directory
	files   map[string]pin
	applied uint64 // log records up to here are in the tables; set by Replay
}

// pins returns the pinned files of a read-only store, else nil.
func (s *Store) pins() *pins {
	for _, h := range s.held {
		if p, ok := h.(*pins); ok {
			return p
		}
	}
	return nil
}

// pin is an open file with its length at the pinned moment.
type pin struct {
	vfs.File
	size int64
}

// pinnedDirs lists the directories with files that are read after Open. The log comes first: its
// records may also be in Pebble, but Pebble must hold no record that the log lacks.
var pinnedDirs = []string{logName, pebbleName, PostingsName}

// replaced lists the files whose contents writers replace: STATE by a new file, the mark in
// place. pinStore reads them before it pins the others, because their contents may be older than
// the other files but not newer.
var replaced = []string{stateName, logName + "/" + wal.MarkName}

// pinTime bounds the attempts to pin the files. A writer changes the directory about ten times a
// second, and pinning takes a few milliseconds.
const pinTime = 10 * time.Second

// pinStore pins the files of the store at path, and returns an overlay above them. Close the
// pins last. ErrLocked if the directory changes too fast for pinTime.
func pinStore(ctx context.Context, f vfs.FS, path string) (*overlay, *pins, error) {
	until := time.Now().Add(pinTime)
	for pause := time.Millisecond; ; pause = min(2*pause, 50*time.Millisecond) {
		early, err := readAll(f, path, replaced)
		if err != nil {
			return nil, nil, err
		}
		p := &pins{FS: f, dirs: map[string][]string{}, files: map[string]pin{}}
		still, err := p.take(ctx, path)
		if err == nil && still && !p.newer(early, path) {
			o := newOverlay(p)
			if err = o.put(early); err == nil {
				return o, p, nil
			}
		}
		if err = errors.Join(err, p.Close()); err != nil {
			return nil, nil, err
		}
		if time.Now().After(until) {
			return nil, nil, fmt.Errorf("%w: a writer changes the files of %s faster than they can be opened; try again", api.ErrLocked, path)
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return nil, nil, ctx.Err()
		}
	}
}

// newer reports whether a replaced file appeared after the early read. In a store that is being
// created, the mark would otherwise be read live, ahead of the log.
func (p *pins) newer(early map[string][]byte, path string) bool {
	return slices.ContainsFunc(replaced, func(name string) bool {
		file := p.FS.PathJoin(path, name)
		_, before := early[file]
		_, now := p.files[filepath.Clean(file)]
		return now && !before
	})
}

// readAll returns the contents of those files that exist, by path.
func readAll(f vfs.FS, dir string, names []string) (map[string][]byte, error) {
	out := map[string][]byte{}
	for _, n := range names {
		path := f.PathJoin(dir, n)
		file, err := f.Open(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		b, err := io.ReadAll(file)
		if err = errors.Join(err, file.Close()); err != nil {
			return nil, err
		}
		out[path] = b
	}
	return out, nil
}

// take opens the files and reports whether the directories did not change in the meantime. If
// so, the open files show the store at one moment. It compares names, which writers never reuse
// (each Open takes a new name for Pebble's options), and the length of Pebble's manifest, which
// grows with every change of the tables.
func (p *pins) take(ctx context.Context, path string) (still bool, err error) {
	lengths := map[string]int64{}
	for _, name := range pinnedDirs {
		dir := p.FS.PathJoin(path, name)
		names, err := list(p.FS, dir, "")
		if err != nil {
			return false, err
		}
		p.dirs[filepath.Clean(dir)] = names
		for _, n := range names {
			if ctx.Err() != nil {
				return false, ctx.Err()
			}
			f, err := p.FS.Open(p.FS.PathJoin(dir, n))
			if errors.Is(err, fs.ErrNotExist) {
				return false, nil
			}
			if err != nil {
				return false, err
			}
			file := filepath.Join(dir, n)
			p.files[file] = pin{f, 0}
			if lengths[file], err = length(f); err != nil {
				return false, err
			}
		}
	}
	for file, f := range p.files {
		if f.size, err = length(f.File); err != nil {
			return false, err
		}
		if f.size != lengths[file] && strings.HasPrefix(filepath.Base(file), "MANIFEST") {
			return false, nil
		}
		p.files[file] = f
	}
	return p.current()
}

// current reports whether the directories still have the same names.
func (p *pins) current() (bool, error) {
	for dir, names := range p.dirs {
		now, err := list(p.FS, dir, "")
		if err != nil || !slices.Equal(now, names) {
			return false, err
		}
	}
	return true, nil
}

// Unclosed reports whether log records beyond Pebble in a read-only store stem from a crash. That
// is so if the store has no writer and is not a copy, whose log grows without Pebble. Unclosed
// takes the shared lock for an instant. If a writer was active when the files were pinned, and
// has closed since, the names of files have changed.
func (s *Store) Unclosed() bool {
	if s.was.From != "" || vfs.Root(s.base) != vfs.Default {
		return false
	}
	lock, err := takeLock(s.base, s.path, s.base.PathJoin(s.path, lockName), true)
	if err != nil || lock.Close() != nil {
		return false
	}
	p := s.pins()
	if p == nil {
		return true
	}
	same, err := p.current()
	return err == nil && same
}

// SyncRead makes durable the log records that a read-only store has read: their writer may not
// have synced them, or was killed before it did. Windows cannot sync a file opened for reading.
func (s *Store) SyncRead() error {
	p := s.pins()
	if readersLock || p == nil {
		return nil
	}
	var errs []error
	for name, f := range p.files {
		if filepath.Dir(name) == filepath.Clean(s.File(logName)) {
			if err := f.File.Sync(); !errors.Is(err, syscall.EINVAL) && !errors.Is(err, syscall.EROFS) { // read-only media
				errs = append(errs, err)
			}
		}
	}
	return errors.Join(errs...)
}

// length returns the current length of a file in bytes.
func length(f vfs.File) (int64, error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// Close closes the files. No read may follow.
func (p *pins) Close() error {
	var errs []error
	for _, f := range p.files {
		errs = append(errs, f.File.Close())
	}
	p.files = nil
	return errors.Join(errs...)
}

// pinned returns the open file with a name. fs.ErrNotExist if the file did not exist at the
// pinned moment; false if the name lies outside of the pinned directories.
func (p *pins) pinned(op, name string) (pin, bool, error) {
	name = filepath.Clean(name)
	if f, ok := p.files[name]; ok {
		return f, true, nil
	}
	if _, ok := p.dirs[filepath.Dir(name)]; ok {
		return pin{}, false, &fs.PathError{Op: op, Path: name, Err: fs.ErrNotExist}
	}
	return pin{}, false, nil
}

func (p *pins) Open(name string, opts ...vfs.OpenOption) (vfs.File, error) {
	switch f, ok, err := p.pinned("open", name); {
	case err != nil:
		return nil, err
	case ok:
		return pinReader{f, io.NewSectionReader(f.File, 0, f.size)}, nil
	}
	return p.FS.Open(name, opts...)
}

func (p *pins) Stat(name string) (vfs.FileInfo, error) {
	switch f, ok, err := p.pinned("stat", name); {
	case err != nil:
		return nil, err
	case ok:
		return f.Stat()
	}
	return p.FS.Stat(name)
}

func (p *pins) List(name string) ([]string, error) {
	if names, ok := p.dirs[filepath.Clean(name)]; ok {
		return slices.Clone(names), nil
	}
	return p.FS.List(name)
}

// Stat returns the length at the pinned moment.
func (f pin) Stat() (vfs.FileInfo, error) {
	info, err := f.File.Stat()
	return pinInfo{info, f.size}, err
}

// pinInfo is a FileInfo with the pinned length.
type pinInfo struct {
	vfs.FileInfo
	size int64
}

func (i pinInfo) Size() int64 { return i.size }

// pinReader reads a pinned file with an offset of its own.
type pinReader struct {
	pin
	section *io.SectionReader
}

func (r pinReader) Read(b []byte) (int, error)               { return r.section.Read(b) }
func (r pinReader) ReadAt(b []byte, from int64) (int, error) { return r.section.ReadAt(b, from) }

// Close does nothing: other readers share the file.
func (pinReader) Close() error { return nil }
