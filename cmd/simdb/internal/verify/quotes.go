package verify

// Passages of a small set of sources in a stream of texts.

import (
	"cmp"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"github.com/simdb/simdb/internal/shingle"
	"github.com/simdb/simdb/internal/text"
)

// sources finds the passages of sources in texts: k successive words or more. It compares words
// without case, punctuation, hyphens, line breaks and markup, by 64-bit hashes of k words. It is safe for
// concurrent use after build.
type sources struct {
	analysis shingle.Analysis
	all      []source
	short    int // sources of fewer than k words, of which no passage is found

	sequence []uint64 // scratch of add
	postings []posting
	starts   map[uint64]int32 // of the postings of a hash
	filter   []uint64         // a bit for some hashes, so that most texts miss the map
	shift    int
}

// source is a text whose passages are searched for.
type source struct {
	id    string
	text  string // plain
	words int
}

// posting is a place of k words in a source.
type posting struct {
	hash          uint64
	source, place int32
}

// quote is what a text contains of a source.
type quote struct {
	source  int
	words   int // of the source that are in the text, each counted once
	longest int // words of the longest passage
	place   int // of the longest passage in the source, in words
}

func newSources(k int) *sources {
	return &sources{analysis: shingle.Analysis{Unit: text.Word, K: k}}
}

// add adds a source.
func (s *sources) add(id, doc string) {
	doc = plain(doc)
	words := 0
	for range s.analysis.Form.Words(s.analysis.Form.Normalize(nil, doc)) {
		words++
	}
	if words < s.analysis.K {
		s.short++
		return
	}
	s.sequence = s.analysis.Sequence(s.sequence[:0], doc)
	for i, h := range s.sequence {
		s.postings = append(s.postings, posting{h, int32(len(s.all)), int32(i)})
	}
	s.all = append(s.all, source{id, doc, words})
}

// build ends the additions. With most > 0, words that stand in more than so many sources are ignored.
func (s *sources) build(most int) {
	slices.SortFunc(s.postings, func(x, y posting) int {
		return cmp.Or(cmp.Compare(x.hash, y.hash), cmp.Compare(x.source, y.source), cmp.Compare(x.place, y.place))
	})
	kept := s.postings[:0]
	for same := range equal(s.postings) {
		in := 1
		for i := range same[1:] {
			if same[i].source != same[i+1].source {
				in++
			}
		}
		if most == 0 || in <= most {
			kept = append(kept, same...)
		}
	}
	s.postings, s.starts = kept, map[uint64]int32{}
	s.shift = 64 - 10
	for ; s.shift > 64-32 && 1<<(64-s.shift) < 16*len(kept); s.shift-- {
	}
	s.filter = make([]uint64, 1<<(64-s.shift)/64)
	for i, p := range kept {
		if i == 0 || kept[i-1].hash != p.hash {
			s.starts[p.hash] = int32(i)
			bit := p.hash >> s.shift
			s.filter[bit/64] |= 1 << (bit % 64)
		}
	}
}

// equal yields the runs of postings with equal hashes.
func equal(all []posting) func(yield func([]posting) bool) {
	return func(yield func([]posting) bool) {
		for begin := 0; begin < len(all); {
			end := begin + 1
			for end < len(all) && all[end].hash == all[begin].hash {
				end++
			}
			if !yield(all[begin:end]) {
				return
			}
			begin = end
		}
	}
}

// searcher holds the scratch memory of one goroutine.
type searcher struct {
	*sources
	sequence []uint64
	hits     []hit
}

// hit is a posting of k words of a text.
type hit struct{ source, place, at int32 }

// find returns the quotes of a text, by source.
func (s *searcher) find(doc string) (quotes []quote) {
	s.sequence, s.hits = s.analysis.Sequence(s.sequence[:0], plain(doc)), s.hits[:0]
	for i, h := range s.sequence {
		bit := h >> s.shift
		if s.filter[bit/64]>>(bit%64)&1 == 0 {
			continue
		}
		start, ok := s.starts[h]
		if !ok {
			continue
		}
		for _, p := range s.postings[start:] {
			if p.hash != h {
				break
			}
			s.hits = append(s.hits, hit{p.source, p.place, int32(i)})
		}
	}
	// Hits on one diagonal, with successive places, form a passage.
	slices.SortFunc(s.hits, func(x, y hit) int {
		return cmp.Or(cmp.Compare(x.source, y.source), cmp.Compare(x.place-x.at, y.place-y.at), cmp.Compare(x.place, y.place))
	})
	for of := range s.bySource() {
		q := quote{source: int(of[0].source)}
		begin := 0
		for i, h := range of {
			if i > 0 && (h.place-h.at != of[i-1].place-of[i-1].at || h.place != of[i-1].place+1) {
				begin = i
			}
			if n := i - begin + s.analysis.K; n > q.longest {
				q.longest, q.place = n, int(of[begin].place)
			}
		}
		slices.SortFunc(of, func(x, y hit) int { return cmp.Compare(x.place, y.place) })
		end := int32(0)
		for _, h := range of {
			to := h.place + int32(s.analysis.K)
			q.words += int(max(to-max(h.place, end), 0))
			end = max(end, to)
		}
		quotes = append(quotes, q)
	}
	return quotes
}

// bySource yields the hits of each source.
func (s *searcher) bySource() func(yield func([]hit) bool) {
	return func(yield func([]hit) bool) {
		for begin := 0; begin < len(s.hits); {
			end := begin + 1
			for end < len(s.hits) && s.hits[end].source == s.hits[begin].source {
				end++
			}
			if !yield(s.hits[begin:end]) {
				return
			}
			begin = end
		}
	}
}

// passage returns words of a source, normalised.
func (s *sources) passage(q quote) string {
	norm := s.analysis.Form.Normalize(nil, s.all[q.source].text)
	begin, end, i := 0, len(norm), 0
	for t := range s.analysis.Form.Words(norm) {
		if i == q.place {
			begin = t.Start
		}
		if i++; i == q.place+q.longest {
			end = t.End
			break
		}
	}
	return strings.Join(strings.Fields(string(norm[begin:end])), " ")
}

// inline lists the elements of HTML that do not divide words.
var inline = map[string]bool{"a": true, "b": true, "code": true, "em": true, "font": true, "i": true, "mark": true, "s": true, "small": true, "span": true, "strong": true, "sub": true, "sup": true, "u": true}

// plain removes the markup of HTML, the addresses of links in Markdown, and underscores around words.
// Words do not contain other signs of markup.
func plain(doc string) string {
	if strings.ContainsAny(doc, "<&") {
		var b strings.Builder
		for z := html.NewTokenizer(strings.NewReader(doc)); ; {
			switch z.Next() {
			case html.TextToken:
				b.Write(z.Text())
				continue
			case html.StartTagToken, html.EndTagToken, html.SelfClosingTagToken:
				if name, _ := z.TagName(); !inline[string(name)] {
					b.WriteByte(' ')
				}
				continue
			case html.ErrorToken: // the end
			default:
				continue
			}
			break
		}
		doc = b.String()
	}
	if strings.Contains(doc, "](") {
		var b strings.Builder
		for {
			before, after, ok := strings.Cut(doc, "](")
			b.WriteString(before)
			if !ok {
				break
			}
			address, rest, ok := strings.Cut(after, ")")
			if !ok || strings.ContainsAny(address, "\n") { // no link
				b.WriteString(" ")
				rest = after
			}
			doc = rest
		}
		doc = b.String()
	}
	for _, hyphen := range []string{"\u2010", "\u2011"} {
		doc = strings.ReplaceAll(doc, hyphen, "-")
	}
	if strings.ContainsAny(doc, "_-") {
		doc = wholeWords(doc)
	}
	return doc
}

// wholeWords removes underscores at the begin and the end of words, and hyphens within words, with the
// line break after one: no line break tells whether the word has a hyphen elsewhere.
func wholeWords(doc string) string {
	b := make([]byte, 0, len(doc))
	for i := 0; i < len(doc); {
		end := i + 1
		switch {
		case doc[i] == '_':
			for end < len(doc) && doc[end] == '_' {
				end++
			}
			if inWord(doc, i-1) && inWord(doc, end) {
				b = append(b, doc[i:end]...)
			}
		case doc[i] == '-' && inWord(doc, i-1):
			if rest := strings.TrimLeft(doc[end:], " \t\r"); strings.HasPrefix(rest, "\n") {
				end = len(doc) - len(strings.TrimLeft(rest, " \t\r\n"))
			}
			if !inWord(doc, end) {
				b = append(b, ' ')
			}
		default:
			b = append(b, doc[i])
		}
		i = end
	}
	return string(b)
}

// inWord reports whether a byte is part of a word.
func inWord(doc string, i int) bool {
	if i < 0 || i >= len(doc) {
		return false
	}
	c := doc[i]
	return c >= 0x80 || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
}
