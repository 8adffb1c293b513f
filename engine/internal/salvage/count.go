package salvage

// Comparison of the stored document counts with the documents found. A lost table leaves no other
// trace.

import (
	"context"
	"fmt"

	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/internal/keys"
)

// count reports documents that the counters or STATE include and the tables lack.
func (s *Store) count(ctx context.Context) error {
	found, total := map[uint32]int64{}, int64(0)
	err := disk.Scan(s.scratch, newest(keys.Of(keys.Document)), func(k, _ []byte) error {
		if n, _, err := keys.Numbers(k[1:], 1); err == nil {
			found[n[0]]++
			total++
		}
		return ctx.Err()
	})
	if err != nil {
		return err
	}
	report := s.lost
	// Each loss found here proves that a table is damaged or missing.
	s.lost = func(what string) {
		s.damaged = true
		report(what)
	}
	defer func() { s.lost = report }()
	missing := int64(0)
	err = s.each(ctx, keys.Of(keys.Counters), func(key, value []byte) error {
		n, _, err := keys.Numbers(key, 1)
		counters, bad := record.DecodeCounters(value)
		if err == nil && bad == nil && found[n[0]] < counters.Documents {
			missing += counters.Documents - found[n[0]]
			s.lost(fmt.Sprintf("%d of %d documents of collection %d in tables", counters.Documents-found[n[0]], counters.Documents, n[0]))
		}
		return nil
	})
	if err != nil {
		return err
	}
	counted, at := s.broken.Counted()
	switch {
	case at > s.applied:
		s.lost(fmt.Sprintf("log records %d to %d, which were in tables according to STATE", s.applied+1, at))
	case at == s.applied && counted > total+missing:
		s.lost(fmt.Sprintf("%d of %d documents that STATE counted", counted-total-missing, counted))
	}
	return nil
}
