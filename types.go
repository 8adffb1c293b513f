package simdb

// What is declared elsewhere still.

import (
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/query"
	"github.com/simdb/simdb/query/syntax"
)

type (
	Options      = engine.Options
	Shared       = engine.Shared
	Batch        = engine.Batch
	Rows         = query.Rows
	Row          = query.Row
	ParseError   = syntax.ParseError
	QueryOptions = query.Options
	NamedArg     = query.NamedArg
)
