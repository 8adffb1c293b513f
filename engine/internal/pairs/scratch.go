package pairs

// What a join writes because it has no room in memory: one file, which grows at its end.

import (
	"errors"
	"fmt"
	"sync"
	"unsafe"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/engine/internal/disk"
)

// joinScratch is a join.Scratch. The file is made with the first words, and removed with
// the others of the moment, or by Close. Safe for concurrent use.
type joinScratch struct {
	scratch *disk.Scratch

	mu   sync.Mutex
	file vfs.File
	end  int64
}

// Append writes words as they are in memory: nobody else reads the file.
func (s *joinScratch) Append(words []uint32) (at int64, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.file == nil {
		if s.file, err = s.scratch.Create(); err != nil {
			return 0, scratchError(err)
		}
	}
	at = s.end
	n, err := s.file.Write(bytesOf(words))
	s.end += int64(n)
	return at, scratchError(err)
}

// Read fills words with what was appended at a place.
func (s *joinScratch) Read(words []uint32, at int64) error {
	s.mu.Lock()
	f := s.file
	s.mu.Unlock()
	if f == nil {
		return scratchError(errors.New("nothing was written"))
	}
	_, err := f.ReadAt(bytesOf(words), at)
	return scratchError(err)
}

// Close removes the file.
func (s *joinScratch) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.file == nil {
		return nil
	}
	err := s.file.Close()
	s.file = nil
	return err
}

func scratchError(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("what a join has no room for in memory: %w", err)
}

func bytesOf(words []uint32) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), 4*len(words))
}
