// Package transfer brings documents into a store and out of it: imports of files and
// records, syncs of a folder, dumps and their restore. What it knows of its progress are
// notes in the batches of the documents. It knows nothing of how the store works.
package transfer
