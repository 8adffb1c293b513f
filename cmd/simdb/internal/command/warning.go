package command

// Warnings of databases, one line each on standard error.

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
)

// Warnings returns the logger of databases that commands open. It drops errors of the store,
// because the failing command reports them.
func Warnings() *slog.Logger { return slog.New(warner{out: os.Stderr}) }

// warner writes "simdb: warning: message (key value, …)".
type warner struct {
	out   io.Writer
	attrs []slog.Attr
}

func (warner) Enabled(_ context.Context, l slog.Level) bool { return l == slog.LevelWarn }

func (w warner) Handle(_ context.Context, r slog.Record) error {
	var about []string
	add := func(a slog.Attr) bool {
		about = append(about, fmt.Sprintf("%s %v", a.Key, a.Value))
		return true
	}
	for _, a := range w.attrs {
		add(a)
	}
	r.Attrs(add)
	line := "simdb: warning: " + strings.ReplaceAll(r.Message, "\n", "; ")
	if len(about) > 0 {
		line += " (" + strings.Join(about, ", ") + ")"
	}
	_, err := fmt.Fprintln(w.out, line)
	return err
}

func (w warner) WithAttrs(attrs []slog.Attr) slog.Handler {
	w.attrs = append(w.attrs[:len(w.attrs):len(w.attrs)], attrs...)
	return w
}

// WithGroup ignores groups; the few names of a line need none.
func (w warner) WithGroup(string) slog.Handler { return w }
