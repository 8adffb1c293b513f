package pairs

import (
	"slices"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// What is appended is read again where it was said to be, by many at once, and the file is
// gone when the scratch is closed.
func TestJoinScratch(t *testing.T) {
	fs := vfs.NewMem()
	store := openStore(t, fs)
	defer store.Close()
	before, err := fs.List("db")
	if err != nil {
		t.Fatal(err)
	}
	all := store.NewScratch()
	s := fileScratch(all)
	if err := s.Read(make([]uint32, 1), 0); err == nil {
		t.Error("Read before Append: no error")
	}
	var wg sync.WaitGroup
	for w := range uint32(4) {
		wg.Go(func() {
			for i := range uint32(50) {
				words := slices.Repeat([]uint32{w<<16 | i}, int(1+i))
				at, err := s.Append(slices.Clone(words)) // Pebble's file system in memory writes over what it was given, under the race detector
				if err != nil {
					t.Error(err)
					return
				}
				got := make([]uint32, len(words))
				if err := s.Read(got, at); err != nil || !slices.Equal(got, words) {
					t.Errorf("Read at %d = %v, %v, want %v", at, got, err, words)
				}
			}
		})
	}
	wg.Wait()
	if err := s.Read(make([]uint32, 1), 1<<40); err == nil {
		t.Error("Read behind the end: no error")
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	after, err := fs.List("db")
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(before)
	slices.Sort(after)
	if !slices.Equal(before, after) {
		t.Errorf("files %v, before %v", after, before)
	}
	if err := s.Close(); err != nil {
		t.Errorf("Close again: %v", err)
	}
}
