// Package observe provides observers for Options.Observer: Log writes calls to a slog.Logger, Vars
// counts them in an expvar.Map, and All combines observers. It is separate so that a program that
// does not observe links no expvar, which registers an HTTP handler. Begin with Log.
// The observers are safe for concurrent use.
package observe

import (
	"context"
	"expvar"
	"log/slog"
	"time"

	"github.com/simdb/simdb/api"
)

// Log returns an observer that writes each call to the logger: at level Warn if it failed, at Info
// if it took slow or longer, else at Debug. If slow ≤ 0, no call counts as slow. The observer runs
// in the calling goroutine, so the handler of the logger should not block.
func Log(l *slog.Logger, slow time.Duration) api.Observer {
	return func(ctx context.Context, o api.Operation) {
		level := slog.LevelDebug
		switch {
		case o.Err != nil:
			level = slog.LevelWarn
		case slow > 0 && o.Duration >= slow:
			level = slog.LevelInfo
		}
		if !l.Enabled(ctx, level) {
			return
		}
		list := [...]slog.Attr{slog.String("operation", o.Name), slog.Duration("duration", o.Duration)}
		attrs := list[:]
		for _, n := range counts(&o) {
			if n.value != 0 {
				attrs = append(attrs, slog.Int64(n.name, n.value))
			}
		}
		if o.Err != nil {
			attrs = append(attrs, slog.Any("error", o.Err))
		}
		l.LogAttrs(ctx, level, "simdb", attrs...)
	}
}

// Vars returns an observer that adds each call to the map, under the name of the operation and a
// suffix: Put.calls, Put.errors, Put.nanoseconds, and the counts of api.Operation, such as
// Put.written. A count that was always 0 has no entry. expvar.NewMap publishes its map; several
// databases may share one.
func Vars(m *expvar.Map) api.Observer {
	return func(_ context.Context, o api.Operation) {
		m.Add(o.Name+".calls", 1)
		m.Add(o.Name+".nanoseconds", int64(o.Duration))
		if o.Err != nil {
			m.Add(o.Name+".errors", 1)
		}
		for _, n := range counts(&o) {
			if n.value != 0 {
				m.Add(o.Name+"."+n.name, n.value)
			}
		}
	}
}

// All returns an observer that calls each non-nil observer in order.
func All(observers ...api.Observer) api.Observer {
	return func(ctx context.Context, o api.Operation) {
		for _, observer := range observers {
			if observer != nil {
				observer(ctx, o)
			}
		}
	}
}

// count is a number of an operation, with its name in logs and variables.
type count struct {
	name  string
	value int64
}

// counts returns the numbers of an operation.
func counts(o *api.Operation) [4]count {
	return [...]count{{"written", o.Written}, {"rows", o.Rows}, {"candidates", o.Candidates}, {"compared", o.Compared}}
}
