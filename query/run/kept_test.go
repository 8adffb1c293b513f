package run

// How often the engine is asked.

import (
	"iter"
	"slices"
	"testing"

	"github.com/simdb/simdb/query/plan"
)

// enough asks for more only where there may be more.
func TestEnough(t *testing.T) {
	for _, tt := range []struct {
		want, rows, every int
		asked             []int
	}{
		{2, 100, 1, []int{8}},
		{2, 100, 4, []int{8}},
		{2, 100, 5, []int{8, 64}},
		{2, 100, 60, []int{8, 64, 512}},
		{2, 5, 60, []int{8}},
		{3, 96, 50, []int{12, 96, 768}},
	} {
		var asked, got []int
		rows := Enough(tt.want, plan.FirstLimit(tt.want), func(limit int) (iter.Seq2[int, error], error) {
			asked = append(asked, limit)
			return func(yield func(int, error) bool) {
				for i := 1; i <= min(limit, tt.rows) && yield(i, nil); i++ {
				}
			}, nil
		}, func(in iter.Seq2[int, error]) iter.Seq2[int, error] {
			return func(yield func(int, error) bool) {
				for i, err := range in {
					if i%tt.every == 0 && !yield(i, err) {
						return
					}
				}
			}
		})
		for i, err := range rows {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, i)
		}
		var want []int
		for i := tt.every; i <= tt.rows && len(want) < tt.want; i += tt.every {
			want = append(want, i)
		}
		if !slices.Equal(got, want) || !slices.Equal(asked, tt.asked) {
			t.Errorf("%d of %d rows, each %d. kept: got %v by limits %v, want %v by %v", tt.want, tt.rows, tt.every, got, asked, want, tt.asked)
		}
	}
}
