package api

// What is told of the state of a store.

import (
	"time"
)

// Problem is one thing that Check found.
type Problem struct {
	Kind       string `json:"kind"`       // what it is of: document, set, postings, metadata, counters, constraint, collection, answers or store
	Collection string `json:"collection"` // "" where none is concerned
	ID         string `json:"id"`         // of a document; "" where no single one is concerned
	What       string `json:"what"`
	Place      string `json:"place,omitempty"` // where in the store, as far as that is known: a set, a file
}

// CheckReport is what Check looked at and found.
type CheckReport struct {
	Documents int64     `json:"documents"`
	Sets      int64     `json:"sets"`
	Postings  int64     `json:"postings"`
	Problems  []Problem `json:"problems"` // the first 1,000 by collection, id, kind, place and what they say
	Found     int64     `json:"found"`
}

// Note is what Batch.Note has kept.
type Note struct {
	Name  string `json:"name"`
	Value []byte `json:"value"`
}

// RestoreNote is the name of the note of a database whose restore has not ended.
const RestoreNote = "restore"

// Salvaged says what came out of a damaged store, and how many things were lost.
type Salvaged struct {
	Collections int64  `json:"collections"`
	Documents   int64  `json:"documents"`
	Notes       int64  `json:"notes"`
	Lost        int64  `json:"lost"`
	Old         string `json:"old,omitempty"` // where the damaged store stands, if the new one has its place
}

// Metrics is a state report.
type Metrics struct {
	Documents     int64 `json:"documents"`
	Sets          int64 `json:"sets"`     // distinct shingle bags
	Segments      int64 `json:"segments"` // posting segments
	TailSets      int64 `json:"tail_sets"`
	DiskBytes     int64 `json:"disk_bytes"` // without posting segments that are about to go
	LogBytes      int64 `json:"log_bytes"`
	CacheHits     int64 `json:"cache_hits"`
	CacheMisses   int64 `json:"cache_misses"`
	OpenSnapshots int64 `json:"open_snapshots"`

	BuildFailures int64     `json:"build_failures"`           // how often making postings has failed since Open; it is tried again
	BuildError    string    `json:"build_error,omitempty"`    // why it failed last
	BuildFailedAt time.Time `json:"build_failed_at,omitzero"` // when it failed last
	BuildFailing  bool      `json:"build_failing,omitempty"`  // it has not gone well since

	Latency Latency `json:"latency"`
}
