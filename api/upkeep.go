package api

// Reports on the state of a store.

import (
	"time"
)

// Problem is one finding of Check.
type Problem struct {
	Kind       string `json:"kind"`       // the damaged part: document, set, postings, metadata, counters, constraint, collection, answers or store
	Collection string `json:"collection"` // "" if the problem concerns none
	ID         string `json:"id"`         // of the document; "" if the problem does not concern a single document
	What       string `json:"what"`
	Place      string `json:"place,omitempty"` // in the store, if known: a set, a file
}

// CheckReport counts the checked data and lists the problems.
type CheckReport struct {
	Documents int64     `json:"documents"`
	Sets      int64     `json:"sets"`
	Postings  int64     `json:"postings"`
	Problems  []Problem `json:"problems"` // the first 1,000 by collection, id, kind, place and message
	Found     int64     `json:"found"`
}

// Note is a value that Batch.Note stored under a name.
type Note struct {
	Name  string `json:"name"`
	Value []byte `json:"value"`
}

// RestoreNote is the name of the note in a database whose restore has not ended.
const RestoreNote = "restore"

// Salvaged counts the data recovered from a damaged store, and the lost items.
type Salvaged struct {
	Collections int64  `json:"collections"`
	Documents   int64  `json:"documents"`
	Notes       int64  `json:"notes"`
	Lost        int64  `json:"lost"`
	Old         string `json:"old,omitempty"` // path of the damaged store, if the new store replaced it
}

// Metrics is a report on the state of a store.
type Metrics struct {
	Documents     int64 `json:"documents"`
	Sets          int64 `json:"sets"`     // distinct shingle bags
	Segments      int64 `json:"segments"` // posting segments
	TailSets      int64 `json:"tail_sets"`
	DiskBytes     int64 `json:"disk_bytes"` // excluding obsolete posting segments and the reserve
	LogBytes      int64 `json:"log_bytes"`
	CacheHits     int64 `json:"cache_hits"`
	CacheMisses   int64 `json:"cache_misses"`
	OpenSnapshots int64 `json:"open_snapshots"`

	BuildFailures int64     `json:"build_failures"`           // failed index builds since Open; the store retries them
	BuildError    string    `json:"build_error,omitempty"`    // error of the last failure
	BuildFailedAt time.Time `json:"build_failed_at,omitzero"` // time of the last failure
	BuildFailing  bool      `json:"build_failing,omitempty"`  // no build has succeeded since

	Latency Latency `json:"latency"`
}
