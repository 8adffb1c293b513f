package si

// This file scores a combination as the paper does: by the pairs of documents
// that should be alike, and those that are.

import (
	"fmt"
	"slices"
)

// zones are the three families of documents in the order of the paper's
// tables. What lies in one is expected to be alike.
var zones = [][]string{
	{"Proverbs.txt", "Proverbs1-16.txt", "Proverbs1-24.txt", "Proverbs25-31.txt"},
	{"usConstitution(copy).txt", "usConstitution-BillofRights.txt", "usConstitution-noPreamble.txt", "usConstitution.txt"},
	{"usDOI-1.txt", "usDOI-Grievances.txt", "usDOI.txt"},
}

// zoneCells is the number of cells in the three zones.
const zoneCells = 4*4 + 4*4 + 3*3

// expected has the paper's tables 6 to 8 as 1 and 0: low similarity and none
// are 0, all else is 1.
var expected = [][]string{
	{"1110", "1110", "1110", "0001"},
	{"1111", "1111", "1111", "1111"},
	{"101", "010", "101"},
}

// A matrix says of all ordered pairs of documents whether the second lies
// within the first's interval.
type matrix struct {
	names []string
	like  func(i, j int) bool
}

// counts is what the paper makes of a matrix. It expects a 1 in every cell of
// a zone and in the diagonal of the documents outside, 45 cells in all, though
// its tables 6 to 8 expect no likeness in some of them: a method that
// agrees with the tables in full has 10 false negatives.
type counts struct {
	correct        int // ones where a 1 is expected
	falseNegatives int // zeros there
	falsePositives int // ones elsewhere
}

func (m matrix) count() (c counts) {
	for i, a := range m.names {
		for j, b := range m.names {
			switch one := i == j || sameZone(a, b); {
			case one && m.like(i, j):
				c.correct++
			case one:
				c.falseNegatives++
			case m.like(i, j):
				c.falsePositives++
			}
		}
	}
	return c
}

func sameZone(a, b string) bool {
	return slices.ContainsFunc(zones, func(z []string) bool { return slices.Contains(z, a) && slices.Contains(z, b) })
}

// zone returns the rows of a zone as the paper prints them: "1110", …
func (m matrix) zone(z int) (rows []string) {
	for _, a := range zones[z] {
		row := ""
		for _, b := range zones[z] {
			if m.like(slices.Index(m.names, a), slices.Index(m.names, b)) {
				row += "1"
			} else {
				row += "0"
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// asExpected returns how many of the zoneCells are as tables 6 to 8 expect.
func (m matrix) asExpected() (n int) {
	for z := range zones {
		n += equalCells(m.zone(z), expected[z])
	}
	return n
}

func equalCells(a, b []string) (n int) {
	for i := range a {
		for j := range a[i] {
			if a[i][j] == b[i][j] {
				n++
			}
		}
	}
	return n
}

func (c counts) wrong() int { return c.falseNegatives + c.falsePositives }

// above1 tells whether the score is above 1.
func (c counts) above1() bool { return c.correct > c.wrong() }

// compare is negative if c has the lower score, in integers. Nothing wrong is
// above all else.
func (c counts) compare(d counts) int { return c.correct*d.wrong() - d.correct*c.wrong() }

// score is the paper's: correct ones for each wrong cell, with two decimals,
// rounded half up.
func (c counts) score() string {
	if c.wrong() == 0 {
		return "∞"
	}
	hundredths := (200*c.correct + c.wrong()) / (2 * c.wrong())
	return fmt.Sprintf("%d.%02d", hundredths/100, hundredths%100)
}
