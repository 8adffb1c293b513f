package simdb

// Tokens that come with a record of an import, for a collection of own tokens.

import (
	"errors"
	"maps"
)

var errNoTokens = errors.New(`no list of strings in "tokens", which unit = 'token' needs`)

// importedTokens takes the tokens out of the fields of a record.
func importedTokens(fields Meta) ([]string, Meta, error) {
	list, ok := fields["tokens"].([]any)
	if !ok {
		return nil, nil, errNoTokens
	}
	tokens := make([]string, len(list))
	for i, t := range list {
		if tokens[i], ok = t.(string); !ok {
			return nil, nil, errNoTokens
		}
	}
	rest := maps.Clone(fields)
	delete(rest, "tokens")
	return tokens, rest, nil
}
