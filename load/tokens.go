package load

// Tokens supplied with a record, for a collection with unit = 'token'.

import (
	"errors"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/internal/ingest"
)

var errNoTokens = errors.New(`no list of strings in "tokens", which unit = 'token' needs`)

// importedTokens splits the fields of a record into its tokens and its metadata.
func importedTokens(fields api.Meta) ([]string, api.Meta, error) {
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
	rest := make(api.Meta, len(fields))
	for name, v := range fields {
		if name != "tokens" {
			rest[ingest.HomeName(name, "tokens")] = v
		}
	}
	return tokens, rest, nil
}
