package join

import (
	"context"
	"sync"
	"testing"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/internal/measure"
)

// meter counts the words in scratch.
type meter struct {
	mu                 sync.Mutex
	now, peak, written int
	aparts             int // scratches made
}

// metered is scratch that a meter counts.
type metered struct {
	heapScratch
	*meter
	own int
}

func (s *metered) Append(words []uint32) (int64, error) {
	s.meter.mu.Lock()
	s.own += len(words)
	s.now += len(words)
	s.written += len(words)
	s.peak = max(s.peak, s.now)
	s.meter.mu.Unlock()
	return s.heapScratch.Append(words)
}

// Apart returns scratch that counts, but the first, which is of pairs.
func (s *metered) Apart() Scratch {
	if s.aparts++; s.aparts == 1 {
		return &heapScratch{}
	}
	return &metered{meter: s.meter}
}

func (s *metered) Close() error {
	s.meter.mu.Lock()
	defer s.meter.mu.Unlock()
	s.now, s.own = s.now-s.own, 0
	return nil
}

// The parts of a divided cell take a few times its size in scratch, even if sets share most tokens.
func TestDividedCellsTakeLittleScratch(t *testing.T) {
	for _, room := range []int{8000, 2000, 500, 200} {
		w := newWorld(1, 600, 40, "wide", 14, false)
		m := &meter{}
		o := &Sets{Formula: measure.Resemblance, Min: api.Ratio(1, 20), Sides: []Side{w.side(t, 0, len(w.bags))}, room: room, Scratch: &metered{meter: m}}
		stats, err := o.Pairs(context.Background(), 1, 1<<20, func([]Pair) error { return nil })
		if err != nil {
			t.Fatal(err)
		}
		dealt := int(stats.Dealt / 4)
		t.Logf("room for %d: %d words dealt, at most %d in scratch, %d in total", room, dealt, m.peak, m.written)
		if m.peak > 12*dealt || m.now != dealt {
			t.Errorf("room for %d: at most %d words in scratch, %d at the end, want 12 times %d, and these", room, m.peak, m.now, dealt)
		}
	}
}
