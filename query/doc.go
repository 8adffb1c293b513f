// Package query turns a statement into rows: lex, parse, plan, run.
//
// In come the text of a statement, its arguments and an *engine.DB. Out come
// Rows, read as a stream, or a *ParseError that names a line, a column, what
// was wanted and what stood there. The package does not know how a search is
// answered (the engine does), or how rows are shown (the commands do).
//
// It is reachable from outside the module, but promises nothing to it: only the root package
// and the command do.
//
// Its language is query/syntax.
package query
