// Package scale finds all similar pairs of more documents than one store holds, in stages
// that read and write files of a work directory. In come documents from a Source, out go
// pairs with the exact integers that one store would give. The package knows nothing of
// stores, formats of documents, machines and schedulers: whoever has one runs tasks of a
// stage wherever the work directory is mounted.
//
//	analyse   a part of the input → its sets, ids, and a count of tokens      a task a shard
//	order     all counts → one order of tokens, and stretches of sizes        a task a partition of ids
//	deal      a shard → facts and first tokens of its sets, by stretch        a task a shard
//	join      two stretches → pairs, compared member by member                a task for each two in reach
//	clusters  pairs → groups                                                  one task
//
// A task writes a temporary file, renames it, and then writes its record. The record names
// the plan, what was read, and the checksum of the result. A task whose record is right is
// done, and running it again does nothing. All results depend on the plan and the input
// only, so it does not matter where, how often and in what company a task runs.
package scale

import (
	"context"
	"fmt"
)

// A Stage is a step that all tasks of must be done before the next one begins.
type Stage string

// The stages in their order.
const (
	Analyse  Stage = "analyse"
	Order    Stage = "order"
	Deal     Stage = "deal"
	Join     Stage = "join"
	Clusters Stage = "clusters"
)

// Stages are all stages in their order.
var Stages = []Stage{Analyse, Order, Deal, Join, Clusters}

// before returns the stages whose results a stage reads.
func (s Stage) before() []Stage {
	switch s {
	case Order:
		return []Stage{Analyse}
	case Deal:
		return []Stage{Analyse, Order}
	case Join:
		return []Stage{Analyse, Order, Deal}
	case Clusters:
		return []Stage{Analyse, Order, Deal, Join}
	}
	return nil
}

// Source reads the documents of an input in their order, and calls each for every one.
type Source func(ctx context.Context, in Input, each func(id, text string) error) (Rejects, error)

// Rejects are what an input has that is no document.
type Rejects struct {
	Count int64  `json:"count,omitempty"`
	First string `json:"first,omitempty"` // where the first is, and why
}

// Broken says that an intermediate file is missing, truncated or changed. The task that
// writes the file has to run again.
type Broken struct {
	Stage Stage
	Task  int
	File  string // in the work directory
	Why   string
}

func (b *Broken) Error() string { return fmt.Sprintf("%s is damaged: %s", b.File, b.Why) }
