package phrase

// Cutting a text into the longest phrases of a dictionary.

import (
	"encoding/binary"
	"sync"
)

// cutter cuts a text into phrases. It holds the buffers of one text and is pooled.
type cutter struct {
	padded  []byte // the text and pad zeros
	limit   int    // length of the text
	phrases []step
	steps   []step // of all streams, interleaved
	repeats repeats
	out     []byte
}

// step is a phrase and its position.
type step struct {
	phrase found
	at     uint32
}

// end returns the position after the phrase.
func (s step) end() int { return int(s.at) + s.phrase.length() }

// pad is the number of bytes past the end of a text that may be read, but have no
// effect.
const pad = 8

var cutters = sync.Pool{New: func() any { return new(cutter) }}

// A text is cut from several positions in parallel, each the start of a stream. A step
// depends on the memory read by the step before it, but not on the steps of other
// streams, so the processor overlaps their waits. A stream that reaches the start of
// the next one usually meets its steps after a few phrases, and from there on both are
// equal.
const (
	streams = 5
	// shortText is the length of the shortest text cut in streams.
	shortText = 128
	// overlap is the distance by which a stream continues past the start of the next.
	overlap = 8
)

// cut cuts a text of at most MaxText bytes into phrases, each the longest possible.
func (c *cutter) cut(f *finder, text string) {
	c.padded = append(append(c.padded[:0], text...), make([]byte, pad)...)
	c.limit = len(text)
	if cap(c.phrases) < len(text) {
		c.phrases = make([]step, len(text))
	}
	c.phrases = c.phrases[:0]
	at := 0
	if len(text) >= shortText {
		at = c.join(f, c.stream(f))
	}
	for at < c.limit {
		s := c.next(f, at)
		c.phrases = append(c.phrases, s)
		at = s.end()
	}
}

// next makes one step.
func (c *cutter) next(f *finder, at int) step {
	p, _ := f.longest(binary.LittleEndian.Uint64(c.padded[at:]), min(c.limit-at, maxPhrase))
	return step{p, uint32(at)}
}

// stream advances all streams until each has passed the start of the next, and the last
// one is near the end of the text. It returns the number of steps of each. The last
// phrases may extend past the end of the text.
func (c *cutter) stream(f *finder) (n int) {
	part := c.limit / streams
	var at, end [streams]int
	for k := range streams {
		at[k], end[k] = k*part, min((k+1)*part+overlap, c.limit)
	}
	end[streams-1] = c.limit - maxPhrase
	if most := (part + overlap + streams + 1) * streams; len(c.steps) < most {
		c.steps = make([]step, most)
	}
	return advanceStreams(f, c.padded, c.steps, &at, &end)
}

// advanceStreams advances all streams in turns, from the positions at, until each has
// reached its end. At least one must not have reached it yet. steps needs capacity for
// one more step of each stream than the result has. A stream that comes to the end of
// the text stays there; the text ends pad bytes before the end of padded.
func advanceStreams(f *finder, padded []byte, steps []step, at, end *[streams]int) (n int) {
	limit := len(padded) - pad
	for k := 0; k < streams; {
		if at[k] >= end[k] {
			k++
			continue
		}
		to := steps[streams*n : streams*n+streams]
		for k, a := range at {
			p, length := f.longest(binary.LittleEndian.Uint64(padded[a:]), maxPhrase)
			to[k] = step{p, uint32(a)}
			at[k] = min(a+length, limit)
		}
		n++
	}
	return n
}

// join concatenates the n steps of each stream, and returns the position reached. No
// phrase that begins before it extends past the end of the text.
func (c *cutter) join(f *finder, n int) (at int) {
	part, last := c.limit/streams, c.limit-maxPhrase
	all := c.steps[:streams*n]
	phrases := c.phrases[:c.limit]
	count := 0
	i := 0 // the next step: an index into the interleaved steps
	for k := range streams {
		next := (k + 1) * part
		if k == streams-1 {
			next = last + 1
		}
		for ; i < len(all) && count < len(phrases) && int(all[i].at) < next; i += streams {
			phrases[count] = all[i]
			count++
		}
		if count > 0 {
			at = phrases[count-1].end()
		}
		if at > last || k == streams-1 {
			break
		}
		j := k + 1
		for at <= last {
			for j < len(all) && int(all[j].at) < at {
				j += streams
			}
			if j >= len(all) || int(all[j].at) == at {
				break
			}
			if i < len(all) {
				phrases[count] = all[i]
				i += streams
			} else {
				phrases[count] = c.next(f, at)
			}
			at = phrases[count].end()
			count++
		}
		if at > last {
			break
		}
		i = j // of the next stream
	}
	c.phrases = phrases[:count]
	return at
}
