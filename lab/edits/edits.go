// Package edits shows what each measure sees of the same change: real texts are
// changed more and more in five ways, and every measure compares each with what
// it was. A file of texts comes in, a report with a curve for each measure goes
// out. docs/guide shows the curves to those who have to choose a measure.
package edits

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/internal/report"
	"github.com/simdb/simdb/lab/corpora"
)

const (
	texts    = 200 // of the file are changed
	minWords = 100 // of each: a shorter text cannot change by one percent
)

// steps are the shares that are changed, in percent.
var steps = []int{0, 1, 2, 5, 10, 15, 20, 30, 40, 50}

// An edit changes a share of a text.
type edit struct {
	file  string // of its curve
	what  string // the column of its shares, and the label below the curve
	tells string
	// change returns text with percent of it changed. The other text is a source
	// of what is not in this one.
	change func(r *rand.Rand, text, other string, percent int) string
	asks   bool // the changed text is the query, not the text as it was
}

var edits = []edit{
	{"replaced", "percent of words replaced", "Words here and there are replaced by words of another text", replaceWords, false},
	{"mistyped", "percent of words mistyped", "Words here and there get a wrong letter", mistype, false},
	{"moved", "percent of sentences moved", "Sentences are taken out and put in elsewhere", moveSentences, false},
	{"left-out", "percent left out at the end", "The end of the text is missing, and the cut text is the query", leaveOut, true},
	{"inside", "percent of another text", "The text stands inside a longer one, and the text as it was is the query", putInside, false},
}

// A curve is a measure by a collection's reading of texts.
type curve struct {
	name       string
	collection string
	measure    api.Measure
}

var curves = []curve{
	{"jaccard of 3 words", "words3", api.Jaccard},
	{"jaccard of 1 word", "words1", api.Jaccard},
	{"jaccard of 5 characters", "chars5", api.Jaccard},
	{"containment of the query", "words3", api.ContainmentOfQuery},
	{"versions", "words3", api.Versions},
	{"words", "words3", api.Words},
	{"patricia", "words3", api.Patricia},
	{"simhash", "words3", api.SimHash},
}

var collections = map[string]api.Settings{
	"words3": {Unit: "word", K: 3}, "words1": {Unit: "word", K: 1}, "chars5": {Unit: "char", K: 5},
}

// Run changes the first long texts of a file of JSON lines, and reports a table for each edit.
func Run(ctx context.Context, file string, o report.Options) (*report.Report, error) {
	return reportOf(ctx, file, edits, steps, o)
}

// report is Run for some edits and shares.
func reportOf(ctx context.Context, file string, edits []edit, steps []int, o report.Options) (_ *report.Report, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("edits: %w", err)
		}
	}()
	docs, err := longTexts(file)
	if err != nil {
		return nil, err
	}
	db, err := simdb.Open("", &simdb.Options{InMemory: true})
	if err != nil {
		return nil, err
	}
	defer db.Close()
	for name, s := range collections {
		if err := db.CreateCollection(ctx, name, s); err != nil {
			return nil, err
		}
	}
	r := report.NewReport("What each measure sees of the same change")
	r.Printf("The first %d texts of at least %d words are changed in five ways. Each measure compares every changed text with what it was. "+
		"The tables have the means. The same change means 1 to one measure and 0.3 to another: take the measure that does not see "+
		"the changes you want to ignore, and sees those you do not.", len(docs), minWords)
	for _, e := range edits {
		o.Progressf("%s", e.what)
		rows, err := e.rows(ctx, db, docs, steps)
		if err != nil {
			return nil, err
		}
		r.Printf("## %s", e.tells)
		r.Table(e.file, e.head(), rows)
		r.Figure(e.file, "Similarity by "+e.what+": a curve for each measure")
	}
	return r, nil
}

func (e edit) head() []string {
	head := []string{e.what}
	for _, c := range curves {
		head = append(head, c.name)
	}
	return head
}

// rows are those of the edit's table: the mean over all texts, step by step.
func (e edit) rows(ctx context.Context, db *simdb.DB, docs []string, steps []int) ([][]string, error) {
	var rows [][]string
	for _, percent := range steps {
		row := []string{strconv.Itoa(percent)}
		sums, err := e.sums(ctx, db, docs, percent)
		if err != nil {
			return nil, err
		}
		for _, sum := range sums {
			row = append(row, strconv.FormatFloat(sum/float64(len(docs)), 'f', 3, 64))
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// sums adds up the similarities of all texts, one sum for each curve.
func (e edit) sums(ctx context.Context, db *simdb.DB, docs []string, percent int) ([]float64, error) {
	sums := make([]float64, len(curves))
	for i, text := range docs {
		other := docs[(i+1)%len(docs)]
		changed := e.change(rand.New(rand.NewPCG(uint64(i), uint64(percent))), text, other, percent)
		query, doc := text, changed
		if e.asks {
			query, doc = changed, text
		}
		for name := range collections {
			found, err := db.Compare(ctx, api.ByText(query), api.ByText(doc), simdb.In(name))
			if err != nil {
				return nil, err
			}
			for _, row := range found {
				if j := slices.IndexFunc(curves, func(c curve) bool { return c.collection == name && c.measure == row.Measure }); j >= 0 {
					sums[j] += row.Sim
				}
			}
		}
	}
	return sums, nil
}

// longTexts returns the first texts of the file that are long enough.
func longTexts(file string) ([]string, error) {
	docs, err := corpora.ReadJSONL(file, 0)
	if err != nil {
		return nil, err
	}
	var long []string
	for _, d := range docs {
		if len(long) < texts && len(parts(d.Text)) >= minWords {
			long = append(long, d.Text)
		}
	}
	if len(long) < 2 {
		return nil, fmt.Errorf("%s has %d texts of %d words or more; two are needed", file, len(long), minWords)
	}
	return long, nil
}
