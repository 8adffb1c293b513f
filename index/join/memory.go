package join

import "sync"

// The memory and scratch space of a join.

// Memory allocates the ranks and tables of a join, which are most of its memory. They hold
// integers and live for one call. On the Go heap the collector would let as much garbage
// accumulate as they take.
type Memory interface {
	Words(n int) []uint64  // n zeros
	Halves(n int) []uint32 // n zeros; untouched pages should cost nothing
	Apart() Memory         // memory to be freed earlier than this one, and freed with it
	Free()                 // releases everything; no slice may be used afterwards
}

// heapMemory is Memory on the Go heap.
type heapMemory struct{}

func (heapMemory) Words(n int) []uint64  { return make([]uint64, n) }
func (heapMemory) Halves(n int) []uint32 { return make([]uint32, n) }
func (heapMemory) Apart() Memory         { return heapMemory{} }
func (heapMemory) Free()                 {}

// Scratch stores words that exceed the memory of a join, for the duration of the call. It must
// be safe for concurrent use.
type Scratch interface {
	Append(words []uint32) (at int64, err error) // at is an offset in bytes
	Read(words []uint32, at int64) error         // fills words from an offset that Append returned
	Apart() Scratch                              // scratch to be closed earlier than this one
	Close() error                                // releases the words
}

// heapScratch is a Scratch in memory.
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

func (s *heapScratch) Apart() Scratch { return &heapScratch{} }
func (s *heapScratch) Close() error   { return nil }

func (s *heapScratch) Read(words []uint32, at int64) error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	copy(words, s.words[at/4:])
	return nil
}
