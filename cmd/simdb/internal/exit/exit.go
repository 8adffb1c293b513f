// Package exit defines how commands fail: an exit code for scripts and a one-line message for
// people.
//
// Exit codes are a contract; Meanings documents them. Begin reading at Error, and at MessageOf,
// which adds the remedy to errors of the store.
package exit

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"syscall"

	"github.com/simdb/simdb/api"
)

// Exit codes. Scripts rely on them, so their meaning never changes.
const (
	OK          = 0
	Rejected    = 1   // a rejected statement, an unknown document, any other failure
	Usage       = 2   // the command line is wrong
	Incomplete  = 3   // import finished with rejects, or check found problems
	Unavailable = 4   // a path is missing or unreadable, or the database is locked
	Corrupt     = 5   // stored data is inconsistent or missing
	CtrlC       = 130 // interrupted
	Unread      = 141 // the reader of the output closed it
)

// Meanings describes the exit codes for the manual pages. A test keeps docs/commands.md equal.
var Meanings = []struct {
	Code  int
	Means string
}{
	{OK, "the command succeeded"},
	{Rejected, "a rejected statement, an unknown document, or any failure that has no code of its own"},
	{Usage, "the command line is wrong; nothing was opened or created"},
	{Incomplete, "the import finished with rejects, the check found problems, a row of the ledger is wrong, or the salvage lost something"},
	{Unavailable, "a path is missing or unreadable, or the database is open in another process or was written by another version"},
	{Corrupt, "stored data is inconsistent or missing"},
	{CtrlC, "interrupted by Ctrl-C"},
	{Unread, "the reader of the output closed it before the last row, as head does; without a message"},
}

// Error is an error with an exit code. Its message is empty if the command has written all
// messages itself.
type Error struct {
	Code    int
	Message string
	Err     error
}

func (f *Error) Error() string { return f.Message }
func (f *Error) Unwrap() error { return f.Err }

// Usagef returns an error of the command line, with code Usage.
func Usagef(format string, args ...any) error {
	return &Error{Code: Usage, Message: fmt.Sprintf(format, args...)}
}

// Failf returns an error with an exit code and a one-line message.
func Failf(code int, format string, args ...any) error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// Reported returns an error with an exit code and without a message, for a command that has written
// its messages.
func Reported(code int) error { return &Error{Code: code} }

// CodeOf returns the exit code of an error, OK for nil.
func CodeOf(err error) int {
	var f *Error
	switch {
	case err == nil:
		return OK
	case BrokenPipe(err):
		return Unread
	case errors.As(err, &f):
		return f.Code
	case errors.Is(err, context.Canceled):
		return CtrlC
	case errors.Is(err, api.ErrCorrupt):
		return Corrupt
	case errors.Is(err, api.ErrLocked), errors.Is(err, api.ErrFormat), errors.Is(err, api.ErrUnicode),
		errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.ENOTDIR):
		return Unavailable
	default:
		return Rejected
	}
}

// MessageOf returns a one-line message with the cause and the remedy, or "" if the command has
// written it.
func MessageOf(err error) string {
	var f *Error
	switch {
	case err == nil, BrokenPipe(err):
		return ""
	case errors.As(err, &f):
		return f.Message
	case errors.Is(err, context.Canceled):
		return "interrupted"
	case errors.Is(err, api.ErrCorrupt):
		return err.Error() + "; go back to a backup, or save with simdb export what can be read"
	case errors.Is(err, api.ErrFormatTooNew):
		return err.Error() // contains the remedy
	case errors.Is(err, api.ErrFormat):
		return err.Error() + "; dump it with that version, and restore the dump with this one"
	case TooManyOpen(err):
		return OneLine(err) + "; raise the limit of open files, as with ulimit -n 1024, or end other programs, then run the command again"
	case errors.Is(err, api.ErrReadOnly):
		return err.Error() + "; leave --read-only out, end what else has it open, or see that its directory can be written"
	case errors.Is(err, api.ErrPoisoned):
		return OneLine(err) + "; look for a full or failing disk, then run the command again: what was acknowledged is safe"
	case errors.Is(err, fs.ErrPermission):
		return OneLine(err) + "; check who may read and write there"
	case DiskFull(err):
		return OneLine(err) + "; free some space there, then run the command again"
	default:
		return err.Error()
	}
}

// OneLine returns the text of an error in one line, without duplicate lines of joined errors.
func OneLine(err error) string {
	var lines []string
	for line := range strings.SplitSeq(err.Error(), "\n") {
		said := func(before string) bool { return strings.Contains(before, line) }
		if !slices.ContainsFunc(lines, said) {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "; ")
}

// Interrupted adds the resulting state to an error caused by Ctrl-C. It returns other errors
// unchanged.
func Interrupted(err error, left string) error {
	if !errors.Is(err, context.Canceled) {
		return err
	}
	return &Error{Code: CtrlC, Err: err, Message: "interrupted; " + left}
}

// DiskFull reports whether a write failed for lack of space: on the disk, within a quota, or
// within the maximal file size.
func DiskFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EFBIG)
}

// TooManyOpen reports whether the process or the system has no file descriptor left.
func TooManyOpen(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE)
}

// BrokenPipe reports whether the reader of the output closed it, as head does. The exit code tells
// a script that the output is incomplete; a message would disturb a user who wants no more rows.
func BrokenPipe(err error) bool { return errors.Is(err, syscall.EPIPE) }
