package simdb

// The type of what many stores have together.
// The comments are copies, made by go test . -run TestTypesAreDocumented -update.

import (
	"github.com/simdb/simdb/engine"
)

// Shared is what stores of one process have together, where it has many small ones: each is
// opened with the same Options.Shared. They share the caches of decoded sets, of blocks and of
// open files, the memory for the analysis of texts, and as many builders of indexes as there
// are cores. Of those that rest all but a few sleep: everything is written and little of them
// is in memory; the next call wakes such a store. The zero value is ready for use. What it holds goes with the last store; it
// need not be closed. It must not be copied, and its fields not changed, once a store has it.
//
//	type Shared struct {
//		CacheBytes  int64 // memory for decoded sets of all stores; 0 means 36 MiB
//		MemoryBytes int64 // memory for one import, build, join or recovery, roughly, and for all texts that are analysed at once; 0 means 256 MiB
//		Awake       int   // how many stores may rest and be awake; 0 means 64, negative means none
//		// contains filtered or unexported fields
//	}
type Shared = engine.Shared
