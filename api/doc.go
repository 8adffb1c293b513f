// Package api declares the types that a caller exchanges with simdb: documents and settings,
// targets and measures, rows and errors. Each is declared once, here; package simdb opens databases
// and searches them. Begin reading with [Document], [Target], [Measure] and [Match].
//
// The package imports no other package of simdb. It computes only properties of its own values: a
// threshold from its text, the symmetry of a measure. Its values are safe for concurrent reads.
package api
