package transfer

// Tokens that come with a record of an import, for a collection of own tokens.

import (
	"errors"
	"strings"

	"github.com/simdb/simdb/api"
)

var errNoTokens = errors.New(`no list of strings in "tokens", which unit = 'token' needs`)

// importedTokens takes the tokens out of the fields of a record.
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
			rest[ownName(name)] = v
		}
	}
	return tokens, rest, nil
}

// ownName takes away the "meta." that export writes before a field that is called tokens,
// or that was called like that and has a "meta." already.
func ownName(name string) string {
	own, renamed := strings.CutPrefix(name, "meta.")
	bare := own
	for strings.HasPrefix(bare, "meta.") {
		bare = strings.TrimPrefix(bare, "meta.")
	}
	if renamed && bare == "tokens" {
		return own
	}
	return name
}
