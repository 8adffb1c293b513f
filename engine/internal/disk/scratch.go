package disk

// Files that a search needs for a while: sorted runs that have no room in memory.

import (
	"fmt"
	"io"
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

// Scratch makes files that are removed together. Safe for concurrent use.
type Scratch struct {
	s *Store

	mu      sync.Mutex
	paths   []string
	closers []io.Closer
}

// NewScratch returns one without files.
func (s *Store) NewScratch() *Scratch { return &Scratch{s: s} }

// Create makes a file. It is removed with the others also if there is an error.
func (s *Scratch) Create() (vfs.File, string, error) {
	path := s.s.scratchPath()
	s.mu.Lock()
	s.paths = append(s.paths, path)
	s.mu.Unlock()
	f, err := s.s.scratchFS().Create(path, vfs.WriteCategoryUnspecified)
	return f, path, err
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

// Open opens one of the files to be read.
func (s *Scratch) Open(path string) (vfs.File, error) { return s.s.scratchFS().Open(path) }

// CloseWith has something closed before the files are removed.
func (s *Scratch) CloseWith(c io.Closer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closers = append(s.closers, c)
}

// RemoveOne removes one of the files before the others.
func (s *Scratch) RemoveOne(path string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := slices.Index(s.paths, path); i >= 0 && s.s.scratchFS().Remove(path) == nil {
		s.paths = slices.Delete(s.paths, i, i+1)
	}
}

// Remove removes the files. The next Open of the store tries those again that
// stay.
func (s *Scratch) Remove() {
	s.mu.Lock()
	closers := s.closers
	s.closers = nil
	s.mu.Unlock()
	for _, c := range closers {
		c.Close() // what was written there is not wanted any more
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, path := range s.paths {
		s.s.scratchFS().Remove(path)
	}
	s.paths = nil
}

// removeScratch removes the files that a crash left, of the names in the store's
// directory.
func removeScratch(fs vfs.FS, path func(name string) string, names []string) error {
	for _, n := range names {
		if strings.HasPrefix(n, scratchPrefix) && strings.HasSuffix(n, scratchSuffix) {
			if err := fs.Remove(path(n)); err != nil {
				return err
			}
		}
	}
	return nil
}
