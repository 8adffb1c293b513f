package measures

// This file counts how many documents the measure entities relates to each.

import (
	"slices"
	"strconv"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/internal/entity"
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/lab/corpora"
)

var relatedHead = []string{"measure", "documents asked for", "related, median", "ninth decile", "most", "mean"}

// related counts how many others every nth document is related to by entities:
// a measure that relates it to all says nothing.
func related(docs []corpora.Doc, nth int) (rows [][]string) {
	rule := measure.DefaultEntities()
	half := api.Ratio(1, 2)
	for _, tf := range []bool{false, true} {
		name := "entities"
		if tf {
			name = "entities, tf"
		}
		lists := each(docs, func(doc string) []uint32 { return entity.Fingerprints(entity.BuiltIn{}, doc, tf) })
		var counts []int
		sum := 0
		for q := 0; q < len(lists); q += nth {
			n := 0
			for d := range lists {
				if s := rule.Score(measure.MatchChunks(lists[q], lists[d], rule.Bits)); d != q && s.Reaches(half) {
					n++
				}
			}
			counts = append(counts, n)
			sum += n
		}
		slices.Sort(counts)
		last := len(counts) - 1
		rows = append(rows, []string{name, strconv.Itoa(len(counts)), strconv.Itoa(counts[last/2]), strconv.Itoa(counts[last*9/10]), strconv.Itoa(counts[last]), strconv.Itoa(sum / len(counts))})
	}
	return rows
}
