package verify

// Passages of a small set of sources in a stream of texts.

import (
	"cmp"
	"slices"
	"sort"
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
	places   int32            // of all sources, from 1 on; one between two sources has no posting
	last     map[uint64]int32 // posting of a hash
	filter   []uint64         // a bit for some hashes, so that most texts miss the map
	shift    int
}

// source is a text whose passages are searched for.
type source struct {
	id    string
	text  string // plain
	words int
	first int32 // place
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
	return &sources{analysis: shingle.Analysis{Unit: text.Word, K: k}, places: 1}
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
		s.postings = append(s.postings, posting{h, int32(len(s.all)), s.places + int32(i)})
	}
	s.all = append(s.all, source{id, doc, words, s.places})
	s.places += int32(len(s.sequence)) + 1
}

// build ends the additions. With most > 0, words that stand in more than so many sources are ignored.
func (s *sources) build(most int) {
	all := s.postings
	slices.SortFunc(all, func(x, y posting) int { return cmp.Or(cmp.Compare(x.hash, y.hash), cmp.Compare(x.place, y.place)) })
	s.postings, s.last, s.shift = all[:0], map[uint64]int32{}, 64-10
	for ; s.shift > 64-32 && 1<<(64-s.shift) < 16*len(all); s.shift-- {
	}
	s.filter = make([]uint64, 1<<(64-s.shift)/64)
	for begin, end := 0, 0; begin < len(all); begin = end {
		h, in := all[begin].hash, 0
		for ; end < len(all) && all[end].hash == h; end++ {
			if end == begin || all[end].source != all[end-1].source {
				in++
			}
		}
		if most > 0 && in > most {
			continue
		}
		s.postings = append(s.postings, all[begin:end]...)
		s.last[h] = int32(len(s.postings) - 1)
		bit := h >> s.shift
		s.filter[bit/64] |= 1 << (bit % 64)
	}
}

// searcher holds the scratch memory of one goroutine. It grows with the sources, not with the text,
// which may repeat words of a source any number of times.
type searcher struct {
	*sources
	sequence []uint64
	runs     []streak // by place
	hits     []int32  // places of the text
}

// streak describes the passages that end with the k words at a place: where the text had the last of
// them, from 1 on, and the numbers of places of the last and of the longest.
type streak struct{ at, now, longest int32 }

// find returns the quotes of a text, by source.
func (s *searcher) find(doc string) (quotes []quote) {
	if s.runs == nil {
		s.runs = make([]streak, s.places)
	}
	s.sequence, s.hits = s.analysis.Sequence(s.sequence[:0], plain(doc)), s.hits[:0]
	for i, h := range s.sequence {
		bit := h >> s.shift
		if s.filter[bit/64]>>(bit%64)&1 == 0 {
			continue
		}
		last, ok := s.last[h]
		if !ok {
			continue
		}
		// Places descend, so that the place before still has its run of the words before.
		for p := last; p >= 0 && s.postings[p].hash == h; p-- {
			place := s.postings[p].place
			r, before := &s.runs[place], s.runs[place-1]
			if r.at == 0 {
				s.hits = append(s.hits, place)
			}
			if r.at, r.now = int32(i+1), 1; before.at == int32(i) {
				r.now += before.now
			}
			r.longest = max(r.longest, r.now)
		}
	}
	slices.Sort(s.hits)
	var end, next int32 // of the words of the source, and of its places
	for _, place := range s.hits {
		if place >= next {
			n := sort.Search(len(s.all), func(n int) bool { return s.all[n].first > place })
			quotes, end, next = append(quotes, quote{source: n - 1}), place, s.places
			if n < len(s.all) {
				next = s.all[n].first
			}
		}
		q, longest, to := &quotes[len(quotes)-1], s.runs[place].longest, place+int32(s.analysis.K)
		if n := int(longest) + s.analysis.K - 1; n > q.longest {
			q.longest, q.place = n, int(place-longest+1-s.all[q.source].first)
		}
		q.words += int(to - max(place, end))
		end, s.runs[place] = to, streak{}
	}
	return quotes
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
			case html.ErrorToken: // the end, perhaps behind a < that begins no tag
				b.Write(z.Raw())
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
			if end := strings.IndexAny(after, ")]\n"); end >= 0 && after[end] == ')' {
				after = after[end+1:]
			} else { // no link
				b.WriteByte(' ')
			}
			doc = after
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
