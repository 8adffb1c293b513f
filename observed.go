package simdb

// Measurement of calls, for Options.Observer and Metrics.

import (
	"context"
	"iter"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/internal/meter"
)

// begin starts a measured call; End must follow.
func (db *DB) begin(ctx context.Context, name string) meter.Call {
	return db.meter.Begin(ctx, name)
}

// observed measures each loop over the rows as one call.
func observed[T any](ctx context.Context, m *meter.Meter, name string, rows iter.Seq2[T, error]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		c := m.Begin(ctx, name)
		loop(&c, rows, yield)
	}
}

// loop passes rows to yield, counts them, and ends the call. Leaving the loop early is not a
// failure.
func loop[T any](c *meter.Call, rows iter.Seq2[T, error], yield func(T, error) bool) {
	var failed error
	for row, err := range rows {
		if failed = err; err == nil {
			c.Rows++
		}
		if !yield(row, err) {
			break
		}
	}
	c.End(failed)
}

// written returns the number of documents that a batch changed.
func written(s api.BatchStats) int { return s.Inserted + s.Replaced + s.Updated + s.Deleted }
