package join

import (
	"errors"
	"fmt"
	"io"
	"sync"
	"unsafe"
)

// Scratch space in a file that grows at its end.

// FileScratch is a Scratch in a file. It calls Create at the first Append; Close of the file removes
// it. Safe for concurrent use.
type FileScratch struct {
	Create func() (File, error)

	mu   sync.Mutex
	file File
	end  int64
}

// File is the part of a file that FileScratch uses.
type File interface {
	io.Writer
	io.ReaderAt
	io.Closer
}

// Append writes words in the byte order of the machine: no other process reads the file.
func (s *FileScratch) Append(words []uint32) (at int64, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.file == nil {
		if s.file, err = s.Create(); err != nil {
			s.file = nil
			return 0, scratchError(err)
		}
	}
	at = s.end
	n, err := s.file.Write(HalfBytes(words))
	s.end += int64(n)
	return at, scratchError(err)
}

// Read fills words from the offset at that Append returned.
func (s *FileScratch) Read(words []uint32, at int64) error {
	s.mu.Lock()
	f := s.file
	s.mu.Unlock()
	if f == nil {
		return scratchError(errors.New("nothing was written"))
	}
	_, err := f.ReadAt(HalfBytes(words), at)
	return scratchError(err)
}

// Apart returns a scratch with a file of its own.
func (s *FileScratch) Apart() Scratch { return &FileScratch{Create: s.Create} }

// Close closes the file, if any.
func (s *FileScratch) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.file == nil {
		return nil
	}
	err := s.file.Close()
	s.file = nil
	return err
}

// scratchError adds the purpose of the file to an error.
func scratchError(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("temporary file of a join: %w", err)
}

// HalfBytes returns words as bytes in machine order. The result aliases words.
func HalfBytes(words []uint32) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), 4*len(words))
}
