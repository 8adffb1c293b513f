package serve

// Which state of a database requests are shown.

import (
	"errors"
	"testing"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
)

// A request keeps the state that it began with until it ends; then that state is closed.
func TestFollowed(t *testing.T) {
	state := func() *simdb.DB {
		db, err := simdb.Open("", &simdb.Options{InMemory: true})
		if err != nil {
			t.Fatal(err)
		}
		return db
	}
	closed := func(db *simdb.DB) bool {
		s, err := db.Snapshot()
		if err == nil {
			s.Close()
		}
		return errors.Is(err, api.ErrClosed)
	}
	first, second, third := state(), state(), state()
	f := newFollowed(first)
	a, doneA := f.lend()
	b, doneB := f.lend()
	f.replace(second)
	c, doneC := f.lend()
	if a != first || b != first || c != second || f.full() {
		t.Fatal("requests are not shown the newest state, or only two are too many")
	}
	f.replace(third)
	if !f.full() {
		t.Error("two older states are in use, and more may be")
	}
	doneA()
	doneA() // again does nothing
	if closed(first) {
		t.Error("the first state is closed, and still in use")
	}
	doneB()
	doneC()
	if !closed(first) || !closed(second) || closed(third) || f.full() {
		t.Error("states that no one uses stay open, or the newest does not")
	}
	if err := f.close(); err != nil || !closed(third) {
		t.Errorf("closing: %v", err)
	}
}
