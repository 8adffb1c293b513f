// Package fault names what can go wrong in a store. Every room of the engine
// returns these errors; the engine shows them to callers under the same names.
package fault

import (
	"fmt"
	"io/fs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/internal/version"
)

// Corrupt marks stored bytes that do not decode, and says which.
func Corrupt(format string, args ...any) error {
	return fmt.Errorf("%w: %w", api.ErrCorrupt, fmt.Errorf(format, args...))
}

// TooNew marks stored bytes of a format that only later versions know. The message says
// which it is and what this one reads; by is the version that wrote it, "" if nothing says.
func TooNew(path, by string, format, known uint64) error {
	wrote := ""
	if by != "" {
		wrote = ", written by simdb " + by
	}
	return fmt.Errorf("%w: %s has format %d%s; simdb %s reads formats up to %d; open it with that version or a later one",
		api.ErrFormatTooNew, path, format, wrote, version.Version, known)
}

// Invalid marks a call that can never succeed, and says why.
func Invalid(format string, args ...any) error {
	return fmt.Errorf("%w: %w", api.ErrInvalid, fmt.Errorf(format, args...))
}

// NotKept marks changes that were asked for and are not in the history.
func NotKept(format string, args ...any) error {
	return fmt.Errorf("%w: %w", api.ErrNotKept, fmt.Errorf(format, args...))
}

// Missing marks a store that is not there, which is fs.ErrNotExist, as Open says it.
func Missing(format string, args ...any) error {
	return fmt.Errorf("%w: %w", fmt.Errorf(format, args...), fs.ErrNotExist)
}
