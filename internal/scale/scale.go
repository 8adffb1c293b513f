// Package scale finds all similar pairs in a corpus too large for one store, in stages that read
// and write files of a shared work directory. The pairs have the same exact integers as in one
// store. The package does not depend on stores, document formats, machines or schedulers: a
// Source supplies documents, and any process with access to the directory can run tasks. Begin
// with Job.Run, then read the stages in the order of this table.
//
//	analyse   a part of the input → its sets, ids, and a count of tokens      a task a shard
//	order     all counts → one order of tokens, and stretches of sizes        a task a partition of ids
//	deal      a shard → facts and first tokens of its sets, by stretch        a task a shard
//	join      two stretches → pairs, compared member by member                a task for each two in reach
//	clusters  pairs → groups                                                  one task
//
// A task writes a temporary file, renames it, and then writes its record, with sums of the plan,
// the inputs and the result. A task with a valid record is done; running it again is a no-op.
// Results depend only on the plan and the input, so tasks may run anywhere, repeatedly and
// concurrently.
package scale

import (
	"context"
	"fmt"
)

// A Stage is a group of tasks; all must finish before the next stage begins.
type Stage string

// Names of the stages, in order.
const (
	Analyse  Stage = "analyse"
	Order    Stage = "order"
	Deal     Stage = "deal"
	Join     Stage = "join"
	Clusters Stage = "clusters"
)

// Stages lists all stages in order.
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

// Source reads the documents of an input in order and calls each with every one. It must be
// deterministic.
type Source func(ctx context.Context, in Input, each func(id, text string) error) (Rejects, error)

// Rejects counts the records of an input that are not documents.
type Rejects struct {
	Count int64  `json:"count,omitempty"`
	First string `json:"first,omitempty"` // place of the first, and the reason
}

// Broken reports that an intermediate file is missing, truncated or changed. Run the task that
// writes the file again.
type Broken struct {
	Stage Stage
	Task  int
	File  string // path in the work directory
	Why   string
}

func (b *Broken) Error() string { return fmt.Sprintf("%s is damaged: %s", b.File, b.Why) }
