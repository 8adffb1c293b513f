package engine

// What the store says of itself in numbers.

import "time"

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
}

// Metrics reports the present state; zero after Close.
func (db *DB) Metrics() Metrics {
	if db.gate.enter() != nil {
		return Metrics{}
	}
	defer db.gate.leave()
	pebble, log := db.disk.Bytes()
	m := Metrics{DiskBytes: pebble + log, LogBytes: log}
	m.CacheHits, m.CacheMisses = db.shared.BagLookups()
	db.mu.Lock()
	defer db.mu.Unlock()
	for _, c := range db.collections {
		for _, s := range c.postings.Segments {
			m.DiskBytes += s.Size()
		}
		m.Documents += c.Documents
		m.Sets += c.Sets
		m.Segments += int64(len(c.postings.Segments))
		m.TailSets += c.tail
		m.BuildFailing = m.BuildFailing || c.unbuilt.err != nil
	}
	f := &db.builder.failed
	m.BuildFailures, m.BuildError, m.BuildFailedAt = f.times, f.why, f.at
	m.OpenSnapshots = int64(len(db.snapshots))
	return m
}
