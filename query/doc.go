// Package query is the door to the query language: a statement goes in, rows come out.
//
// In come the text of a statement, its arguments and an *engine.DB, or several. Out come Rows,
// read as a stream, or an *api.ParseError that names a line, a column, what was wanted and
// what stood there. The package holds what a caller lets a statement do, and how rows are read.
//
// A statement passes each of the rooms below once:
//
//   - query/syntax: from text to a tree; it has the grammar.
//   - query/plan: from a tree to what is to be done, asked of a plan.Reader; query/shards makes
//     one of several stores.
//   - query/run: from a plan to rows, and what is written.
//   - query/value: what fields and constants have in predicates.
//
// It is reachable from outside the module, but promises nothing to it: only the root package
// and the command do.
package query
