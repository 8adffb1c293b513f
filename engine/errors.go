package engine

// The errors that callers of the engine can act on.

import "github.com/simdb/simdb/engine/internal/fault"

// What a caller can act on; test with errors.Is.
var (
	ErrNotFound = fault.ErrNotFound
	ErrExists   = fault.ErrExists
	ErrClosed   = fault.ErrClosed
	ErrLocked   = fault.ErrLocked
	ErrCorrupt  = fault.ErrCorrupt
	ErrPoisoned = fault.ErrPoisoned
	ErrFormat   = fault.ErrFormat
	ErrTooLarge = fault.ErrTooLarge
	ErrInvalid  = fault.ErrInvalid
	ErrReadOnly = fault.ErrReadOnly
	ErrUnicode  = fault.ErrUnicode
	ErrNotKept  = fault.ErrNotKept

	ErrNoCollection = fault.ErrNoCollection
	ErrFormatTooNew = fault.ErrFormatTooNew // an ErrFormat too
	ErrSimilar      = fault.ErrSimilar      // a *SimilarError
	ErrMark         = fault.ErrMark         // also ErrInvalid
)
