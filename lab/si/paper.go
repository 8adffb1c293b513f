package si

// This file has the figures that the paper prints.

// candidate is one of the five best combinations as the paper prints them: a
// row of table 9 and the three tables 10 to 24 that belong to it.
type candidate struct {
	si     string
	counts counts
	score  string
	zones  [][]string
}

var candidates = []candidate{
	{"m43b k40", counts{35, 10, 0}, "3.50", [][]string{
		{"1110", "1110", "1110", "0001"},
		{"1111", "1111", "1111", "1111"},
		{"101", "010", "101"},
	}},
	{"m47c k40", counts{40, 5, 14}, "2.11", [][]string{
		{"1110", "0111", "1111", "0101"},
		{"1111", "1101", "1111", "1111"},
		{"111", "111", "111"},
	}},
	{"m43b k4", counts{32, 13, 3}, "2.00", [][]string{
		{"1110", "1110", "1110", "0001"},
		{"1111", "0100", "1111", "1111"},
		{"101", "010", "101"},
	}},
	{"m3b k16", counts{35, 10, 8}, "1.94", [][]string{
		{"1110", "1110", "1110", "0001"},
		{"1111", "1111", "1111", "1111"},
		{"101", "010", "101"},
	}},
	{"m21b k40", counts{31, 14, 2}, "1.94", [][]string{
		{"1110", "1110", "1110", "0001"},
		{"1111", "0100", "1011", "1111"},
		{"101", "010", "101"},
	}},
}

// What else the paper says of its 672 combinations.
const (
	paperRuns    = 672
	paperMissing = 16  // of them, method 13 on characters, in 4 variations and runs
	paperAbove1  = 104 // combinations with a score above 1
)

// paperFamilies has how often a method occurs among those on all three streams
// together, as far as the text tells.
var paperFamilies = map[int]string{9: "23", 3: "21", 7: "21"}

// figure3 are the methods below the bars of figure 3, the most frequent first;
// the heights are lost. There is no method 35.
var figure3 = []int{49, 27, 29, 47, 3, 43, 25, 35, 45, 41, 21, 23, 1, 4, 44, 5, 30}
