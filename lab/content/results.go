package content

// This file writes the report: which variants find the file they were made of,
// for each change and for each control.

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/simdb/simdb/internal/report"
)

// Results stores the content that Load has written to dir in a database of its
// own, and reports which pairs are similar by the 64-bit SimHash, in the
// form of the paper's table 20, and which variants find their control.
func Results(ctx context.Context, dir string, o report.Options) (*report.Report, error) {
	o.Progressf("storing %s", dir)
	s, err := store(ctx, dir)
	if err != nil {
		return nil, fmt.Errorf("content: %w", err)
	}
	if len(s.controls()) == 0 {
		return nil, fmt.Errorf("content: no file in %s has a copy NAME_dup.EXT; load test content first", dir)
	}
	r := report.NewReport("Test content")
	r.Printf(`Control files and their variants: _dup is a copy, _d_N has N %% of the text deleted, _i_N has N %% inserted.
SI is the 64-bit SimHash of the %d-grams of characters; the similarity of two is (64 − distance)/64. The list of pairs, pairs.csv,
holds both directions of every pair from %.2f up, as the paper's view does.`, analysis.K, least)
	r.Printf(`Every file is stored twice: as "bytes", the content as it lies there, which is what the paper does, and as "rendition",
the text that simdb's importer makes of it. "packed" is gzip, which stands for the paper's docx and pdf: what is edited inside
changes nearly all bytes. The variants of other binary files are made byte by byte.`)
	s.counts(r)
	s.byChange(r)
	s.byControl(r)
	s.excerpt(r)
	s.data(r)
	return r, nil
}

// counts tells how much there is.
func (s stored) counts(r *report.Report) {
	files := map[string]int{}
	for _, kind := range s.kinds {
		files[kind]++
	}
	r.Printf("## What was stored")
	rows := [][]string{}
	for _, rendition := range []string{asBytes, asRendition} {
		rows = append(rows, []string{
			rendition, strconv.Itoa(len(s.si[rendition])), strconv.Itoa(len(s.kinds) - len(s.si[rendition])),
			strconv.Itoa(2 * len(s.pairs[rendition])),
		})
	}
	rows = append(rows, []string{"the paper", "1279", "0", "21864"})
	r.Table("stored", []string{"read as", "documents", "rejected", fmt.Sprintf("rows from %.2f up", least)}, rows)
	r.Printf("Of the %d files %d are text, %d packed and %d binary.", len(s.kinds), files[kindText], files[kindPacked], files[kindBinary])
}

// cases are the kinds of files and the ways they are read, as far as both occur.
func (s stored) cases() (all [][2]string) {
	for _, c := range [][2]string{{kindText, asBytes}, {kindPacked, asBytes}, {kindPacked, asRendition}, {kindBinary, asBytes}} {
		if slices.Contains(slices.Collect(maps.Values(s.kinds)), c[0]) {
			all = append(all, c)
		}
	}
	return all
}

// byChange tells for each change how many variants find their control.
func (s stored) byChange(r *report.Report) {
	type tally struct{ variants, near, similar int }
	tallies := map[[2]string]map[string]*tally{}
	var suffixes []string
	for _, c := range s.cases() {
		tallies[c] = map[string]*tally{}
		for _, control := range s.controls() {
			if s.kinds[control] != c[0] {
				continue
			}
			found := s.near(c[1], control)
			for _, suffix := range s.variants(control) {
				if tallies[c][suffix] == nil {
					tallies[c][suffix] = &tally{}
				}
				if !slices.Contains(suffixes, suffix) {
					suffixes = append(suffixes, suffix)
				}
				t := tallies[c][suffix]
				t.variants++
				sim, ok := found[variantName(control, suffix)]
				t.near += count(ok)
				t.similar += count(ok && sim >= similar)
			}
		}
	}
	slices.SortFunc(suffixes, compareSuffixes)
	head := []string{"variant"}
	for _, c := range s.cases() {
		head = append(head, c[0]+" as "+c[1])
	}
	var rows [][]string
	for _, suffix := range suffixes {
		row := []string{suffix}
		for _, c := range s.cases() {
			t := tallies[c][suffix]
			if t == nil {
				row = append(row, "")
				continue
			}
			row = append(row, fmt.Sprintf("%d, %d of %d", t.near, t.similar, t.variants))
		}
		rows = append(rows, row)
	}
	r.Printf("## Which variants find their control")
	r.Printf("From %.2f up, then from %.2f up, of all controls of the kind. A text file's rendition is its bytes.", least, similar)
	r.Table("variants", head, rows)
}

// byControl tells for each control what it finds.
func (s stored) byControl(r *report.Report) {
	var rows [][]string
	for _, control := range s.controls() {
		for _, rendition := range []string{asBytes, asRendition} {
			if _, ok := s.si[rendition][control]; !ok {
				rows = append(rows, []string{oneLine(control), s.kinds[control], rendition, "rejected", "", "", ""})
				continue
			}
			found := s.near(rendition, control)
			own, lowest, suffixes := 0, 1.0, s.variants(control)
			for _, suffix := range suffixes {
				if sim, ok := found[variantName(control, suffix)]; ok {
					own, lowest = own+1, min(lowest, sim)
				}
			}
			_, dup := found[variantName(control, "_dup")]
			rows = append(rows, []string{
				oneLine(control), s.kinds[control], rendition, map[bool]string{true: "yes", false: "no"}[dup],
				fmt.Sprintf("%d of %d", own, len(suffixes)), fmt.Sprintf("%.6f", lowest), strconv.Itoa(len(found) - own),
			})
		}
	}
	r.Printf(`controls.csv has, for each control, whether it finds its copy from %.2f up, how many of its variants, the least similar of
those found, and how many other files.`, least)
	r.Data("controls", []string{"control", "kind", "read as", "finds its copy", "variants", "least similar", "others"}, rows)
}

// excerpt prints the first control of every kind as table 20 does.
func (s stored) excerpt(r *report.Report) {
	r.Printf("## The list, in the form of the paper's table 20")
	var b strings.Builder
	for _, c := range s.cases() {
		for _, control := range s.controls() {
			if s.kinds[control] == c[0] {
				s.list(&b, c[1], control)
				break
			}
		}
	}
	r.Printf("```text\n%s```", b.String())
}

// listed is how many similar files the list names.
const listed = 12

func (s stored) list(b *strings.Builder, rendition, control string) {
	found := s.near(rendition, control)
	names := slices.SortedFunc(maps.Keys(found), func(x, y string) int {
		return cmp.Or(cmp.Compare(found[y], found[x]), cmp.Compare(x, y))
	})
	fmt.Fprintf(b, "%s (%s, read as %s)\n [%064b]\n found %d similar objects\n", oneLine(control), s.kinds[control], rendition, s.si[rendition][control], len(found))
	for i, name := range names {
		if i == listed {
			fmt.Fprintf(b, "\n … and %d more\n", len(names)-listed)
			break
		}
		fmt.Fprintf(b, "\n %s\n [%064b]\n >> %s\n", oneLine(name), s.si[rendition][name], decimal(found[name]))
	}
	b.WriteString("\n")
}

// oneLine keeps the name of a file from breaking out of a list.
func oneLine(name string) string {
	if quoted := strconv.Quote(name); quoted != `"`+name+`"` || strings.Contains(name, "`") {
		return quoted
	}
	return name
}

// decimal prints a similarity as the paper does: 1.0, 0.984375.
func decimal(sim float64) string {
	if sim == 1 {
		return "1.0"
	}
	return strconv.FormatFloat(sim, 'f', -1, 64)
}

// data writes all pairs, in both directions.
func (s stored) data(r *report.Report) {
	var rows [][]string
	for _, rendition := range []string{asBytes, asRendition} {
		si := s.si[rendition]
		for _, p := range s.pairs[rendition] {
			for _, d := range [][2]string{{p.A, p.B}, {p.B, p.A}} {
				rows = append(rows, []string{
					rendition, d[0], fmt.Sprintf("%064b", si[d[0]]), d[1], fmt.Sprintf("%064b", si[d[1]]),
					strconv.Itoa(p.Dist), decimal(p.Sim),
				})
			}
		}
	}
	r.Data("pairs", []string{"read as", "id", "si1", "similar id", "si2", "distance", "similarity"}, rows)
}

// compareSuffixes puts _dup first, then _d_ and _i_ by their percentage.
func compareSuffixes(a, b string) int {
	number := func(s string) int {
		n, _ := strconv.Atoi(s[strings.LastIndexByte(s, '_')+1:]) // _dup has none: 0
		return n
	}
	return cmp.Or(-cmp.Compare(count(a == "_dup"), count(b == "_dup")), cmp.Compare(a[:3], b[:3]), cmp.Compare(number(a), number(b)))
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}
