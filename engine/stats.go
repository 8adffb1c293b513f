package engine

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
}

// Metrics reports the present state; zero after Close.
func (db *DB) Metrics() Metrics {
	if !db.gate.enter() {
		return Metrics{}
	}
	defer db.gate.leave()
	p := db.pebble.Metrics()
	m := Metrics{
		DiskBytes:   int64(p.DiskSpaceUsage()),
		LogBytes:    db.log.Bytes(),
		CacheHits:   int64(db.cache.bags.Metrics.Hits()),
		CacheMisses: int64(db.cache.bags.Metrics.Misses()),
	}
	m.DiskBytes += m.LogBytes
	db.mu.Lock()
	defer db.mu.Unlock()
	for _, c := range db.collections {
		for _, s := range c.index.segments {
			m.DiskBytes += s.file.size
		}
		m.Documents += c.documents
		m.Sets += c.sets
		m.Segments += int64(len(c.index.segments))
		m.TailSets += c.tail
	}
	m.OpenSnapshots = int64(len(db.snapshots))
	return m
}
