package rendition

// Subtitles: the spoken text, without numbers, times, styles and notes.

import (
	"regexp"
	"strings"

	"golang.org/x/net/html"
)

// subtitleMarkup matches the tags of WebVTT and the override codes of SubRip.
var subtitleMarkup = regexp.MustCompile(`<[^<>]{0,200}>|\{\\[^{}]{0,200}\}`)

// subtitles appends the text of the cues, without markup.
func (j *job) subtitles() error {
	text, charset, err := decode(j.raw, "")
	if err != nil {
		return err
	}
	j.fact.Charset = charset
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
	for cue := range strings.SplitSeq(text, "\n\n") {
		if j.ctx.Err() != nil || j.out.full {
			break
		}
		// The cue begins with its name, up to the times; a block without times is a
		// header, a note or a style.
		at := strings.Index(cue, "-->")
		if at < 0 {
			continue
		}
		_, said, _ := strings.Cut(cue[at:], "\n")
		said = html.UnescapeString(subtitleMarkup.ReplaceAllString(said, ""))
		j.out.need(line)
		j.out.lines(said)
	}
	return j.out.err(nil)
}
