// Package fault builds the errors of a store: each wraps a sentinel of package api, which
// callers test with errors.Is, and a message with the place. All packages below engine return
// these errors.
package fault

import (
	"fmt"
	"io/fs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/internal/version"
)

// Corrupt returns an api.ErrCorrupt: stored bytes do not decode. The message names their place.
func Corrupt(format string, args ...any) error {
	return fmt.Errorf("%w: %w", api.ErrCorrupt, fmt.Errorf(format, args...))
}

// TooNew returns an api.ErrFormatTooNew: path has a format later than known. by is the version
// of simdb that wrote it, "" if unknown.
func TooNew(path, by string, format, known uint64) error {
	wrote := ""
	if by != "" {
		wrote = ", written by simdb " + by
	}
	return fmt.Errorf("%w: %s has format %d%s; simdb %s reads formats up to %d; open it with that version or a later one",
		api.ErrFormatTooNew, path, format, wrote, version.Version, known)
}

// Invalid returns an api.ErrInvalid: a call that can never succeed. The message gives the
// reason.
func Invalid(format string, args ...any) error {
	return fmt.Errorf("%w: %w", api.ErrInvalid, fmt.Errorf(format, args...))
}

// NotKept returns an api.ErrNotKept: the history lacks the requested changes.
func NotKept(format string, args ...any) error {
	return fmt.Errorf("%w: %w", api.ErrNotKept, fmt.Errorf(format, args...))
}

// Missing returns an fs.ErrNotExist for a store or backup that does not exist.
func Missing(format string, args ...any) error {
	return fmt.Errorf("%w: %w", fmt.Errorf(format, args...), fs.ErrNotExist)
}
