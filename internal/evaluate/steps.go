package evaluate

// Progress of a step, with an estimate of the remaining time.

import (
	"sync/atomic"
	"time"

	"github.com/simdb/simdb/internal/report"
)

// steps counts completed work. It is safe for concurrent use.
type steps struct {
	o     report.Options
	what  string
	total int64
	begin time.Time
	done  atomic.Int64
}

// newSteps starts the clock of a step.
func newSteps(o report.Options, what string, total int) *steps {
	return &steps{o: o, what: what, total: int64(total), begin: time.Now()}
}

// add counts one piece of work and reports now and then.
func (s *steps) add() {
	n := s.done.Add(1)
	if n%16 != 0 && n != s.total {
		return
	}
	left := time.Duration(float64(time.Since(s.begin)) / float64(n) * float64(s.total-n))
	s.o.Progressf("%s: %d %% · %s left", s.what, 100*n/s.total, left.Round(time.Second))
}
