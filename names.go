package simdb

import (
	"fmt"
	"io"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
)

// BuiltInEntities is the built-in extractor of entities with a list of names, one a line, and
// groups of terms for one thing, one group a line with commas between; either may be nil.
// It is for Options.Entities.
func BuiltInEntities(gazetteer, synonyms io.Reader) (*api.EntityExtractor, error) {
	return engine.BuiltInEntities(gazetteer, synonyms)
}

// invalid marks a call that can never succeed, and says why.
func invalid(format string, args ...any) error {
	return fmt.Errorf("%w: %s", api.ErrInvalid, fmt.Sprintf(format, args...))
}
