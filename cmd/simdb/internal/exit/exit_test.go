package exit

// Exit codes and messages by kind of error.

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
	"testing"

	"github.com/simdb/simdb/api"
)

func TestCodeOf(t *testing.T) {
	for _, tt := range []struct {
		err    error
		code   int
		silent bool
	}{
		{nil, 0, true},
		{&os.PathError{Op: "write", Path: "|1", Err: syscall.EPIPE}, 141, true},
		{errors.New("anything"), 1, false},
		{api.ErrNotFound, 1, false},
		{&api.ParseError{Line: 1, Col: 2, Expected: "a name"}, 1, false},
		{api.ErrPoisoned, 1, false},
		{Usagef("no"), 2, false},
		{Failf(Incomplete, "rejects"), 3, false},
		{Reported(Incomplete), 3, true},
		{fmt.Errorf("open: %w", fs.ErrNotExist), 4, false},
		{fmt.Errorf("open: %w", fs.ErrPermission), 4, false},
		{fmt.Errorf("open: %w", api.ErrLocked), 4, false},
		{fmt.Errorf("open: %w", api.ErrFormat), 4, false},
		{fmt.Errorf("open: %w", api.ErrFormatTooNew), 4, false},
		{fmt.Errorf("open: %w", api.ErrCorrupt), 5, false},
		{fmt.Errorf("query: %w", context.Canceled), 130, false},
	} {
		if got := CodeOf(tt.err); got != tt.code {
			t.Errorf("CodeOf(%v) = %d, want %d", tt.err, got, tt.code)
		}
		if got := MessageOf(tt.err); (got == "") != tt.silent {
			t.Errorf("MessageOf(%v) = %q, want silent: %v", tt.err, got, tt.silent)
		}
	}
}

// A message is one line with cause and remedy, even for joined errors with equal texts.
func TestMessageOf(t *testing.T) {
	full := &os.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC}
	broken := fmt.Errorf("%w: %w", api.ErrPoisoned, full)
	for _, tt := range []struct {
		err  error
		want string
	}{
		{full, full.Error() + "; free some space there, then run the command again"},
		{errors.Join(full, full), full.Error() + "; free some space there, then run the command again"},
		{errors.Join(broken, broken), broken.Error() + "; look for a full or failing disk, then run the command again: what was acknowledged is safe"},
		{&os.PathError{Op: "open", Path: "x", Err: syscall.EMFILE}, "open x: too many open files; raise the limit of open files, as with ulimit -n 1024, or end other programs, then run the command again"},
		{fmt.Errorf("%w: %w", api.ErrPoisoned, syscall.ENFILE), api.ErrPoisoned.Error() + ": too many open files in system; raise the limit of open files, as with ulimit -n 1024, or end other programs, then run the command again"},
		{api.ErrFormat, api.ErrFormat.Error() + "; dump it with that version, and restore the dump with this one"},
		{&os.PathError{Op: "open", Path: "x", Err: fs.ErrPermission}, "open x: " + fs.ErrPermission.Error() + "; check who may read and write there"},
		{Interrupted(fmt.Errorf("dump: %w", context.Canceled), "nothing is written"), "interrupted; nothing is written"},
		{Interrupted(full, "nothing is written"), full.Error() + "; free some space there, then run the command again"},
	} {
		if got := MessageOf(tt.err); got != tt.want {
			t.Errorf("MessageOf(%v) = %q, want %q", tt.err, got, tt.want)
		}
	}
}
