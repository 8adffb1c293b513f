// Package join finds the pairs of a collection, or of two, that may be similar, each once.
// In come the facts and postings that package index keeps of the sets, or lists that the
// caller has read. Out go pairs of set numbers. The caller says how many goroutines a join
// uses:
//
//	Sets      sets that share enough members: safe for every measure of bags
//	Chunks    documents that may share enough chunks, with exact counts
//	Words     vectors of words whose cosine is high enough: exact
//	Near      sets with fingerprints within a distance: exact
//
// The package knows nothing of texts, ids or stores, and reads no clock. What has no room
// in memory it hands to a Scratch; FileScratch is one in a file that the caller makes.
//
// It is reachable from outside the module, but promises nothing to it: only the root package
// and the command do.
package join
