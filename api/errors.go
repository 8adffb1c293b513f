package api

// Errors that a caller can handle.

import (
	"errors"
	"fmt"
)

// Errors that a caller can handle; test with errors.Is, because calls wrap them with the place.
var (
	ErrNotFound = errors.New("not found")
	ErrExists   = errors.New("already exists")
	ErrClosed   = errors.New("store is closed")
	ErrLocked   = errors.New("store is open elsewhere")
	ErrCorrupt  = errors.New("store is corrupt")
	ErrPoisoned = errors.New("an earlier write failed, so the store accepts no more writes; reopen it")
	ErrFormat   = errors.New("store was written by another version of simdb")
	ErrTooLarge = errors.New("too large")
	ErrInvalid  = errors.New("invalid argument")
	ErrReadOnly = errors.New("store is open for reading only")
	ErrUnicode  = errors.New("texts were read with other Unicode tables")
	ErrNotKept  = errors.New("not in the history")
	ErrSimilar  = errors.New("similar to a stored document")

	// ErrNoCollection is also an ErrNotFound.
	ErrNoCollection error = noCollection{}
	// ErrFormatTooNew is also an ErrFormat.
	ErrFormatTooNew error = formatTooNew{}
)

// noCollection has the message of ErrNotFound and wraps it.
type noCollection struct{}

func (noCollection) Error() string { return ErrNotFound.Error() }

func (noCollection) Unwrap() error { return ErrNotFound }

// formatTooNew reports a format of a later version of simdb.
type formatTooNew struct{}

func (formatTooNew) Error() string { return "store was written by a newer version of simdb" }

func (formatTooNew) Unwrap() error { return ErrFormat }

// ErrMark is the ErrInvalid for a mark that belongs to another store, or to a state that the store
// has not reached. The caller must start again without Since, and take a new mark.
var ErrMark = fmt.Errorf("%w: mark", ErrInvalid)

// UnreadableError reports damage to one stored document. Other documents may still be readable.
type UnreadableError struct {
	ID  string
	Err error
}

// Error returns the id and the cause.
func (e *UnreadableError) Error() string { return fmt.Sprintf("document %q: %v", e.ID, e.Err) }

// Unwrap returns the cause.
func (e *UnreadableError) Unwrap() error { return e.Err }

// SimilarError rejects a put into a collection with unique_sim, because another document is too
// similar. errors.Is(err, ErrSimilar) holds for it.
type SimilarError struct {
	Collection, ID string // of the rejected document
	UniqueSim      string // the setting
	Match          Match  // the similar document
}

// Error returns both ids and the similarity.
func (e *SimilarError) Error() string {
	return fmt.Sprintf("document %q is %v: %q, sim %.6g (shared %d, union %d); collection %q has unique_sim = %s",
		e.ID, ErrSimilar, e.Match.ID, e.Match.Sim, e.Match.Shared, e.Match.Union, e.Collection, e.UniqueSim)
}

// Is matches ErrSimilar.
func (e *SimilarError) Is(target error) bool { return target == ErrSimilar }

// invalid returns an ErrInvalid with the reason.
func invalid(format string, args ...any) error {
	return fmt.Errorf("%w: %w", ErrInvalid, fmt.Errorf(format, args...))
}

// refusal is an ErrInvalid without the prefix "invalid argument", because its message becomes part of
// another one.
type refusal string

func (r refusal) Error() string { return string(r) }

func (refusal) Unwrap() error { return ErrInvalid }

// refused returns a refusal.
func refused(format string, args ...any) error { return refusal(fmt.Sprintf(format, args...)) }
