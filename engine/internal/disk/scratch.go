package disk

// Files that a search needs for a while: sorted runs that have no room in memory.

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// The files that a search needs for a while are named scratchPrefix, a number,
// scratchSuffix.
const (
	scratchPrefix = "JOIN-"
	scratchSuffix = ".tmp"
)

// Scratch makes files that go when they are closed, at the latest together. Safe for
// concurrent use.
type Scratch struct {
	s *Store

	mu    sync.Mutex
	files map[*scratchFile]bool // open
}

// scratchFile has no name where the system lets an open file be without: then nothing is
// left of it when the process is killed.
type scratchFile struct {
	vfs.File
	of    *Scratch
	named string // its path, "" if it has none
}

// NewScratch returns one without files.
func (s *Store) NewScratch() *Scratch { return &Scratch{s: s, files: map[*scratchFile]bool{}} }

// Create makes a file, to be written and read.
func (s *Scratch) Create() (vfs.File, error) {
	path := s.s.scratchPath()
	f, err := s.s.scratchFS().Create(path, vfs.WriteCategoryUnspecified)
	if err != nil {
		return nil, err
	}
	x := &scratchFile{f, s, path}
	if !readersLock && s.s.scratchFS().Remove(path) == nil {
		x.named = ""
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.files[x] = true
	return x, nil
}

// Close closes the file, once, and removes it. The next Open of the store tries those again
// that stay.
func (f *scratchFile) Close() error {
	f.of.mu.Lock()
	open := f.of.files[f]
	delete(f.of.files, f)
	f.of.mu.Unlock()
	if !open {
		return nil
	}
	err := f.File.Close()
	if f.named != "" {
		f.of.s.scratchFS().Remove(f.named)
	}
	return err
}

// Remove closes the files that are open.
func (s *Scratch) Remove() {
	s.mu.Lock()
	open := slices.Collect(maps.Keys(s.files))
	s.mu.Unlock()
	for _, f := range open {
		f.Close() // what was written there is not wanted any more
	}
}

// scratchFS has the files: the store's own, but where that is memory over a directory
// that is only read.
func (s *Store) scratchFS() vfs.FS {
	if s.scratchElsewhere() {
		return s.base
	}
	return s.opts.FS
}

func (s *Store) scratchElsewhere() bool { return s.opts.ReadOnly && vfs.Root(s.base) == vfs.Default }

// scratchPath names a file in the store's directory, or among the system's temporary
// files where that is only read.
func (s *Store) scratchPath() string {
	n := s.scratches.Add(1)
	if !s.scratchElsewhere() {
		return s.File(fmt.Sprintf("%s%d%s", scratchPrefix, n, scratchSuffix))
	}
	return s.base.PathJoin(tempDir(), fmt.Sprintf("simdb-%s-%s%d%s", newUUID(), scratchPrefix, n, scratchSuffix))
}

// tempDir is what TMPDIR names, else /var/tmp where there is one: what else the system has
// for such files is often memory.
func tempDir() string {
	const large = "/var/tmp"
	if info, err := os.Stat(large); os.Getenv("TMPDIR") == "" && err == nil && info.IsDir() {
		return large
	}
	return os.TempDir()
}

// removeScratch removes the files that a crash left, of the names in the store's
// directory.
func removeScratch(f vfs.FS, path func(name string) string, names []string) error {
	for _, n := range names {
		if strings.HasPrefix(n, scratchPrefix) && strings.HasSuffix(n, scratchSuffix) {
			if err := f.Remove(path(n)); err != nil && !errors.Is(err, fs.ErrNotExist) { // the one who had the store may have removed it
				return err
			}
		}
	}
	return nil
}
