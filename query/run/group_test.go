package run

// The bound of the memory of groups.

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"

	"github.com/simdb/simdb/api"

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
