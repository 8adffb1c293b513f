package search

// Two texts side by side, with common passages in the same order aligned. Passages in another
// order count as moved.

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/cmd/simdb/internal/output"
)

const (
	usualWidth = 130 // default without a terminal, as of diff -y
	leastSide  = 16  // minimal columns of a text
)

// side is the writer of one text, with a mark for each byte.
type side struct {
	text  string
	marks []mark
	width int
	color bool
	at    int // bytes written
}

// mark classifies a byte: in one text only, moved, or common.
type mark uint8

const (
	own    mark = iota
	moved       // in a passage out of order
	common      // in an aligned passage
)

var markColors = [...]string{own: "", moved: "\x1b[34m", common: "\x1b[32m"}

// sideLine is a line of a column, with the bytes from to to of the text.
type sideLine struct {
	from, to int
	cells    string // padded to the width
	own      bool   // contains bytes of this text only
}

// sideBySide writes two texts in columns, in one pass, so that output of long texts begins at
// once. passages are the passages of the right text in the left one, back the passages of the left
// text in the right one. Both are needed: a passage that occurs twice on the left appears once in
// passages.
func sideBySide(ctx context.Context, w *bufio.Writer, s output.Style, names, texts [2]string, passages, back []api.Passage) error {
	chain, err := inOrder(ctx, passages)
	if err != nil {
		return err
	}
	width := cmp.Or(s.Width, usualWidth)
	var sides [2]*side
	for i, text := range texts {
		sides[i] = &side{text: text, marks: make([]mark, len(text)), width: max(leastSide, (width-3)/2), color: s.Color}
	}
	for n, list := range [][]api.Passage{back, passages, chain} {
		for i, p := range list {
			if i%4096 == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			if n == 0 {
				sides[0].raise(p.BStartByte, p.BEndByte, moved)
				continue
			}
			sides[0].raise(p.AStartByte, p.AEndByte, own+mark(n))
			sides[1].raise(p.BStartByte, p.BEndByte, own+mark(n))
		}
	}
	head := func(i int) string {
		name := output.PadRight(displaywidth.TruncateString(output.EscapeControls(names[i]), sides[i].width, "…"), sides[i].width)
		if s.Color {
			name = output.Bold(name)
		}
		return name
	}
	fmt.Fprintf(w, "\n%s\n", strings.TrimRight(head(0)+" │ "+head(1), " "))
	line := strings.Repeat("─", sides[0].width)
	fmt.Fprintf(w, "%s─┼─%s\n", line, line)
	return writeSides(ctx, w, sides[0], sides[1], chain)
}

// writeSides writes the lines. A side that reaches an aligned passage waits for the other side.
func writeSides(ctx context.Context, w *bufio.Writer, left, right *side, chain []api.Passage) error {
	blank := strings.Repeat(" ", left.width)
	l, moreLeft := left.peek()
	r, moreRight := right.peek()
	for n := 0; moreLeft || moreRight; n++ {
		if n%256 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		for len(chain) > 0 && (chain[0].AStartByte < l.from || chain[0].BStartByte < r.from) {
			chain = chain[1:]
		}
		waitLeft := len(chain) > 0 && moreRight && chain[0].AStartByte < l.to && chain[0].BStartByte >= r.to
		waitRight := len(chain) > 0 && moreLeft && chain[0].BStartByte < r.to && chain[0].AStartByte >= l.to
		takeLeft, takeRight := moreLeft && !waitLeft, moreRight && !waitRight
		cells, sign := [2]string{blank, ""}, " │ "
		switch {
		case takeLeft && takeRight:
			if cells = [2]string{l.cells, r.cells}; l.own || r.own {
				sign = " ~ "
			}
		case takeLeft:
			cells, sign = [2]string{l.cells, ""}, " < "
		default:
			cells, sign = [2]string{blank, r.cells}, " > "
		}
		w.WriteString(strings.TrimRight(cells[0]+sign+cells[1], " "))
		if err := w.WriteByte('\n'); err != nil {
			return err
		}
		if takeLeft {
			left.at = l.to
			l, moreLeft = left.peek()
		}
		if takeRight {
			right.at = r.to
			r, moreRight = right.peek()
		}
	}
	return nil
}

// raise raises the marks of the bytes from to to to at least as.
func (s *side) raise(from, to int, as mark) {
	for i := from; i < to; i++ {
		s.marks[i] = max(s.marks[i], as)
	}
}

// peek returns the next line, which ends at a line break of the text or, in a full column, between
// words.
func (s *side) peek() (line sideLine, more bool) {
	line.from = s.at
	if s.at == len(s.text) {
		line.to = s.at
		return line, false
	}
	var b strings.Builder
	used, on := 0, own
	broken := struct{ to, bytes, used int }{} // after the last space
	i := s.at
	for i < len(s.text) {
		_, size := utf8.DecodeRuneInString(s.text[i:])
		r := s.text[i : i+size]
		if r == "\n" || strings.HasPrefix(s.text[i:], "\r\n") {
			i += 1 + strings.IndexByte(s.text[i:], '\n')
			break
		}
		shown := output.EscapeControls(r)
		if r == "\t" {
			shown = strings.Repeat(" ", 4-used%4)
		}
		w := output.TextWidth(shown)
		if used+w > s.width && used > 0 {
			if broken.to > s.at && broken.used > s.width/2 {
				cut := b.String()[:broken.bytes]
				b.Reset()
				b.WriteString(cut)
				i, used = broken.to, broken.used
			}
			break
		}
		if s.color && s.marks[i] != on {
			if on != own {
				b.WriteString("\x1b[0m")
			}
			on = s.marks[i]
			b.WriteString(markColors[on])
		}
		b.WriteString(shown)
		used += w
		i += size
		if r == " " {
			broken.to, broken.bytes, broken.used = i, b.Len(), used
		}
	}
	if s.color {
		b.WriteString("\x1b[0m")
	}
	b.WriteString(strings.Repeat(" ", max(0, s.width-used)))
	line.to, line.cells = i, b.String()
	for k := line.from; k < line.to && !line.own; k++ {
		line.own = s.marks[k] == own && !strings.ContainsRune(" \t\r\n", rune(s.text[k]))
	}
	return line, true
}

// inOrder returns the passages in the same order in both texts with the most characters in total:
// the heaviest increasing subsequence. A Fenwick tree over the places in the first text finds it
// in O(n log n).
func inOrder(ctx context.Context, passages []api.Passage) ([]api.Passage, error) {
	all := slices.Clone(passages)
	slices.SortStableFunc(all, func(a, b api.Passage) int { return cmp.Compare(a.BStartByte, b.BStartByte) })
	places := make([]int, len(all))
	for i, p := range all {
		places[i] = p.AStartByte
	}
	slices.Sort(places)
	places = slices.Compact(places)

	best := make([]int, len(places)+1) // of the tree: 1 + the heaviest chain that ends at these places, 0 for none
	before, weight := make([]int, len(all)), make([]int, len(all))
	last := -1
	for i, p := range all {
		if i%4096 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		at, _ := slices.BinarySearch(places, p.AStartByte)
		before[i] = -1
		for n := at; n > 0; n -= n & -n { // smaller places
			if k := best[n] - 1; k >= 0 && (before[i] < 0 || weight[k] > weight[before[i]]) {
				before[i] = k
			}
		}
		weight[i] = p.Chars
		if before[i] >= 0 {
			weight[i] += weight[before[i]]
		}
		for n := at + 1; n < len(best); n += n & -n {
			if k := best[n] - 1; k < 0 || weight[i] > weight[k] {
				best[n] = i + 1
			}
		}
		if last < 0 || weight[i] > weight[last] {
			last = i
		}
	}
	var chain []api.Passage
	for ; last >= 0; last = before[last] {
		chain = append(chain, all[last])
	}
	slices.Reverse(chain)
	return chain, nil
}
