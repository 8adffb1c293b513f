// Package join finds the pairs that may be similar, within a collection or between two, each once.
// Its input is the facts and postings of package index, or lists read by the caller; its output is
// pairs of set numbers. The caller chooses the number of goroutines:
//
//	Sets      sets that share enough members: no false negatives, for every measure of bags
//	Chunks    documents that may share enough chunks, with exact counts
//	Words     vectors of words with a high enough cosine: exact
//	Near      sets with fingerprints within a distance: exact
//
// The package has no notion of texts, ids or stores, and reads no clock. Data that exceeds its
// memory goes to a Scratch; FileScratch keeps it in a file that the caller creates. Begin
// reading with Sets.Pairs in pairs.go.
//
// Other modules can import the package, but only the root package and the command are stable.
package join
