package index

// Merging the runs with entries of one word: all but the rotated tables. Packed pages are
// decoded into words for merging.

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"sort"

	"golang.org/x/sync/errgroup"
)

// mergeLists merges runs of counted payloads.
func mergeLists(ctx context.Context, k Kind, segments []Stored, live []uint64, emit Emit) (*Run, error) {
	if ok, err := allKeep(k, segments); !ok {
		return nil, err
	}
	w := wordWriter{runWriter: runWriter{kind: k, emit: emit}}
	w.expect(segments)
	if err := mergeWords(ctx, k, segments, live, w.write); err != nil {
		return nil, err
	}
	return w.finish()
}

// mergePostings merges the postings of shingles.
func mergePostings(ctx context.Context, l Layout, segments []Stored, live []uint64, emit Emit) (pages, columns *Run, err error) {
	if ok, err := allKeep(Prefix, segments); !ok {
		return nil, nil, err
	}
	var sources []*columnSource
	for _, s := range segments {
		sources = append(sources, newColumnSource(ctx, s, segments[0].Lo, live))
	}
	w := newPostingWriter(l, emit, sources)
	w.pages.expect(segments)
	if err := mergeWords(ctx, Prefix, segments, live, w.write); err != nil {
		return nil, nil, err
	}
	return w.finish()
}

// mergeWords merges runs of entries key<<32 | payload. A second goroutine writes the merged
// entries.
func mergeWords(ctx context.Context, k Kind, segments []Stored, live []uint64, write func([]uint64) error) error {
	var sources []*wordSource
	for _, s := range segments {
		sources = append(sources, newWordSource(s, k, segments[0].Lo, live))
	}
	full, free := make(chan []uint64, mergedAhead), make(chan []uint64, mergedAhead)
	for range mergedAhead {
		free <- nil
	}
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error {
		for words := range full {
			if err := write(words); err != nil {
				return err
			}
			free <- words
		}
		return nil
	})
	g.Go(func() error {
		defer close(full)
		return mergeSources(ctx, sources, func(words []uint64) error {
			select {
			case room := <-free:
				full <- append(room[:0], words...)
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		})
	})
	return g.Wait()
}

// mergedAhead bounds the stretches, of some pages each, that await writing.
const mergedAhead = 4

// mergeSources yields all entries, ascending, in stretches. Many sources are merged in groups
// first, because a stretch of all at once would contain only few entries of each.
func mergeSources(ctx context.Context, sources []*wordSource, yield func([]uint64) error) error {
	for len(sources) > mergedAtOnce {
		groups := slices.Collect(slices.Chunk(sources, mergedAtOnce))
		sources = nil
		for _, each := range groups {
			sources = append(sources, &wordSource{more: (&mergeRoom{sources: each}).stretch})
		}
	}
	m := mergeRoom{sources: sources}
	for {
		words, err := m.stretch(ctx)
		if err != nil || len(words) == 0 {
			return err
		}
		if err := yield(words); err != nil {
			return err
		}
	}
}

// mergedAtOnce bounds the sources merged at once.
const mergedAtOnce = 32

// stretch merges all entries up to the least last entry that a source has in memory, so that
// every entry of the stretch is in memory. It returns none at the end. The result is valid until
// the next call.
func (m *mergeRoom) stretch(ctx context.Context) ([]uint64, error) {
	end := uint64(math.MaxUint64)
	for _, s := range m.sources {
		if err := s.fill(ctx); err != nil {
			return nil, err
		}
		if len(s.words) > 0 {
			end = min(end, s.words[len(s.words)-1])
		}
	}
	m.sources = slices.DeleteFunc(m.sources, func(s *wordSource) bool { return len(s.words) == 0 })
	m.blocks = m.blocks[:0]
	for _, s := range m.sources {
		if b := s.upTo(end); len(b) > 0 {
			m.blocks = append(m.blocks, b)
		}
	}
	return m.merge(), nil
}

// wordSource yields ascending entries.
type wordSource struct {
	more  func(context.Context) ([]uint64, error) // next entries, valid until the next call; none at the end
	words []uint64                                // the unread rest
}

// fill ensures that there are entries, except at the end.
func (s *wordSource) fill(ctx context.Context) (err error) {
	if len(s.words) == 0 {
		s.words, err = s.more(ctx)
	}
	return err
}

// runReader reads the run of one segment for a merge.
type runReader struct {
	run         *Run
	pages       Pages
	span, shift uint32   // numbers of the segment, and offset to the merged segment's
	live        []uint64 // nil: all sets are live
	page        int      // the next page
	read, last  uint64   // entries, key
	words       []uint64
}

// newWordSource returns the entries of a segment's run. It skips the check of live sets if all
// are.
func newWordSource(s Stored, k Kind, lo uint32, live []uint64) *wordSource {
	r := &runReader{run: s.Runs[k], pages: s.Pages(k), span: s.Hi - s.Lo, shift: s.Lo - lo}
	for rel := r.shift; rel < r.shift+r.span; rel++ {
		if live[rel/64]>>(rel%64)&1 == 0 {
			r.live = live
			break
		}
	}
	return &wordSource{more: r.more}
}

// more reads pages until it has entries of live sets.
func (r *runReader) more(ctx context.Context) ([]uint64, error) {
	for r.page < len(r.run.First) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		b, err := r.pages.Page(r.page)
		if err != nil {
			return nil, err
		}
		r.words, err = appendWords(r.words[:0], b, r.span, r.shift)
		if err == nil && (r.words[0]>>32 != r.run.First[r.page] || r.words[0]>>32 < r.last) {
			err = fmt.Errorf("%w: first key differs from the directory's", ErrPage)
		}
		if err != nil {
			return nil, fmt.Errorf("page %d: %w", r.page, err)
		}
		words := r.words
		r.page++
		r.read += uint64(len(words))
		r.last = words[len(words)-1] >> 32
		if r.live != nil {
			words = keepLive(words, r.live)
		}
		if len(words) > 0 {
			return words, nil
		}
	}
	if r.read != r.run.Entries {
		return nil, fmt.Errorf("%w: %d entries, the directory has %d", ErrPage, r.read, r.run.Entries)
	}
	return nil, nil
}

// keepLive keeps the entries of live sets, branchless.
func keepLive(words, live []uint64) []uint64 {
	n := 0
	for _, x := range words {
		words[n] = x
		set := x & setMask
		n += int(live[set/64] >> (set % 64) & 1)
	}
	return words[:n]
}

// upTo removes and returns the entries up to and including end.
func (s *wordSource) upTo(end uint64) []uint64 {
	n := len(s.words)
	if s.words[n-1] > end {
		n = sort.Search(n, func(i int) bool { return s.words[i] > end })
	}
	taken := s.words[:n]
	s.words = s.words[n:]
	return taken
}

// mergeRoom merges the entries of sources, in its own memory if there are several.
type mergeRoom struct {
	sources  []*wordSource
	blocks   [][]uint64
	from, to []uint64
}

// merge merges the blocks in pairs until one is left.
func (m *mergeRoom) merge() []uint64 {
	n := 0
	for _, b := range m.blocks {
		n += len(b)
	}
	if n == 0 {
		return nil
	}
	for blocks := m.blocks; ; blocks = m.blocks {
		if len(blocks) == 1 {
			return blocks[0]
		}
		m.from, m.to = slices.Grow(m.to[:0], n)[:n], m.from
		to := m.from
		m.blocks = blocks[:0]
		for ; len(blocks) > 0; blocks = blocks[min(2, len(blocks)):] {
			n := len(blocks[0])
			if len(blocks) == 1 {
				copy(to, blocks[0])
			} else {
				n += len(blocks[1])
				merge2(to[:n], blocks[0], blocks[1])
			}
			m.blocks = append(m.blocks, to[:n])
			to = to[n:]
		}
	}
}

// merge2 merges ascending a and b into dst, of their total length. It works from both ends, so
// that two entries merge at a time, and without unpredictable branches.
func merge2(dst, a, b []uint64) {
	for {
		steps := min(len(a), len(b)) / 2 // never more than either has
		if steps == 0 {
			break
		}
		i, j := 0, 0
		m, n := len(a)-1, len(b)-1
		back := dst[len(dst)-steps:]
		for at := range dst[:steps] {
			x, y := a[i], b[j]
			dst[at] = min(x, y)
			fromA := 0
			if x < y {
				fromA = 1
			}
			i += fromA
			j += 1 - fromA
			x, y = a[m], b[n]
			back[len(back)-1-at] = max(x, y)
			fromA = 0
			if x > y {
				fromA = 1
			}
			m -= fromA
			n -= 1 - fromA
		}
		dst, a, b = dst[steps:len(dst)-steps], a[i:m+1], b[j:n+1]
	}
	for len(a) > 0 && len(b) > 0 {
		if a[0] < b[0] {
			dst[0], a = a[0], a[1:]
		} else {
			dst[0], b = b[0], b[1:]
		}
		dst = dst[1:]
	}
	copy(dst, a)
	copy(dst[len(a):], b)
}

// appendWords appends the entries of a page as key<<32 | payload + shift. It checks that keys
// take 32 bits and ascend, and that sets are below span.
func appendWords(words []uint64, b []byte, span, shift uint32) ([]uint64, error) {
	if isFlat(b) {
		return words, fmt.Errorf("%w: flat, in a run of other kind", ErrPage)
	}
	p, err := openPage(b)
	if err != nil {
		return words, err
	}
	start := len(words)
	at := start
	words = append(words, make([]uint64, p.count)...) // does not allocate
	next, sets := uint64(0), uint64(0)
	for i := range p.groups {
		g, err := p.group(i)
		if err == nil && g.n > len(words)-at {
			err = fmt.Errorf("%w: more than %d entries", ErrPage, p.count)
		}
		if err != nil {
			return words[:start], err
		}
		ascends := g.first >= next && g.short()
		if ascends {
			var largest uint64
			largest, ascends = unpackGroup(words[at:at+g.n], &g, shift)
			sets = max(sets, largest)
		}
		if !ascends {
			return words[:start], fmt.Errorf("%w: keys do not ascend, or are long", ErrPage)
		}
		at += g.n
		next = words[at-1] >> 32
	}
	switch {
	case at < len(words):
		return words[:start], fmt.Errorf("%w: fewer than %d entries", ErrPage, p.count)
	case sets >= uint64(span):
		return words[:start], fmt.Errorf("%w: set %d of %d", ErrPage, sets, span)
	}
	return words, nil
}

// short reports whether the last key of a group takes at most 32 bits.
func (g *group) short() bool {
	high := uint64(bits.Len64(g.high) - g.keys) // of the last key
	return g.first+high<<g.low+g.lowOf(g.keys-1) <= math.MaxUint32
}

// unpackGroup writes the entries of a group, payload + shift, and returns the largest set. ok is
// false if keys do not ascend.
func unpackGroup(dst []uint64, g *group, shift uint32) (largest uint64, ok bool) {
	var keys [groupEntries]uint64 // of which a group has groupKeys
	low, lows, rest := g.low, g.lows, g.high
	lowMask := uint64(1)<<(low&63) - 1
	next, ok := uint64(0), true // the least difference of the next key
	lowAt := 0
	for i := range g.keys {
		d := uint64(bits.TrailingZeros64(rest)-i)<<(low&63) | le.Uint64(lows[lowAt>>3:])>>(lowAt&7)&lowMask
		rest &= rest - 1
		ok = ok && d >= next
		next = d + 1
		keys[i%groupEntries] = (g.first + d) << 32
		lowAt += low
	}
	payload, payloads, heads := g.page.payload, g.payloads, g.heads
	mask := uint64(1)<<(payload&63) - 1
	setWidth := g.setBits & 31
	setsMask, base := uint64(1)<<setWidth-1, uint64(g.topBase)<<setBits
	key, payloadAt := -1, 0
	for i := range dst {
		key += int(heads >> (i & 63) & 1)
		x := le.Uint64(payloads[payloadAt>>3:]) >> (payloadAt & 7) & mask
		set := x & setsMask
		largest = max(largest, set)
		dst[i] = keys[key&(groupEntries-1)] | uint64(uint32(x>>setWidth<<setBits+base+set)+shift) // in 32 bits, like payload
		payloadAt += payload
	}
	return largest, ok
}
