package rendition

// Markdown: the words without the markup. Line ends and code stay unchanged. The title
// comes from the front matter, else from the first heading.

import (
	"regexp"
	"strings"

	"golang.org/x/net/html"
)

var (
	mdFence     = regexp.MustCompile("^\\s{0,3}(```+|~~~+)")
	mdRule      = regexp.MustCompile(`^\s{0,3}([-*_=]\s*){3,}$`)
	mdTableRule = regexp.MustCompile(`^\s*\|?[\s:|+-]*-[\s:|+-]*\|?\s*$`)
	mdPrefix    = regexp.MustCompile(`^\s*(>\s?)*\s*(#{1,6}\s+|[-*+]\s+(\[[ xX]\]\s+)?|\d{1,9}[.)]\s+)?`)
	mdImage     = regexp.MustCompile(`!\[([^\[\]]{0,1000})\](\([^()]{0,1000}\)|\[[^\[\]]{0,1000}\])`)
	mdLink      = regexp.MustCompile(`\[([^\[\]]{0,1000})\](\([^()]{0,1000}\)|\[[^\[\]]{0,1000}\])`)
	mdReference = regexp.MustCompile(`^\s{0,3}\[[^\[\]]{1,1000}\]:\s+\S+`)
	mdAutolink  = regexp.MustCompile(`<(https?://[^<>\s]{1,1000}|[\w.+-]{1,100}@[\w.-]{1,100})>`)
	mdTag       = regexp.MustCompile(`</?[a-zA-Z][^<>]{0,1000}>|<!--.*?-->`)
	mdStrong    = regexp.MustCompile(`(\*{1,3}|~~)([^\s*~](?:[^*~]{0,1000}[^\s*~])?)(\*{1,3}|~~)`)
	mdUnder     = regexp.MustCompile(`(^|[^\pL\pN_])(_{1,3})([^\s_](?:[^_]{0,1000}[^\s_])?)(_{1,3})($|[^\pL\pN_])`)
	mdCode      = regexp.MustCompile("(`+)([^`]{1,1000})(`+)")
	mdEscape    = regexp.MustCompile(`\\([\\` + "`" + `*_{}\[\]()#+\-.!|<>~"'$^])`)
	mdHidden    = regexp.MustCompile("[\uE000-\uE07F]")
	mdHeading   = regexp.MustCompile(`^\s{0,3}#{1,6}\s+(.*?)\s*#*\s*$`)
)

// markdown works line by line with regular expressions, not with a parser of
// CommonMark: malformed markup stays visible as text, and every expression has bounded
// repetitions, so no text takes more than linear time.
func (j *job) markdown() error {
	text, charset, err := decode(j.raw, "")
	if err != nil {
		return err
	}
	j.fact.Charset = charset
	text = strings.ReplaceAll(text, "\r\n", "\n")
	text = j.frontMatter(text)
	fence, comment := "", false
	for l := range strings.SplitSeq(text, "\n") {
		if j.ctx.Err() != nil || j.out.full {
			break
		}
		if m := mdFence.FindStringSubmatch(l); m != nil && (fence == "" || strings.HasPrefix(m[1], fence)) {
			if fence != "" {
				fence = ""
			} else {
				fence = m[1]
			}
			j.out.need(block)
			continue
		}
		if fence != "" {
			j.out.need(line)
			j.out.raw(l)
			continue
		}
		if strings.Contains(l, "<!--") && !strings.Contains(l, "-->") || comment {
			comment = !strings.Contains(l, "-->")
			continue
		}
		j.out.need(line)
		switch {
		case strings.TrimSpace(l) == "":
			j.out.need(block)
			continue
		case mdRule.MatchString(l), mdReference.MatchString(l), strings.Contains(l, "|") && mdTableRule.MatchString(l):
			continue
		}
		if m := mdHeading.FindStringSubmatch(l); m != nil {
			setOnce(&j.fact.Title, inline(m[1]))
			j.out.need(block)
			j.out.words(inline(m[1]))
			j.out.need(block)
			continue
		}
		l = l[len(mdPrefix.FindString(l)):]
		if strings.HasPrefix(l, "|") {
			l = strings.ReplaceAll(l, "|", " ")
		}
		j.out.words(inline(l))
	}
	return j.out.err(nil)
}

// hiddenBy is the offset that moves an escaped character to a private one, which no
// markup matches.
const hiddenBy = 0xE000

// inline removes the markup from a line. It keeps the text of links and images.
func inline(l string) string {
	l = mdEscape.ReplaceAllStringFunc(l, func(s string) string { return string(rune(s[1]) + hiddenBy) })
	l = mdImage.ReplaceAllString(l, "$1")
	l = mdLink.ReplaceAllString(l, "$1")
	l = mdAutolink.ReplaceAllString(l, "$1")
	l = mdTag.ReplaceAllString(l, "")
	l = mdCode.ReplaceAllString(l, "$2")
	l = mdStrong.ReplaceAllString(l, "$2")
	l = mdUnder.ReplaceAllString(l, "$1$3$5")
	return html.UnescapeString(mdHidden.ReplaceAllStringFunc(l, func(s string) string { return string([]rune(s)[0] - hiddenBy) }))
}

// frontMatter reads the facts between --- lines at the start, and returns the text
// after them.
func (j *job) frontMatter(text string) string {
	rest, ok := strings.CutPrefix(text, "---\n")
	if !ok {
		return text
	}
	front, rest, ok := strings.Cut(rest, "\n---\n")
	if !ok || len(front) > 64<<10 {
		return text
	}
	for l := range strings.SplitSeq(front, "\n") {
		name, value, _ := strings.Cut(l, ":")
		value = strings.Trim(strings.TrimSpace(value), `"'`)
		switch strings.ToLower(name) {
		case "title":
			setOnce(&j.fact.Title, value)
		case "author":
			setOnce(&j.fact.Author, value)
		case "date":
			setOnce(&j.fact.Created, value)
		}
	}
	return rest
}
