package disk

// Files that a search needs for a while: sorted runs that have no room in memory.

import (
	"fmt"
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

	mu    sync.Mutex
	paths []string
}

// NewScratch returns one without files.
func (s *Store) NewScratch() *Scratch { return &Scratch{s: s} }

// Create makes a file. It is removed with the others also if there is an error.
func (s *Scratch) Create() (vfs.File, string, error) {
	path := s.s.File(fmt.Sprintf("%s%d%s", scratchPrefix, s.s.scratches.Add(1), scratchSuffix))
	s.mu.Lock()
	s.paths = append(s.paths, path)
	s.mu.Unlock()
	f, err := s.s.opts.FS.Create(path, vfs.WriteCategoryUnspecified)
	return f, path, err
}

// Open opens one of the files to be read.
func (s *Scratch) Open(path string) (vfs.File, error) { return s.s.opts.FS.Open(path) }

// Remove removes the files. The next Open of the store tries those again that
// stay.
func (s *Scratch) Remove() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, path := range s.paths {
		s.s.opts.FS.Remove(path)
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
