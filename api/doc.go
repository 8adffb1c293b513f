// Package api has the words that a caller and simdb exchange: documents and settings, what
// is looked for and by which measure, the rows of answers, and the errors. Each is declared
// here once, and every other package uses it from here. Package simdb opens databases and
// asks them.
//
// The package imports nothing of simdb. It computes only what follows from its own values:
// a threshold from its text, whether a measure is symmetric.
package api
