// Package load brings documents into a database and out of it: imports of files and records, syncs of a
// folder, dumps and their restore.
//
//	stats, err := load.Import(ctx, db, []string{"papers"}, api.ImportOptions{})
//	err = load.Dump(ctx, db, out)
//
// It stands beside package simdb so that a program without imports links none of the readers of formats. It
// uses only the exported methods of simdb.DB, and keeps its progress as notes (Batch.Note), committed together
// with the documents. Each function returns ErrClosed if the database is closed.
package load
