// Package join finds the pairs of a collection that may be similar, each once.
// In come the facts and postings that package index keeps of the sets. Out go
// pairs of set numbers, in portions. The caller says how many goroutines a join
// uses:
//
//	Postings      sets that share a prefix bucket: safe for resemblance; interval buckets: lossy
//	Signatures    each set with each of a fitting size, by parity signatures: safe for resemblance
//	Counting      sets that share enough members, which are counted: safe for resemblance
//	Near          sets with fingerprints within a distance: exact
//
// The package knows nothing of texts, ids or stores, does no I/O and reads no
// clock. What has no room in memory it hands to a Scratch. It predicts the cost
// of each join, and its caller chooses.
//
// It is reachable from outside the module, but promises nothing to it: only the root package
// and the command do.
package join
