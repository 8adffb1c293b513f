// Package sqldriver is a read-only driver for database/sql, registered as simdb:
//
//	db, err := sql.Open("simdb", "/path/x.simdb?timeout=5s&refresh=1m")
//	rows, err := db.QueryContext(ctx, "SIMILAR TO ? WHERE sim >= :least", "a", sql.Named("least", 0.5))
//
// A data source name is the path of an existing database, followed by "?" and options:
//
//	timeout=5s             the longest time of a statement, including the reading of its rows
//	max_rows=1000          more rows are an error that wraps api.ErrTooLarge
//	refresh=1m             a query reopens a database that was opened longer ago
//	cache_bytes, memory_bytes   as in simdb.Options
//
// The first query opens the database with Options.ReadOnly: it reads the state of that moment and
// does not disturb a writer. NewConnector queries an open simdb.DB instead, and sees its writes.
// Statements are the reading statements of the query language; parameters are ?, $1 and :name.
// BeginTx with TxOptions.ReadOnly queries one snapshot. Exec, other transactions and statements
// that write return errors that wrap api.ErrReadOnly.
//
// The first row determines the types of the columns: TEXT, INTEGER, REAL, BOOLEAN, DECIMAL and JSON
// (both strings), or "" if the value is NULL or there is no row. Metadata may have another type in
// another row.
//
// Begin reading with Driver, then source.go, which manages the lifetime of the database.
package sqldriver
