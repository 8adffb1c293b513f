package observe_test

import (
	"bytes"
	"context"
	"errors"
	"expvar"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/observe"
)

// The level of a call depends on its error and duration; counts of 0 are left out.
func TestLog(t *testing.T) {
	var out bytes.Buffer
	at := func(level slog.Level) *slog.Logger {
		out.Reset()
		return slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: level, ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		}}))
	}
	for _, of := range []struct {
		slow time.Duration
		o    api.Operation
		want string
	}{
		{0, api.Operation{Name: "Put", Duration: time.Hour, Written: 2}, "level=DEBUG msg=simdb operation=Put duration=1h0m0s written=2\n"},
		{time.Second, api.Operation{Name: "Similar", Duration: time.Second, Rows: 3, Candidates: 9, Compared: 4}, "level=INFO msg=simdb operation=Similar duration=1s rows=3 candidates=9 compared=4\n"},
		{time.Second, api.Operation{Name: "Get", Duration: time.Second - 1}, "level=DEBUG msg=simdb operation=Get duration=999.999999ms\n"},
		{time.Second, api.Operation{Name: "Get", Duration: 1, Err: api.ErrNotFound}, "level=WARN msg=simdb operation=Get duration=1ns error=\"" + api.ErrNotFound.Error() + "\"\n"},
	} {
		observe.Log(at(slog.LevelDebug), of.slow)(t.Context(), of.o)
		if got := strings.TrimLeft(out.String(), " "); got != of.want {
			t.Errorf("logged %swant %s", got, of.want)
		}
	}
	observe.Log(at(slog.LevelInfo), 0)(t.Context(), api.Operation{Name: "Put"})
	if out.Len() > 0 {
		t.Errorf("a logger of level Info has %s", out.String())
	}
}

// Concurrent calls add up.
func TestVars(t *testing.T) {
	var m expvar.Map
	observer := observe.Vars(&m)
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			for range 100 {
				observer(context.Background(), api.Operation{Name: "Put", Duration: 3, Written: 2})
			}
			observer(context.Background(), api.Operation{Name: "Put", Err: errors.New("broken")})
		})
	}
	wait.Wait()
	const want = `{"Put.calls": 404, "Put.errors": 4, "Put.nanoseconds": 1200, "Put.written": 800}`
	if got := m.String(); got != want {
		t.Errorf("the map is %s, want %s", got, want)
	}
}

// All calls every observer, in order.
func TestAll(t *testing.T) {
	var seen []string
	note := func(who string) api.Observer {
		return func(_ context.Context, o api.Operation) { seen = append(seen, who+" "+o.Name) }
	}
	observe.All(note("first"), nil, note("second"))(t.Context(), api.Operation{Name: "Query"})
	if got := strings.Join(seen, ", "); got != "first Query, second Query" {
		t.Errorf("called %s", got)
	}
}
