package simdb

import (
	"fmt"
	"io"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
)

// BuiltInEntities returns the built-in extractor of entities, for Options.Entities. The gazetteer
// lists names, one per line. Each line of synonyms lists the terms for one thing, separated by
// commas. Either may be nil.
func BuiltInEntities(gazetteer, synonyms io.Reader) (*api.EntityExtractor, error) {
	return engine.BuiltInEntities(gazetteer, synonyms)
}

// invalid returns an ErrInvalid with the reason.
func invalid(format string, args ...any) error {
	return fmt.Errorf("%w: %s", api.ErrInvalid, fmt.Sprintf(format, args...))
}
