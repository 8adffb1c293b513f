package command

// What the database has to say that is no error: warnings, each a line on stderr.

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
)

// Warnings is the logger of the databases that commands open. An error of the store
// is not repeated here: the command that meets it ends with it.
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

// WithGroup keeps the names as they are: a line has room for few.
func (w warner) WithGroup(string) slog.Handler { return w }
