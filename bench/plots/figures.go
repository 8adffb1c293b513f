package main

// This file lists the figures, and turns a table into the curves of one.

import (
	"fmt"
	"slices"
	"strings"
)

// figure says how a table becomes curves. In a wide table every column of ys is
// a curve; in a long one the column series says which curve a row belongs to.
type figure struct {
	title, xLabel, yLabel string

	x      string
	ys     []string // one in a long table
	series []string // none in a wide table; several columns are joined

	logX, logY bool
	fromZero   bool // the vertical axis begins at 0
	dots       bool // each point is seen, as that of a curve of one
	legendLow  bool // the legend stands in the lower left corner, not the upper right
	legendEast bool // with legendLow: in the lower right corner
}

// figures are those that can be drawn. The first whose columns a file has is
// taken, so longer lists stand first.
var figures = []figure{
	{
		title: "Plagiarised texts: how far a similarity is from the truth", xLabel: "k (words)", yLabel: "mean absolute difference",
		x: "k", ys: []string{"containment", "resemblance", "patricia_15"}, fromZero: true,
	}, {
		title: "Similarity index, method 43B", xLabel: "k (Soundex codes)", yLabel: "score",
		x: "k", ys: []string{"score", "zone cells as expected"}, fromZero: true,
	}, {
		title: "Versions by chunks, linuxdoc", xLabel: "recall", yLabel: "precision",
		x: "recall", ys: []string{"precision"}, series: []string{"bits"}, legendLow: true,
	}, {
		title: "Pairs found at a threshold of 0.8", xLabel: "sim", yLabel: "share of the pairs",
		x: "sim", ys: []string{"share found"}, series: []string{"series"}, fromZero: true, legendLow: true, legendEast: true, dots: true,
	}, {
		title: "Cost and recall", xLabel: "recall", yLabel: "documents per second of a core",
		x: "recall", ys: []string{"documents/s a core"}, series: []string{"series"}, logY: true, legendLow: true, dots: true,
	},
	edits("Words replaced", "percent of words replaced"),
	edits("Words mistyped", "percent of words mistyped"),
	edits("Sentences moved", "percent of sentences moved"),
	edits("The end left out", "percent left out at the end"),
	edits("Inside a longer text", "percent of another text"),
	{
		title: "Growth", xLabel: "documents", yLabel: "seconds",
		x: "documents", ys: []string{"seconds"}, series: []string{"series"}, logX: true, logY: true,
	}, {
		title: "Growth of candidates", xLabel: "documents", yLabel: "candidates",
		x: "documents", ys: []string{"candidates"}, series: []string{"series"}, logX: true, logY: true,
	}, {
		title: "Growth of rates", xLabel: "documents", yLabel: "documents per second",
		x: "documents", ys: []string{"rate"}, series: []string{"series"}, logX: true, logY: true,
	}, {
		title: "Growth of disk and memory", xLabel: "documents", yLabel: "bytes",
		x: "documents", ys: []string{"bytes"}, series: []string{"series"}, logX: true, logY: true,
	},
}

// edits is the figure of one kind of change: what each measure sees of it.
func edits(title, share string) figure {
	return figure{
		title: title, xLabel: share, yLabel: "similarity to the text before", x: share,
		ys: []string{"jaccard of 3 words", "jaccard of 1 word", "jaccard of 5 characters", "containment of the query",
			"versions", "words", "patricia", "simhash"},
		fromZero: true, legendLow: true,
	}
}

func (f figure) columns() []string { return slices.Concat(f.series, []string{f.x}, f.ys) }

// figureOf finds the figure whose columns the table has.
func figureOf(t table) (figure, error) {
	for _, f := range figures {
		if !slices.ContainsFunc(f.columns(), func(c string) bool { return t.column(c) < 0 }) {
			return f, nil
		}
	}
	return figure{}, fmt.Errorf("no figure has the columns %s; these have one:\n%s", strings.Join(t.head, ", "), known())
}

func known() string {
	var b strings.Builder
	for _, f := range figures {
		fmt.Fprintf(&b, "  %s\n", strings.Join(f.columns(), ", "))
	}
	return b.String()
}

// curve is a named line.
type curve struct {
	name   string
	points []point
}

type point struct{ x, y float64 }

// curves reads the table, in the order in which the curves first appear. Rows
// without a number are left out.
func (f figure) curves(t table) ([]curve, error) {
	var all []curve
	for _, y := range f.ys {
		for row := range t.rows {
			x, okX, err := t.number(row, t.column(f.x))
			if err != nil {
				return nil, err
			}
			v, okY, err := t.number(row, t.column(y))
			if err != nil {
				return nil, err
			}
			if !okX || !okY {
				continue
			}
			if f.logX && x <= 0 || f.logY && v <= 0 {
				return nil, fmt.Errorf("row %d: a logarithmic axis has no place for %v, %v", row+2, x, v)
			}
			name := y
			if len(f.series) > 0 {
				name = f.name(t, row)
			}
			i := slices.IndexFunc(all, func(c curve) bool { return c.name == name })
			if i < 0 {
				i = len(all)
				all = append(all, curve{name: name})
			}
			all[i].points = append(all[i].points, point{x, v})
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("no row has a number for %s", f.x)
	}
	return all, nil
}

func (f figure) name(t table, row int) string {
	var parts []string
	for _, s := range f.series {
		value := t.rows[row][t.column(s)]
		if s != "series" {
			value = s + " " + value
		}
		parts = append(parts, value)
	}
	return strings.Join(parts, ", ")
}

// mostPoints keeps an SVG small; more cannot be told apart on it.
const mostPoints = 300

// thin leaves at most mostPoints of the points, the first and the last among them.
func thin(points []point) []point {
	if len(points) <= mostPoints {
		return points
	}
	var some []point
	for i := range mostPoints {
		some = append(some, points[i*(len(points)-1)/(mostPoints-1)])
	}
	return some
}
