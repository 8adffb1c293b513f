package engine

import "github.com/simdb/simdb/api"

// What the store says of itself in numbers.

// Metrics reports the present state; zero after Close.
func (db *DB) Metrics() api.Metrics {
	if db.gate.enter() != nil {
		return api.Metrics{}
	}
	defer db.gate.leave()
	pebble, log := db.disk.Bytes()
	m := api.Metrics{DiskBytes: pebble + log, LogBytes: log}
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
