package sqldriver

// The lifetime of queries, snapshots and databases.

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
)

// A context ends the wait for a database, a statement, and the reading of its rows.
func TestCancellation(t *testing.T) {
	path, _ := create(t, texts(20)...)
	db := open(t, path)
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := ids(ended, db, all); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that has ended: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	rows, err := db.QueryContext(ctx, all)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	if !rows.Next() {
		t.Fatal(rows.Err())
	}
	cancel()
	n := 1
	for rows.Next() {
		n++
	}
	if !errors.Is(rows.Err(), context.Canceled) || n != 1 {
		t.Errorf("%d rows and %v", n, rows.Err())
	}

	src := newSource(&settings{path: path}, nil)
	src.lock <- struct{}{} // another query opens the database
	if _, err := src.take(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("the wait for a database ends with %v", err)
	}
}

// Queries read the state of the first query, or a newer one according to refresh.
func TestRefresh(t *testing.T) {
	path, put := create(t, texts(1)...)
	fixed, fresh := open(t, path), open(t, path+"?refresh=1ns")
	wantIDs(t, fixed, all, "d00")
	wantIDs(t, fresh, all, "d00")
	before, err := fresh.Query(all)
	if err != nil {
		t.Fatal(err)
	}
	put(texts(2)...)
	wantIDs(t, fixed, all, "d00")
	wantIDs(t, fresh, all, "d00", "d01")
	n := 0
	for before.Next() {
		n++
	}
	if err := errors.Join(before.Err(), before.Close()); err != nil || n != 1 {
		t.Errorf("the rows of the older database are %d, %v", n, err)
	}
}

// A read-only transaction reads one moment; other queries read the current state.
func TestTransactionReadsASnapshot(t *testing.T) {
	owner, err := simdb.Open("", &simdb.Options{InMemory: true})
	if err != nil {
		t.Fatal(err)
	}
	defer owner.Close()
	db := sql.OpenDB(NewConnector(owner))
	defer db.Close()
	if err := owner.Put(t.Context(), texts(1)...); err != nil {
		t.Fatal(err)
	}
	tx, err := db.BeginTx(t.Context(), &sql.TxOptions{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := owner.Put(t.Context(), texts(2)...); err != nil {
		t.Fatal(err)
	}
	wantIDs(t, tx, all, "d00")
	wantIDs(t, db, all, "d00", "d01")
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
	if n := owner.Metrics().OpenSnapshots; n != 0 {
		t.Errorf("%d snapshots are open after the transaction", n)
	}
}

// Concurrent queries all succeed while their databases are replaced; afterwards every database is
// closed.
func TestConcurrentQueries(t *testing.T) {
	path, _ := create(t, texts(6)...)
	for _, options := range []string{"", "?refresh=1ns"} {
		made, err := Driver{}.OpenConnector(path + options)
		if err != nil {
			t.Fatal(err)
		}
		db := sql.OpenDB(made)
		db.SetMaxOpenConns(4)
		var wait sync.WaitGroup
		for g := range 8 {
			wait.Go(func() {
				for range 5 {
					got, err := ids(context.Background(), db, "SIMILAR TO ? WHERE sim >= 0.5 RETURNING id LIMIT 5", fmt.Sprintf("d%02d", g%6))
					if err != nil || len(got) != 5 {
						t.Errorf("%q, %v", got, err)
					}
				}
			})
		}
		wait.Wait()
		src := made.(*connector).source
		if src.now.users != 0 {
			t.Errorf("%d queries are under way", src.now.users)
		}
		last := src.now.db
		if err := db.Close(); err != nil {
			t.Error(err)
		}
		if err := last.Close(); !errors.Is(err, api.ErrClosed) {
			t.Errorf("the database is open still: %v", err)
		}
	}
}

// Close does not wait for open rows: the last of them closes the database.
func TestCloseWithOpenRows(t *testing.T) {
	path, _ := create(t, texts(5)...)
	made, err := Driver{}.OpenConnector(path)
	if err != nil {
		t.Fatal(err)
	}
	db := sql.OpenDB(made)
	rows, err := db.Query(all)
	if err != nil {
		t.Fatal(err)
	}
	opened := made.(*connector).source.now.db
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if n := opened.Metrics().Documents; n != 5 {
		t.Errorf("the open rows have a database of %d documents, want 5", n)
	}
	if err := rows.Close(); err != nil {
		t.Error(err)
	}
	if err := opened.Close(); !errors.Is(err, api.ErrClosed) {
		t.Errorf("the database is open still: %v", err)
	}
	if _, err := made.(*connector).source.take(t.Context()); !errors.Is(err, api.ErrClosed) {
		t.Errorf("a query after Close: %v", err)
	}
}
