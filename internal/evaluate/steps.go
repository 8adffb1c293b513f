package evaluate

// This file tells how far a step of the work has come, and how long it will take.

import (
	"sync/atomic"
	"time"

	"github.com/simdb/simdb/internal/report"
)

// steps counts what is done of a step. Safe for concurrent use.
type steps struct {
	o     report.Options
	what  string
	total int64
	begin time.Time
	done  atomic.Int64
}

func newSteps(o report.Options, what string, total int) *steps {
	return &steps{o: o, what: what, total: int64(total), begin: time.Now()}
}

func (s *steps) add() {
	n := s.done.Add(1)
	if n%16 != 0 && n != s.total {
		return
	}
	left := time.Duration(float64(time.Since(s.begin)) / float64(n) * float64(s.total-n))
	s.o.Progressf("%s: %d %% · %s left", s.what, 100*n/s.total, left.Round(time.Second))
}
