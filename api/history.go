package api

// The log as history.

import (
	"time"
)

// KeepLog says which log segments are kept as history when recovery no longer needs
// them: the newest, so many bytes of them, and those that were written to within so much
// time. 0 is no limit; without any limit nothing is kept.
type KeepLog struct {
	Bytes int64         `json:"bytes,omitempty"`
	Age   time.Duration `json:"age,omitempty"`
}

// On tells whether anything is kept.
func (k KeepLog) On() bool { return k.Bytes > 0 || k.Age > 0 }

// Extension says what ExtendBackup did: the backup was that of record From, and is that
// of record To. Anew says that it was made anew, because documents were erased since.
type Extension struct {
	From uint64 `json:"from"`
	To   uint64 `json:"to"`
	Anew bool   `json:"anew"`
}

// Moment is a moment of a store: after record Seq, or as it was at Time, which is after
// the last record before the first one that is later. The zero value is the end.
type Moment struct {
	Seq  uint64
	Time time.Time
}

// ChangeKind says what a change does.
type ChangeKind string

const (
	ChangePut    ChangeKind = "put"    // a document is there, or replaced: all of it
	ChangeDelete ChangeKind = "delete" // a document is gone
	ChangeMeta   ChangeKind = "meta"   // fields of metadata are others, or gone where they are null
	ChangeCreate ChangeKind = "create" // a collection is there, with its settings
	ChangeDrop   ChangeKind = "drop"   // a collection is gone, with its documents
	ChangeGroup  ChangeKind = "group"  // what Group says, by what the other changes of the record do
)

// Change is one change of what is stored. Changes of a batch have one Seq.
type Change struct {
	Seq        uint64      `json:"seq"`   // of the record in the log: what TailOptions.Since wants
	Place      int         `json:"place"` // in the record, from 1
	Of         int         `json:"of"`    // number of changes in the record
	Time       time.Time   `json:"time"`  // of the commit, by the clock of who wrote it
	Kind       ChangeKind  `json:"kind"`
	Collection string      `json:"collection,omitempty"`
	ID         string      `json:"id,omitempty"`       // put, delete, meta
	Text       string      `json:"text,omitempty"`     // put
	Tokens     []string    `json:"tokens,omitempty"`   // put, in a collection of own tokens
	Meta       Meta        `json:"meta,omitempty"`     // put: all; meta: what changes
	Settings   *Settings   `json:"settings,omitempty"` // create
	Group      *GroupEvent `json:"group,omitempty"`
}

// TailOptions say which changes Tail tells.
type TailOptions struct {
	Since  uint64 // those after this record
	Oldest bool   // all that are kept, and Since does not count
	Follow bool   // wait for more, until the context ends
}

// HistoryRange says what Tail can tell of a store: the changes after record Oldest, up to
// record Newest.
type HistoryRange struct {
	Keep   KeepLog `json:"keep"`
	Oldest uint64  `json:"oldest"`
	Newest uint64  `json:"newest"`
	Bytes  int64   `json:"bytes"` // of the kept segments, without the log
}
