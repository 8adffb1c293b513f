package disk

// Temporary files of a search, for sorted runs that exceed its memory.

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

// Temporary files are named scratchPrefix, a number, scratchSuffix.
const (
	scratchPrefix = "JOIN-"
	scratchSuffix = ".tmp"
)

// Scratch creates temporary files that disappear when closed, or at Remove. Safe for concurrent
// use.
type Scratch struct {
	s *Store

	mu    sync.Mutex
	files map[*scratchFile]bool // open
}

// scratchFile is a temporary file. It has no name where the system allows an open file without
// one: a killed process then leaves nothing.
type scratchFile struct {
	vfs.File
	of    *Scratch
	named string // its path; "" if it has no name
}

// NewScratch returns a Scratch without files.
func (s *Store) NewScratch() *Scratch { return &Scratch{s: s, files: map[*scratchFile]bool{}} }

// Create returns a new file for writing and reading. Close it.
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

// Fits reports whether the disk has as many free bytes as files already take, so that they take no
// more than half of its free space; true if the free space is unknown.
func (s *Scratch) Fits(bytes int64) bool {
	dir := s.s.scratchFS().PathDir(s.s.scratchPath())
	usage, err := s.s.scratchFS().GetDiskUsage(dir)
	return err != nil || usage.AvailBytes >= uint64(bytes)
}

// Close closes and removes the file; further calls do nothing. The next Open of the store
// removes files that this fails to remove.
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

// Remove closes and removes all open files. It ignores errors.
func (s *Scratch) Remove() {
	s.mu.Lock()
	open := slices.Collect(maps.Keys(s.files))
	s.mu.Unlock()
	for _, f := range open {
		f.Close() // the data is no longer needed
	}
}

// scratchFS returns the file system for temporary files: the store's own, except for a read-only
// store, where the overlay would keep them in memory.
func (s *Store) scratchFS() vfs.FS {
	if s.scratchElsewhere() {
		return s.base
	}
	return s.opts.FS
}

// scratchElsewhere reports whether temporary files go to the system's temporary directory.
func (s *Store) scratchElsewhere() bool { return s.opts.ReadOnly && vfs.Root(s.base) == vfs.Default }

// scratchPath returns a new path in the store's directory, or in the system's temporary
// directory for a read-only store.
func (s *Store) scratchPath() string {
	n := s.scratches.Add(1)
	if !s.scratchElsewhere() {
		return s.File(fmt.Sprintf("%s%d%s", scratchPrefix, n, scratchSuffix))
	}
	return s.base.PathJoin(tempDir(), fmt.Sprintf("simdb-%s-%s%d%s", newUUID(), scratchPrefix, n, scratchSuffix))
}

// tempDir returns $TMPDIR, else /var/tmp if it exists: the system's default is often in memory.
func tempDir() string {
	const large = "/var/tmp"
	if info, err := os.Stat(large); os.Getenv("TMPDIR") == "" && err == nil && info.IsDir() {
		return large
	}
	return os.TempDir()
}

// removeScratch removes the temporary files that a crash left. names are those in the directory
// of the store.
func removeScratch(f vfs.FS, path func(name string) string, names []string) error {
	for _, n := range names {
		if strings.HasPrefix(n, scratchPrefix) && strings.HasSuffix(n, scratchSuffix) {
			if err := f.Remove(path(n)); err != nil && !errors.Is(err, fs.ErrNotExist) { // its owner may have removed it
				return err
			}
		}
	}
	return nil
}
