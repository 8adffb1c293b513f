// Package query runs statements of the query language: [Run] takes the text of a statement
// and an *engine.DB, and returns [Rows] as a stream, or an *api.ParseError with the line,
// the column, the expected and the found text.
//
// The package owns the limits of a statement (files, writes, rows, time) and the reading of
// its rows. Begin with [Run] in run.go, then follow a statement through the subpackages:
//
//   - query/syntax parses the text into a tree, and has the grammar.
//   - query/plan turns the tree into a plan over a plan.Reader; query/shards makes one Reader of several stores.
//   - query/run executes a plan and applies writes.
//   - query/value compares, sorts and matches the values in predicates.
//
// The package can be imported from outside the module, but without any promise of
// stability: only the root package and the command give one.
package query
