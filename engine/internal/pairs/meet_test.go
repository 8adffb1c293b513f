// Wide signatures, which are made for one join.

package pairs

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/simdb/simdb/index/join"
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/sketch"
)

// Wide signatures are those of the bags, as the texts have them.
func TestWideSignatures(t *testing.T) {
	ctx := context.Background()
	var texts []string
	for i := range 120 {
		text := ""
		for w := range 30 {
			if w < 3*(i%4) {
				text += fmt.Sprint(" own", i, "word", w)
			} else {
				text += fmt.Sprint(" w", i/4*100+w)
			}
		}
		texts = append(texts, text)
	}
	m := momentOf(t, texts)
	v := m.Views[0]
	for _, at := range []measure.Threshold{measure.Ratio(1, 2), measure.Ratio(4, 5)} {
		ranks := join.Rank(v.Table, at, nil)
		memory := &joinMemory{}
		defer memory.Free()
		made, err := wideSignatures(ctx, m, v, ranks, memory)
		if err != nil || made == nil {
			t.Fatalf("wideSignatures: %v", err)
		}
		r := m.Reader(v)
		defer r.Close()
		live := v.Live(0, v.Table.Len())
		if len(live) != len(texts) {
			t.Errorf("%d sets of %d texts", len(live), len(texts))
		}
		for _, set := range live {
			bag, err := r.Once(set)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(made(set), sketch.AppendWide(nil, bag.Set, ranks.WideWords(uint64(len(bag.Set))))) {
				t.Errorf("wide signature of set %d is not that of its bag", set)
			}
		}
	}
}
