package main

// Errors in the form in which a command ends with them: an exit code for
// scripts, and one line for people.

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

// The exit codes. Scripts rely on them, so their meaning never changes.
const (
	exitOK          = 0
	exitRejected    = 1   // a rejected statement, an unknown document, any other failure
	exitUsage       = 2   // the command line is wrong
	exitIncomplete  = 3   // import finished with rejects, or check found problems
	exitUnavailable = 4   // a path is missing or unreadable, or the database is locked
	exitCorrupt     = 5   // the stored bytes contradict themselves
	exitInterrupted = 130 // Ctrl-C
)

// exitMeanings are the exit codes in words, as the manual and docs/commands.md have
// them.
var exitMeanings = []struct {
	code  int
	means string
}{
	{exitOK, "the command succeeded; also if the reader of the output leaves early, as head does"},
	{exitRejected, "a rejected statement, an unknown document, or any failure that has no code of its own"},
	{exitUsage, "the command line is wrong; nothing was opened or made"},
	{exitIncomplete, "the import finished with rejects, the check found problems, or the salvage lost something"},
	{exitUnavailable, "a path is missing or may not be read, the database is open in another process, or another version wrote it"},
	{exitCorrupt, "the stored bytes contradict themselves, or some are missing"},
	{exitInterrupted, "interrupted by Ctrl-C"},
}

// failure is an error with an exit code. It has no message if all messages have
// been written already.
type failure struct {
	code    int
	message string
	err     error
}

func (f *failure) Error() string { return f.message }
func (f *failure) Unwrap() error { return f.err }

func usagef(format string, args ...any) error {
	return &failure{code: exitUsage, message: fmt.Sprintf(format, args...)}
}

func failf(code int, format string, args ...any) error {
	return &failure{code: code, message: fmt.Sprintf(format, args...)}
}

// said ends a command whose messages have been written already.
func said(code int) error { return &failure{code: code} }

// codeOf returns the exit code that tells a script what kind of error this is.
func codeOf(err error) int {
	var f *failure
	switch {
	case err == nil, brokenPipe(err):
		return exitOK
	case errors.As(err, &f):
		return f.code
	case errors.Is(err, context.Canceled):
		return exitInterrupted
	case errors.Is(err, api.ErrCorrupt):
		return exitCorrupt
	case errors.Is(err, api.ErrLocked), errors.Is(err, api.ErrFormat), errors.Is(err, api.ErrUnicode),
		errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.ENOTDIR):
		return exitUnavailable
	default:
		return exitRejected
	}
}

// messageOf returns one line that says what went wrong and what to do. It is ""
// if the message has been written already.
func messageOf(err error) string {
	var f *failure
	switch {
	case err == nil, brokenPipe(err):
		return ""
	case errors.As(err, &f):
		return f.message
	case errors.Is(err, context.Canceled):
		return "interrupted"
	case errors.Is(err, api.ErrCorrupt):
		return err.Error() + "; go back to a backup, or save with simdb export what can be read"
	case errors.Is(err, api.ErrFormatTooNew):
		return err.Error() // which says what to do
	case errors.Is(err, api.ErrFormat):
		return err.Error() + "; dump it with that version, and restore the dump with this one"
	case errors.Is(err, api.ErrReadOnly):
		return err.Error() + "; leave --read-only out, end what else has it open, or see that its directory can be written"
	case errors.Is(err, api.ErrPoisoned):
		return oneLine(err) + "; look for a full or failing disk, then run the command again: what was acknowledged is safe"
	case errors.Is(err, fs.ErrPermission):
		return oneLine(err) + "; check who may read and write there"
	case diskFull(err):
		return oneLine(err) + "; free some space there, then run the command again"
	default:
		return err.Error()
	}
}

// oneLine is the text of an error, without the lines that joined errors have in common.
func oneLine(err error) string {
	var lines []string
	for line := range strings.SplitSeq(err.Error(), "\n") {
		said := func(before string) bool { return strings.Contains(before, line) }
		if !slices.ContainsFunc(lines, said) {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "; ")
}

// interrupted says what Ctrl-C left. Other errors stay as they are.
func interrupted(err error, left string) error {
	if !errors.Is(err, context.Canceled) {
		return err
	}
	return &failure{code: exitInterrupted, err: err, message: "interrupted; " + left}
}

// diskFull reports whether a write found no room: on the disk, within a quota, or within
// the largest size that a file may have.
func diskFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EFBIG)
}

// brokenPipe reports whether the reader of our output has left, as head does.
// It has what it wanted, so that is no failure.
func brokenPipe(err error) bool { return errors.Is(err, syscall.EPIPE) }
