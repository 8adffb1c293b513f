// Package meter measures the public calls of a database: it counts latencies and reports each
// call to an observer. It does not depend on the calls; the root package begins and ends them
// here. Begin with Meter.Begin and Call.End.
package meter

import (
	"context"
	"time"

	"github.com/simdb/simdb/api"
)

// Meter measures the calls of one database. It is safe for concurrent use. A nil Meter measures
// nothing, which spares callers a check.
type Meter struct {
	observer                      api.Observer // may be nil
	commit, similar, pairs, query histogram
}

// New returns a meter with an observer, which may be nil.
func New(o api.Observer) *Meter { return &Meter{observer: o} }

// Latency returns the histograms of completed calls.
func (m *Meter) Latency() (l api.Latency) {
	if m == nil {
		return l
	}
	return api.Latency{Commit: m.commit.read(), Similar: m.similar.read(), Pairs: m.pairs.read(), Query: m.query.read()}
}

// histogram returns the histogram for a call name; nil if the name has none.
func (m *Meter) histogram(name string) *histogram {
	switch name {
	case "Put", "PutNew", "PutUnlessSimilar", "PutNewUnlessSimilar", "UpdateMeta", "Delete", "Erase", "Commit":
		return &m.commit
	case "Similar":
		return &m.similar
	case "Pairs":
		return &m.pairs
	case "Query":
		return &m.query
	}
	return nil
}

// Call is a call in progress, for one goroutine. The caller sets its counts. The zero Call
// measures nothing.
type Call struct {
	Written, Rows int64

	plan      *api.Plan
	ctx       context.Context
	meter     *Meter // nil if nothing measures the call
	histogram *histogram
	name      string
	begin     time.Time
}

// Begin begins a call, which End must follow. It reads the clock only if End needs the time.
func (m *Meter) Begin(ctx context.Context, name string) (c Call) {
	if m == nil {
		return c
	}
	if h := m.histogram(name); h != nil || m.observer != nil {
		c.ctx, c.meter, c.histogram, c.name, c.begin = ctx, m, h, name, time.Now()
	}
	return c
}

// Planned sets the plan of a search; End reads its counts. p may be nil.
func (c *Call) Planned(p *api.Plan) { c.plan = p }

// Wrote ends a call that has written n documents, or none if err is not nil, and returns err.
func (c *Call) Wrote(n int, err error) error {
	if err == nil {
		c.Written = int64(n)
	}
	return c.End(err)
}

// End ends the call and returns err. Further calls of End have no effect.
func (c *Call) End(err error) error {
	m := c.meter
	if m == nil {
		return err
	}
	c.meter = nil
	took := time.Since(c.begin)
	if c.histogram != nil {
		c.histogram.count(took)
	}
	if m.observer == nil {
		return err
	}
	o := api.Operation{Name: c.name, Begin: c.begin, Duration: took, Written: c.Written, Rows: c.Rows, Err: err}
	if c.plan != nil {
		o.Candidates, o.Compared = c.plan.Candidates, c.plan.Verified
	}
	if c.ctx == nil { // the call was refused for its nil context
		c.ctx = context.Background()
	}
	m.observer(c.ctx, o)
	return err
}
