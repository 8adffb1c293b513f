// Package load imports files and records into a database, syncs a folder, and writes and restores
// dumps.
//
//	stats, err := load.Import(ctx, db, []string{"papers"}, api.ImportOptions{})
//	err = load.Dump(ctx, db, out)
//
// It is separate from package simdb so that a program without imports links no format readers. It
// uses only the exported methods of simdb.DB. Progress is stored as notes (Batch.Note) in the same
// batches as the documents, so that both are durable together and an interrupted function can
// continue.
//
// Each function returns ErrClosed if the database is closed. Begin reading with Import, then
// count.go for the statistics; sync.go and dump.go stand alone.
package load
