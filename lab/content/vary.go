package content

// This file makes a variant: N % of a file deleted or inserted at random places.
// The places follow from the content and the change, so that the same file
// always gives the same variants.

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"unicode/utf8"
)

// change is what makes a variant of its control.
type change struct {
	insert  bool
	percent int
}

func (c change) suffix() string {
	if c.insert {
		return fmt.Sprintf("_i_%d", c.percent)
	}
	return fmt.Sprintf("_d_%d", c.percent)
}

// Texts lose and gain passages of up to this many characters, about half a
// sentence. Files that are no text change byte by byte instead: what they hold
// is encoded, and a document that is edited and encoded again differs all over.
const passage = 50

// isText reports whether a file is read as text: valid UTF-8 without NUL.
func isText(b []byte) bool { return utf8.Valid(b) && !bytes.Contains(b, []byte{0}) }

// apply makes the variant of a text. N % of the characters, rounded up, are
// deleted at random places, or copied from random places of the text itself to
// others. The same text and change always give the same variant.
func (c change) apply(text []byte) []byte {
	if isText(text) {
		return []byte(string(vary(c, c.random(text), []rune(string(text)), passage, nil)))
	}
	r := c.random(text)
	return vary(c, r, text, 1, func() byte { return byte(r.Uint32()) })
}

// random returns a source that depends on the content and the change alone.
func (c change) random(text []byte) *rand.Rand {
	h := sha256.New()
	h.Write(text)
	h.Write([]byte(c.suffix()))
	sum := h.Sum(nil)
	return rand.New(rand.NewPCG(binary.LittleEndian.Uint64(sum), binary.LittleEndian.Uint64(sum[8:])))
}

// vary deletes or inserts N % of the units. fresh makes an inserted unit; nil
// copies passages of the text.
func vary[U byte | rune](c change, r *rand.Rand, units []U, passage int, fresh func() U) []U {
	n := (len(units)*c.percent + 99) / 100
	cuts := passages(len(units), passage)
	if !c.insert {
		gone := make([]int, len(cuts)) // of the units of a passage, how many go
		for _, p := range r.Perm(len(cuts)) {
			gone[p] = min(n, cuts[p].len())
			n -= gone[p]
		}
		var left []U
		for i, p := range cuts {
			left = append(left, units[p.start+gone[i]:p.end]...)
		}
		return left
	}
	before := make([][]U, len(cuts)+1) // what is inserted before a passage, or at the end
	for n > 0 {
		var some []U
		if fresh != nil {
			some = []U{fresh()}
		} else {
			p := cuts[r.IntN(len(cuts))]
			some = units[p.start:min(p.end, p.start+n)]
		}
		at := r.IntN(len(before))
		before[at] = append(before[at], some...)
		n -= len(some)
	}
	var all []U
	for i, p := range cuts {
		all = append(append(all, before[i]...), units[p.start:p.end]...)
	}
	return append(all, before[len(cuts)]...)
}

// cut is a stretch of a text.
type cut struct{ start, end int }

func (c cut) len() int { return c.end - c.start }

// passages cuts n units into stretches of the given length, the last shorter.
func passages(n, length int) (cuts []cut) {
	for start := 0; start < n; start += length {
		cuts = append(cuts, cut{start, min(start+length, n)})
	}
	return cuts
}
