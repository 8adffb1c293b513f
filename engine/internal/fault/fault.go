// Package fault names what can go wrong in a store. Every room of the engine
// returns these errors; the engine shows them to callers under the same names.
package fault

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/simdb/simdb/internal/version"
)

// What a caller can act on; test with errors.Is.
var (
	ErrNotFound = errors.New("not found")
	ErrExists   = errors.New("already exists")
	ErrClosed   = errors.New("store is closed")
	ErrLocked   = errors.New("store is open elsewhere")
	ErrCorrupt  = errors.New("store is corrupt")
	ErrPoisoned = errors.New("an earlier write failed, so the store takes no more; reopen it")
	ErrFormat   = errors.New("store was written by another version of simdb")
	ErrTooLarge = errors.New("too large")
	ErrInvalid  = errors.New("invalid argument")
	ErrReadOnly = errors.New("store is open for reading only")
	ErrUnicode  = errors.New("texts were read with other Unicode tables")
	ErrNotKept  = errors.New("not in the history")
	ErrSimilar  = errors.New("similar to a stored document")

	// ErrNoCollection is an ErrNotFound too.
	ErrNoCollection error = noCollection{}
	// ErrFormatTooNew is an ErrFormat too.
	ErrFormatTooNew error = formatTooNew{}
)

// noCollection reads like any other thing that is not found.
type noCollection struct{}

func (noCollection) Error() string { return ErrNotFound.Error() }
func (noCollection) Unwrap() error { return ErrNotFound }

// formatTooNew is what a later version of simdb has written.
type formatTooNew struct{}

func (formatTooNew) Error() string { return "store was written by a newer version of simdb" }
func (formatTooNew) Unwrap() error { return ErrFormat }

// ErrMark is ErrInvalid for a mark that is not one of the store, or lies in its future:
// all that a caller can do is to look at everything, and take a new mark.
var ErrMark = fmt.Errorf("%w: mark", ErrInvalid)

// Corrupt marks stored bytes that do not decode, and says which.
func Corrupt(format string, args ...any) error {
	return fmt.Errorf("%w: %w", ErrCorrupt, fmt.Errorf(format, args...))
}

// TooNew marks stored bytes of a format that only later versions know. The message says
// which it is and what this one reads; by is the version that wrote it, "" if nothing says.
func TooNew(path, by string, format, known uint64) error {
	wrote := ""
	if by != "" {
		wrote = ", written by simdb " + by
	}
	return fmt.Errorf("%w: %s has format %d%s; simdb %s reads formats up to %d; open it with that version or a later one",
		ErrFormatTooNew, path, format, wrote, version.Version, known)
}

// Invalid marks a call that can never succeed, and says why.
func Invalid(format string, args ...any) error {
	return fmt.Errorf("%w: %w", ErrInvalid, fmt.Errorf(format, args...))
}

// NotKept marks changes that were asked for and are not in the history.
func NotKept(format string, args ...any) error {
	return fmt.Errorf("%w: %w", ErrNotKept, fmt.Errorf(format, args...))
}

// Missing marks a store that is not there, which is fs.ErrNotExist, as Open says it.
func Missing(format string, args ...any) error {
	return fmt.Errorf("%w: %w", fmt.Errorf(format, args...), fs.ErrNotExist)
}
