package overview

// A report as one HTML file, which loads nothing.

import (
	"bufio"
	_ "embed"
	"fmt"
	"html"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/simdb/simdb/api"
)

//go:embed report.css
var css string

// page writes HTML. The first error remains in the writer.
type page struct{ *bufio.Writer }

// f writes a format whose arguments are escaped, unless they are numbers or markup.
func (p page) f(format string, args ...any) {
	for i, a := range args {
		if s, ok := a.(string); ok {
			args[i] = html.EscapeString(shown(s))
		}
	}
	fmt.Fprintf(p, format, args...)
}

// markup is text that is not escaped.
type markup string

// WriteHTML writes the report.
func (r *Report) WriteHTML(w io.Writer) error {
	p := page{bufio.NewWriterSize(w, 64<<10)}
	title := "Similar texts in " + r.Title
	p.begin(title)
	r.head(p, title)
	r.histogram(p)
	r.pairs(p)
	r.passages(p)
	r.groups(p)
	r.outliers(p)
	p.f("</body></html>\n")
	return p.Flush()
}

// begin writes the head of the file.
func (p page) begin(title string) {
	p.f("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\"><meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"><title>%s</title>\n<style>\n%s</style></head>\n<body>\n", title, markup(css))
}

// head writes the subject of the report.
func (r *Report) head(p page, title string) {
	p.f("<h1>%s</h1>\n<p>%s.</p>\n", title, r.Summary())
	p.f("<p class=\"dim\">The percentage of a pair is the %s%s. Every number is exact. Made by simdb on %s.</p>\n",
		words(r.Question.Measure, r.Question.Args), ignored(r.Question.Ignoring), r.Made.Format("2 January 2006, 15:04"))
}

// Summary returns the numbers of texts and of similar pairs.
func (r *Report) Summary() string {
	return fmt.Sprintf("%s, of which %s resemble another: %s at %s or more", many(r.Documents, "text"), count(int64(r.Similar)),
		pairCount(r.Total, r.More), percent(r.Least.Float64()))
}

// words describes a measure.
func words(m api.Measure, args api.Args) string {
	if m == api.Overlap {
		return "share of the smaller text found in the other, counted in shingles"
	}
	return m.Describe(args) + ": " + m.About()
}

// ignored describes the shingles that count nowhere.
func ignored(i api.Ignoring) (s string) {
	if i.In != "" {
		s = ", without all that stands in " + i.In
	}
	if i.MoreThan > 0 {
		s += ", without all that stands in more than " + many(i.MoreThan, "text")
	}
	return s
}

// histogram draws the pairs by similarity.
func (r *Report) histogram(p page) {
	if r.Total == 0 {
		return
	}
	const width, height, bottom = 640, 160, 20
	least := int(math.Ceil(100*r.Least.Float64() - 1e-9))
	most := slices.Max(r.Counts[least:])
	bar := float64(width) / float64(101-least)
	p.f("<h2>Pairs by similarity</h2>\n<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s\">\n", width, height+bottom, "Number of pairs at each percent; the most at one percent: "+count(most))
	for i, n := range r.Counts[least:] {
		if n > 0 {
			tall := max(1.5, float64(height)*float64(n)/float64(most))
			p.f("<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\"><title>%s</title></rect>\n", float64(i)*bar, height-tall, max(bar-1, .5), tall, fmt.Sprintf("%d %%: %s", least+i, many(n, "pair")))
		}
	}
	for at := (least + 9) / 10 * 10; at <= 100; at += 10 {
		p.f("<text x=\"%.2f\" y=\"%d\" text-anchor=\"%s\">%d %%</text>\n", float64(at-least)*bar, height+15, map[bool]string{true: "end", false: "start"}[at == 100], at)
	}
	p.f("</svg>\n")
}

// pairs lists the pairs.
func (r *Report) pairs(p page) {
	p.f("<h2>Most similar pairs</h2>\n")
	if len(r.Pairs) == 0 {
		p.f("<p>No two texts reach %s.</p>\n", percent(r.Least.Float64()))
		return
	}
	p.f("<table><thead><tr><th scope=\"col\">Texts</th><th scope=\"col\" class=\"num\">Similarity</th><th scope=\"col\" class=\"num\">Counted</th></tr></thead><tbody>\n")
	for i, row := range r.Pairs {
		p.f("<tr><th scope=\"row\">")
		if i < len(r.Compared) {
			p.f("<a href=\"#p%d\">", i+1)
		}
		p.f("<bdi>%s</bdi> and <bdi>%s</bdi>", row.A, row.B)
		if i < len(r.Compared) {
			p.f("</a>")
		}
		p.f("</th><td class=\"num\">%s</td><td class=\"num\"><small>%s</small></td></tr>\n", percent(row.Sim), counted(r.Question.Measure, row))
	}
	p.f("</tbody></table>\n")
	if left := r.Total - int64(len(r.Pairs)); left > 0 {
		p.f("<p class=\"dim\">%s more are not listed.</p>\n", count(left))
	}
}

// counted returns the integers of a pair.
func counted(m api.Measure, row api.PairMatch) string {
	switch {
	case m.OfFingerprints():
		return many(int64(row.Dist), "bit") + " apart"
	case m.Counts():
		return count(int64(row.Shared)) + " of " + count(int64(row.Of))
	}
	return ""
}

// passages shows the common passages of the first pairs.
func (r *Report) passages(p page) {
	if len(r.Compared) == 0 {
		return
	}
	p.f("<h2>Common passages</h2>\n")
	for i, c := range r.Compared {
		p.pair("p"+strconv.Itoa(i+1), c)
	}
	if left := len(r.Pairs) - len(r.Compared); left > 0 {
		p.f("<p class=\"dim\">The passages of %s are not shown.</p>\n", many(int64(left), "further pair"))
	}
}

// pair shows the common passages of a pair. Its section has an id.
func (p page) pair(id string, c Compared) {
	p.f("<section class=\"pair\" id=\"%s\"><h3><bdi>%s</bdi> and <bdi>%s</bdi>: %s</h3>\n", id, c.A, c.B, percent(c.Sim))
	if len(c.Passages) == 0 {
		p.f("<p class=\"dim\">%s</p>\n", map[bool]string{true: "They share shingles, but no long passage.", false: "They share no shingle."}[c.Shared > 0])
	}
	for _, s := range c.Passages {
		p.f("<div class=\"passage\"><div><small><bdi>%s</bdi>, %s</small>%s</div><div><small><bdi>%s</bdi>, %s</small>%s</div></div>\n",
			c.A, lineRange(s.ALines), s.A, c.B, lineRange(s.BLines), s.B)
	}
	if c.Others > 0 {
		p.f("<p class=\"dim\">%s are shorter.</p>\n", many(int64(c.Others), "further passage"))
	}
	p.f("</section>\n")
}

func lineRange(l [2]int) string {
	if l[0] == l[1] {
		return "line " + strconv.Itoa(l[0])
	}
	return fmt.Sprintf("lines %d to %d", l[0], l[1])
}

// groups lists the groups.
func (r *Report) groups(p page) {
	if len(r.Groups) == 0 {
		return
	}
	p.f("<h2>Groups</h2>\n<p class=\"dim\">Pairs of %s or more connect the texts of a group, so two of its texts may share less.</p>\n<ul>\n", percent(r.Least.Float64()))
	for _, g := range r.Groups {
		p.f("<li>%s: ", many(int64(g.Size), "text"))
		for i, id := range g.Members {
			p.f("%s<bdi>%s</bdi>", map[bool]string{true: ", "}[i > 0], id)
		}
		p.f("%s</li>\n", map[bool]string{true: " …"}[g.Size > len(g.Members)])
	}
	p.f("</ul>\n")
	if r.Further > 0 {
		p.f("<p class=\"dim\">%s are smaller.</p>\n", many(int64(r.Further), "further group"))
	}
}

// outliers lists the documents that stand out.
func (r *Report) outliers(p page) {
	if len(r.Outliers) == 0 {
		return
	}
	p.f("<h2>Texts that stand out</h2>\n<p class=\"dim\">Each with its most similar other text, and how far that is above its usual similarity: the median of all others.</p>\n")
	p.f("<table><thead><tr><th scope=\"col\">Text</th><th scope=\"col\">Most similar</th><th scope=\"col\" class=\"num\">Similarity</th><th scope=\"col\" class=\"num\">Usual</th></tr></thead><tbody>\n")
	for _, o := range r.Outliers {
		usual := "below " + percent(r.Least.Float64())
		if o.Usual > 0 {
			usual = percent(o.Usual)
		}
		p.f("<tr><th scope=\"row\"><bdi>%s</bdi></th><td><bdi>%s</bdi></td><td class=\"num\">%s</td><td class=\"num\">%s</td></tr>\n", o.ID, o.Other(), percent(o.Best.Sim), usual)
	}
	p.f("</tbody></table>\n")
}

// shown writes out the characters that cannot be seen, or that turn the text around them.
func shown(s string) string {
	if strings.IndexFunc(s, hidden) < 0 {
		return s
	}
	var b strings.Builder
	for _, c := range s {
		if hidden(c) {
			fmt.Fprintf(&b, "\\u%04x", c)
		} else {
			b.WriteRune(c)
		}
	}
	return b.String()
}

// hidden reports whether a character is invisible, other than white space.
func hidden(c rune) bool {
	return c != '\n' && c != '\r' && c != '\t' && (unicode.Is(unicode.Cc, c) || unicode.Is(unicode.Cf, c) || c == '\u2028' || c == '\u2029')
}

// percent formats a similarity; it never rounds up to 100.
func percent(sim float64) string {
	return strconv.FormatFloat(math.Floor(sim*1e4+1e-6)/100, 'f', -1, 64) + " %"
}

// count formats a number with commas between thousands.
func count(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

func many(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return count(n) + " " + noun + "s"
}

// pairCount formats a number of pairs, which may be a lower bound.
func pairCount(n int64, more bool) string {
	if more {
		return "more than " + many(n, "pair")
	}
	return many(n, "pair")
}
