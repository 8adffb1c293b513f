package api

// History: the log segments that a store keeps after recovery no longer needs them.

import (
	"time"
)

// KeepLog sets the log segments that a store keeps as history: the newest segments, up to Bytes in
// total, and only while their last write is not older than Age. 0 means no limit; if both are 0 the
// store keeps no history.
type KeepLog struct {
	Bytes int64         `json:"bytes,omitempty"`
	Age   time.Duration `json:"age,omitempty"`
}

// On reports whether the store keeps a history.
func (k KeepLog) On() bool { return k.Bytes > 0 || k.Age > 0 }

// Extension reports the effect of ExtendBackup: it moved the backup from record From to record To.
// Anew means that ExtendBackup created the backup again, because documents have been
// erased since.
type Extension struct {
	From uint64 `json:"from"`
	To   uint64 `json:"to"`
	Anew bool   `json:"anew"`
}

// Moment is a state of a store: after record Seq, or at Time, just before the first record with a
// later time. The zero value is the latest state.
type Moment struct {
	Seq  uint64
	Time time.Time
}

// ChangeKind is the kind of a change.
type ChangeKind string

const (
	ChangePut    ChangeKind = "put"    // a document was put, new or replaced: all of it
	ChangeDelete ChangeKind = "delete" // a document was deleted
	ChangeMeta   ChangeKind = "meta"   // metadata fields were set, or removed if the new value is null
	ChangeCreate ChangeKind = "create" // a collection was created, with its settings
	ChangeDrop   ChangeKind = "drop"   // a collection was dropped, with its documents
	ChangeGroup  ChangeKind = "group"  // a grouping changed as Group describes, because of the other changes of the record
)

// Change is one change of the stored data. The changes of a batch have the same Seq.
type Change struct {
	Seq        uint64      `json:"seq"`   // of the record in the log; pass it as TailOptions.Since
	Place      int         `json:"place"` // position in the record, from 1
	Of         int         `json:"of"`    // number of changes in the record
	Time       time.Time   `json:"time"`  // of the commit, by the clock of its writer
	Kind       ChangeKind  `json:"kind"`
	Collection string      `json:"collection,omitempty"`
	ID         string      `json:"id,omitempty"`       // put, delete, meta
	Text       string      `json:"text,omitempty"`     // put
	Tokens     []string    `json:"tokens,omitempty"`   // put, in a collection with unit = 'token'
	Meta       Meta        `json:"meta,omitempty"`     // put: all; meta: the changed fields
	Settings   *Settings   `json:"settings,omitempty"` // create
	Group      *GroupEvent `json:"group,omitempty"`
}

// TailOptions select the changes of Tail.
type TailOptions struct {
	Since  uint64 // changes after this record
	Oldest bool   // all kept changes, regardless of Since
	Follow bool   // wait for further changes until the context ends
}

// HistoryRange is the range of changes that Tail can return: those after record Oldest, up to
// record Newest.
type HistoryRange struct {
	Keep   KeepLog `json:"keep"`
	Oldest uint64  `json:"oldest"`
	Newest uint64  `json:"newest"`
	Bytes  int64   `json:"bytes"` // size of the kept segments, excluding the log
}
