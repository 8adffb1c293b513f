package pairs

// The tokens of a collection that does not post every shingle: its texts are read once
// for all joins of a call, and the tokens wait in scratch.

import (
	"context"

	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/index/join"
)

// textTokens are join.Tokens made from texts. They are dealt to ranges of tokens, so that
// a round of a join reads little besides its own.
type textTokens struct {
	scratch *joinScratch
	ranges  [tokenRanges]dealtTokens
	count   int64
}

// dealtTokens are pairs of words, token and set.
type dealtTokens struct {
	buffer []uint32
	at     []int64 // in scratch, of bufferWords each
}

const (
	tokenRanges = 128
	rangeShift  = index.TokenBits - 7 // from a token to its range
	bufferWords = 1 << 12
)

// readTokens reads the tokens of all sets of a view.
func (e *edges) readTokens(ctx context.Context, v *view.View) (*textTokens, error) {
	t := &textTokens{scratch: &joinScratch{scratch: e.m.Scratch}}
	err := view.EachSet(ctx, e.m, v, v.Live(0, v.Table.Len()), func(r *view.Reader, set uint32) ([]uint32, error) {
		bag, err := r.Once(set)
		tokens := make([]uint32, len(bag.Set))
		for i, h := range bag.Set {
			tokens[i] = uint32(join.TokenOf(h))
		}
		return tokens, err
	}, func(set uint32, tokens []uint32) error {
		for _, token := range tokens {
			if err := t.add(token, set); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.scratch.Close()
		return nil, err
	}
	return t, nil
}

// closeTexts closes the tokens that the joins of a call had.
func (e *edges) closeTexts() {
	for side, t := range e.texts {
		if t != nil {
			t.scratch.Close() // it is removed with the moment too
			e.texts[side] = nil
		}
	}
}

func (t *textTokens) add(token, set uint32) error {
	t.count++
	d := &t.ranges[token>>rangeShift]
	if d.buffer = append(d.buffer, token, set); len(d.buffer) < bufferWords {
		return nil
	}
	at, err := t.scratch.Append(d.buffer)
	d.at, d.buffer = append(d.at, at), d.buffer[:0]
	return err
}

// Count makes them join.Tokens.
func (t *textTokens) Count() int64 { return t.count }

// Tiers makes them join.Tokens: no order of shingles is known.
func (t *textTokens) Tiers() index.Tiers { return index.Tiers{}.WithAll() }

// Read makes them join.Tokens.
func (t *textTokens) Read(ctx context.Context, part int, from, end uint64, yield func(token uint64, set uint32, tier uint8)) error {
	if part != t.Tiers().Part(0) {
		return nil
	}
	words := make([]uint32, bufferWords)
	each := func(words []uint32) {
		for i := 0; i < len(words); i += 2 {
			if token := uint64(words[i]); token >= from && token < end {
				yield(token, words[i+1], 0)
			}
		}
	}
	for r := from >> rangeShift; r < tokenRanges && r<<rangeShift < end; r++ {
		for _, at := range t.ranges[r].at {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := t.scratch.Read(words, at); err != nil {
				return err
			}
			each(words)
		}
		each(t.ranges[r].buffer)
	}
	return nil
}
