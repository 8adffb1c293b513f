package main

// The exit code of each kind of error.

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
	"testing"

	"github.com/simdb/simdb"
)

func TestCodeOf(t *testing.T) {
	for _, tt := range []struct {
		err    error
		code   int
		silent bool
	}{
		{nil, 0, true},
		{&os.PathError{Op: "write", Path: "|1", Err: syscall.EPIPE}, 0, true},
		{errors.New("anything"), 1, false},
		{simdb.ErrNotFound, 1, false},
		{&simdb.ParseError{Line: 1, Col: 2, Expected: "a name"}, 1, false},
		{simdb.ErrPoisoned, 1, false},
		{usagef("no"), 2, false},
		{failf(exitIncomplete, "rejects"), 3, false},
		{said(exitIncomplete), 3, true},
		{fmt.Errorf("open: %w", fs.ErrNotExist), 4, false},
		{fmt.Errorf("open: %w", fs.ErrPermission), 4, false},
		{fmt.Errorf("open: %w", simdb.ErrLocked), 4, false},
		{fmt.Errorf("open: %w", simdb.ErrFormat), 4, false},
		{fmt.Errorf("open: %w", simdb.ErrCorrupt), 5, false},
		{fmt.Errorf("query: %w", context.Canceled), 130, false},
	} {
		if got := codeOf(tt.err); got != tt.code {
			t.Errorf("codeOf(%v) = %d, want %d", tt.err, got, tt.code)
		}
		if got := messageOf(tt.err); (got == "") != tt.silent {
			t.Errorf("messageOf(%v) = %q, want silent: %v", tt.err, got, tt.silent)
		}
	}
}
