package simdb

// What is declared elsewhere still.

import (
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/query"
)

type (
	Options       = engine.Options
	Batch         = engine.Batch
	Snapshot      = engine.Snapshot
	Search        = engine.Search
	Relations     = engine.Relations
	Result[T any] = engine.Result[T]
	ShardMatch    = query.ShardMatch
	Rows          = query.Rows
	Row           = query.Row
	ParseError    = query.ParseError
	QueryOptions  = query.Options
	NamedArg      = query.NamedArg
)
