package scale

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"path/filepath"
	"testing"
)

// A run that is cancelled after any of its tasks, or within the first, leaves no temporary
// file, and goes on to the same files.
func TestCancelledRunGoesOn(t *testing.T) {
	parts := testParts(9)
	j, dir := testJob(t, Settings{}, parts)
	tasks := 0
	if err := j.All(t.Context(), Clusters, 1, func(Stage, int, int) { tasks++ }, nil); err != nil {
		t.Fatal(err)
	}
	want := files(t, dir)
	for after := range tasks - 1 {
		_, other := testJob(t, Settings{}, parts)
		ctx, cancel := context.WithCancel(t.Context())
		within := func(c context.Context, in Input, each func(id, text string) error) (Rejects, error) {
			return source(parts)(c, in, func(id, text string) error {
				if after == 0 {
					cancel()
				}
				return each(id, text)
			})
		}
		j, err := Open(other, "", within)
		if err != nil {
			t.Fatal(err)
		}
		done := 0
		err = j.All(ctx, Clusters, 1, func(Stage, int, int) {
			if done++; done == after {
				cancel()
			}
		}, nil)
		if !errors.Is(err, context.Canceled) || done != after {
			t.Fatalf("cancelled after %d tasks: %d done, %v", after, done, err)
		}
		if left, _ := filepath.Glob(filepath.Join(other, "*", "*.tmp")); len(left) > 0 {
			t.Errorf("cancelled after %d tasks: %v is left", after, left)
		}
		runTest(t, openTest(t, other, parts))
		got := map[string][]byte{}
		for path, b := range files(t, other) {
			got[dir+path[len(other):]] = b
		}
		if !maps.EqualFunc(got, want, bytes.Equal) {
			t.Errorf("cancelled after %d tasks: other files in the end", after)
		}
	}
}
