package api

// What a caller can act on.

import (
	"errors"
	"fmt"
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

// UnreadableError says that what is stored of one document is damaged. Others may still
// be read.
type UnreadableError struct {
	ID  string
	Err error
}

// Error names the document.
func (e *UnreadableError) Error() string { return fmt.Sprintf("document %q: %v", e.ID, e.Err) }

// Unwrap returns what is wrong with it.
func (e *UnreadableError) Unwrap() error { return e.Err }

// SimilarError refuses a put into a collection with unique_sim: another document is
// too similar. errors.Is(err, ErrSimilar) holds for it.
type SimilarError struct {
	Collection, ID string // of the document that was to be put
	UniqueSim      string // the setting
	Match          Match  // what is there
}

// Error names both documents.
func (e *SimilarError) Error() string {
	return fmt.Sprintf("document %q is %v: %q, sim %.6g (shared %d, union %d); collection %q has unique_sim = %s",
		e.ID, ErrSimilar, e.Match.ID, e.Match.Sim, e.Match.Shared, e.Match.Union, e.Collection, e.UniqueSim)
}

// Is makes it an ErrSimilar.
func (e *SimilarError) Is(target error) bool { return target == ErrSimilar }

// invalid marks a call that can never succeed, and says why.
func invalid(format string, args ...any) error {
	return fmt.Errorf("%w: %w", ErrInvalid, fmt.Errorf(format, args...))
}

// refusal is ErrInvalid and does not say so: its message is read as a part of another.
type refusal string

func (r refusal) Error() string { return string(r) }

func (refusal) Unwrap() error { return ErrInvalid }

func refused(format string, args ...any) error { return refusal(fmt.Sprintf(format, args...)) }
