package join

import "sync"

// This file says where joins have their tables, and what has no room there.

// Memory is where a join has its ranks and tables, which are most of the memory
// that it takes. They hold integers and live for one call. On the Go heap the
// collector would delay its work until there is as much garbage as they take.
type Memory interface {
	Words(n int) []uint64  // n zeros
	Halves(n int) []uint32 // n zeros; what is not touched should cost nothing
	Apart() Memory         // memory that can be freed before this one, and is freed with it
	Free()                 // gives back everything: nothing of it may be used after that
}

type heapMemory struct{}

func (heapMemory) Words(n int) []uint64  { return make([]uint64, n) }
func (heapMemory) Halves(n int) []uint32 { return make([]uint32, n) }
func (heapMemory) Apart() Memory         { return heapMemory{} }
func (heapMemory) Free()                 {}

// Scratch is where a join writes what has no room in memory, for the length of
// the call. It must be safe for concurrent use.
type Scratch interface {
	Append(words []uint32) (at int64, err error) // at counts bytes, so that words have a place each
	Read(words []uint32, at int64) error         // fills words with what was appended at that place
}

// heapScratch keeps all in memory.
type heapScratch struct {
	mu    sync.RWMutex
	words []uint32
}

func (s *heapScratch) Append(words []uint32) (int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := 4 * len(s.words)
	s.words = append(s.words, words...)
	return int64(at), nil
}

func (s *heapScratch) Read(words []uint32, at int64) error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	copy(words, s.words[at/4:])
	return nil
}
