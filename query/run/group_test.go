package run

// The bound of the memory of groups.

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"strings"
	"testing"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/internal/guard"

	"github.com/simdb/simdb/query/plan"
	"github.com/simdb/simdb/query/syntax"
)

// endless is a collection whose documents have no end.
type endless struct{ manyFields }

func (endless) Infos(context.Context, string) iter.Seq2[api.DocInfo, error] {
	return func(yield func(api.DocInfo, error) bool) {
		for i := 0; yield(api.DocInfo{ID: fmt.Sprint(i)}, nil); i++ {
		}
	}
}

// Groups that would take more memory than they may are an error that says what to do.
func TestGroupsAreBounded(t *testing.T) {
	s, err := syntax.Parse("SELECT id FROM docs GROUP BY id")
	if err != nil {
		t.Fatal(err)
	}
	p, err := plan.New(t.Context(), endless{}, plan.Options{}).Search(s)
	if err != nil {
		t.Fatal(err)
	}
	in, _, err := p.Start(t.Context(), p.Search)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := gather(p.Groups, 10_000, in); !errors.Is(err, api.ErrTooLarge) || !strings.Contains(err.Error(), "WHERE") {
		t.Errorf("error %v, want ErrTooLarge with what to do", err)
	}
}

// longID is a collection with one document, whose id is long.
type longID struct{ manyFields }

func (longID) Infos(context.Context, string) iter.Seq2[api.DocInfo, error] {
	return func(yield func(api.DocInfo, error) bool) { yield(api.DocInfo{ID: strings.Repeat("x", 1<<20)}, nil) }
}

// A group of many long values is refused before its key is whole.
func TestKeyOfAGroupIsBounded(t *testing.T) {
	s, err := syntax.Parse("SELECT id FROM docs GROUP BY id, ID, Id, iD")
	if err != nil {
		t.Fatal(err)
	}
	p, err := plan.New(t.Context(), longID{}, plan.Options{}).Search(s)
	if err != nil {
		t.Fatal(err)
	}
	in, _, err := p.Start(t.Context(), p.Search)
	if err != nil {
		t.Fatal(err)
	}
	if n := guard.Allocates(func() { _, err = gather(p.Groups, 10_000, in) }); !errors.Is(err, api.ErrTooLarge) || n > 4<<20 {
		t.Errorf("error %v after %d bytes, want ErrTooLarge after at most 4 MiB", err, n)
	}
}

// Planning checks the context for each field.
func TestPlanningEndsWithContext(t *testing.T) {
	const tests = 2000
	having, order := make([]string, tests), make([]string, tests)
	for i := range tests {
		having[i], order[i] = fmt.Sprintf("sum(f%d) > 0", i), fmt.Sprint("f", i)
	}
	for _, src := range []string{
		"SELECT id FROM docs GROUP BY id HAVING " + strings.Join(having, " OR "),
		"SELECT id FROM docs ORDER BY " + strings.Join(order, ", "),
	} {
		s, err := syntax.Parse(src)
		if err != nil {
			t.Fatal(err)
		}
		ctx := &endingContext{t.Context(), math.MaxInt}
		plan.New(ctx, manyFields{}, plan.Options{}).Search(s)
		if polls := math.MaxInt - ctx.left; polls < tests {
			t.Errorf("%.50s… checks its context %d times, want %d", src, polls, tests)
		}
	}
}
