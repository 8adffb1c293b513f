// Package sqldriver is a read-only driver of simdb for database/sql, under the name simdb:
//
//	db, err := sql.Open("simdb", "/path/x.simdb?timeout=5s&refresh=1m")
//	rows, err := db.QueryContext(ctx, "SIMILAR TO ? WHERE sim >= :least", "a", sql.Named("least", 0.5))
//
// A data source name is the path of a database, which must exist, and options behind a "?":
//
//	timeout=5s             the longest time of a statement, with the reading of its rows
//	max_rows=1000          more rows are an error that wraps api.ErrTooLarge
//	refresh=1m             a query opens the database anew if it was opened longer ago
//	cache_bytes, memory_bytes   as in simdb.Options
//
// The first query opens the database with Options.ReadOnly: it shows the state of that moment,
// and a writer is not disturbed. NewConnector queries an open simdb.DB instead, and sees its writes.
// Statements are those of the query language that only read; parameters are ?, $1 and :name.
// BeginTx with TxOptions.ReadOnly queries one snapshot. Exec, other transactions and statements
// that write return errors that wrap api.ErrReadOnly.
//
// Columns have the types of the first row: TEXT, INTEGER, REAL, BOOLEAN, DECIMAL and JSON (both
// strings), or "" if the value is NULL or there is no row. Metadata may have another type in another row.
package sqldriver
