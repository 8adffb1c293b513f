package simdb

import "testing"

func openTemp(t *testing.T, opts *Options) *DB {
	t.Helper()
	db, err := Open(t.TempDir()+"/t.simdb", opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}
