package disk

// What a store that is only read holds of its directory while another process may
// write there: the files of one moment, open. A file that is removed stays readable for
// who has it open, and no file that counts is changed but by appending to it
// (docs/decisions/0035).

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

// pins is the directory of a store as it was at one moment. What is not in pinnedDirs is
// as it is.
type pins struct {
	vfs.FS
	dirs  map[string][]string // names in them
	files map[string]pin
}

// pin is an open file, as long as it was at the moment.
type pin struct {
	vfs.File
	size int64
}

// pinnedDirs are the directories whose files are read after the store is open. The log is
// first: what it has may be in Pebble as well, but not the other way round.
var pinnedDirs = []string{logName, pebbleName, PostingsName}

// replaced are the files that are read as they were before the others are pinned. What
// they say of these may be behind, but never ahead.
var replaced = []string{stateName, logName + "/" + wal.MarkName}

// pinTime is how long the files are tried to be had in one moment. A writer changes the
// directory some ten times a second, and having them takes a few milliseconds.
const pinTime = 10 * time.Second

// pinStore returns the files of the store at path as they are at one moment, as a file
// system in memory over them. They are to be closed.
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

// newer says whether a replaced file is there only since they were read: of a store that is just
// being made, the mark would be as it is when it is read, ahead of the log.
func (p *pins) newer(early map[string][]byte, path string) bool {
	return slices.ContainsFunc(replaced, func(name string) bool {
		file := p.FS.PathJoin(path, name)
		_, before := early[file]
		_, now := p.files[filepath.Clean(file)]
		return now && !before
	})
}

// readAll reads files, those that are there.
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

// take opens the files, and says whether the directories stood still meanwhile. Then what
// is open is what they held at one moment. It goes by names, which no writer uses again
// (each Open of one takes a new one for Pebble's options), and by the length of Pebble's
// manifest, in which every change of its tables is a record.
func (p *pins) take(ctx context.Context, path string) (still bool, err error) {
	lengths := map[string]int64{}
	for _, name := range pinnedDirs {
		dir := p.FS.PathJoin(path, name)
		names, err := listed(p.FS, dir, "")
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

// current says whether the directories have the same names still.
func (p *pins) current() (bool, error) {
	for dir, names := range p.dirs {
		now, err := listed(p.FS, dir, "")
		if err != nil || !slices.Equal(now, names) {
			return false, err
		}
	}
	return true, nil
}

// Unclosed says of a store that is only read that nobody has it open to write, and that
// it is no copy, which grows by its log: what its log has beyond Pebble was left by a
// crash. To know that, the lock is shared for an instant. A writer that was there when the
// files were opened, and has closed since, has changed their names.
func (s *Store) Unclosed() bool {
	if s.was.From != "" || vfs.Root(s.base) != vfs.Default {
		return false
	}
	lock, err := takeLock(s.base, s.path, s.base.PathJoin(s.path, lockName), true)
	if err != nil || lock.Close() != nil {
		return false
	}
	for _, h := range s.held {
		if p, ok := h.(*pins); ok {
			if same, err := p.current(); err != nil || !same {
				return false
			}
		}
	}
	return true
}

// SyncRead makes durable what a store that is only read has seen of the log: its writer may
// be about to, or was killed before. Windows syncs no file that is open to be read.
func (s *Store) SyncRead() error {
	if readersLock {
		return nil
	}
	var errs []error
	for _, h := range s.held {
		p, ok := h.(*pins)
		if !ok {
			continue
		}
		for name, f := range p.files {
			if filepath.Dir(name) == filepath.Clean(s.File(logName)) {
				if err := f.File.Sync(); !errors.Is(err, syscall.EINVAL) && !errors.Is(err, syscall.EROFS) { // media that nobody writes to
					errs = append(errs, err)
				}
			}
		}
	}
	return errors.Join(errs...)
}

func length(f vfs.File) (int64, error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// Close lets the files go. Nothing may be read after that.
func (p *pins) Close() error {
	var errs []error
	for _, f := range p.files {
		errs = append(errs, f.File.Close())
	}
	p.files = nil
	return errors.Join(errs...)
}

// pinned returns the open file of a name. Of a name that was not there at the moment it
// is ErrNotExist; of one that is as it is, neither.
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

// Stat says how long the file was.
func (f pin) Stat() (vfs.FileInfo, error) {
	info, err := f.File.Stat()
	return pinInfo{info, f.size}, err
}

type pinInfo struct {
	vfs.FileInfo
	size int64
}

func (i pinInfo) Size() int64 { return i.size }

// pinReader is a file that was opened once more, with a place of its own.
type pinReader struct {
	pin
	section *io.SectionReader
}

func (r pinReader) Read(b []byte) (int, error)               { return r.section.Read(b) }
func (r pinReader) ReadAt(b []byte, from int64) (int, error) { return r.section.ReadAt(b, from) }

// Close keeps the file open for the others.
func (pinReader) Close() error { return nil }
