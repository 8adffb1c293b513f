package join

import (
	"context"
	"slices"

	"github.com/simdb/simdb/index"
)

// This file makes buckets of the tokens that a round reads.

// overlapPart is the buckets of a range of tokens. One worker fills it.
type overlapPart struct {
	*overlapJoin
	next, end uint64 // tokens: of the round to come, and of the part
	sorter    index.Sorter
	words     []uint64 // token<<33 | side<<32 | rank

	// A bucket has the ranks of both sides that share a token, each side ascending:
	// members[ends[2b]:ends[2b+1]] and members[ends[2b+1]:ends[2b+2]].
	members []uint32
	ends    []uint32
	start   []uint32 // places[start[r]:start[r+1]] are the buckets that rank r has
	places  []uint32
	total   []uint32 // of a rank: its tokens, also those without a bucket
	read    int64    // tokens, in all rounds
}

// fill reads the tokens of a round: as many as there is room for in buckets. Those
// that one set alone has, which are many, take none.
func (p *overlapPart) fill(ctx context.Context) error {
	clear(p.total)
	p.members, p.ends = p.members[:0], append(p.ends[:0], 0)
	for p.next < p.end && len(p.members) < p.room {
		to := min(p.end, p.next+max(p.width, 1))
		if err := p.add(ctx, p.next, to); err != nil {
			return err
		}
		p.next = to
	}
	p.findPlaces()
	return nil
}

// add makes buckets of the tokens in [from,end).
func (p *overlapPart) add(ctx context.Context, from, end uint64) error {
	p.words = p.words[:0]
	first := uint32(0)
	for i, s := range p.Sides {
		ranks := p.rankOf[first:][:s.Sets.Len()]
		side := uint64(i) << 32
		err := s.Tokens.Read(ctx, from, end, func(token uint64, set uint32) {
			if int(set) < len(ranks) && ranks[set] != hole {
				p.words = append(p.words, token<<33|side|uint64(ranks[set]))
			}
		})
		if err != nil {
			return err
		}
		first = p.second
	}
	p.read += int64(len(p.words))
	for _, x := range p.words {
		p.total[uint32(x)]++
	}
	p.cut(p.sorter.Sort(p.words))
	return nil
}

// cut makes buckets of sorted words. What nobody shares is left out.
func (p *overlapPart) cut(words []uint64) {
	for i, n := 0, 0; i < len(words); i += n {
		token := words[i] >> 33
		for n = 1; i+n < len(words) && words[i+n]>>33 == token; n++ {
		}
		bucket := words[i:][:n]
		if n == 1 {
			continue
		}
		if !slices.IsSorted(bucket) { // SortEntries promises nothing of payloads
			slices.Sort(bucket)
		}
		mid, _ := slices.BinarySearch(bucket, token<<33|1<<32)
		if len(p.Sides) == 1 {
			if uint32(bucket[0]) == uint32(bucket[n-1]) {
				continue // one set has the token twice
			}
		} else if mid == 0 || mid == n {
			continue
		}
		for _, x := range bucket {
			p.members = append(p.members, uint32(x))
		}
		p.ends = append(p.ends, uint32(len(p.members)-n+mid), uint32(len(p.members)))
	}
}

// findPlaces lists the buckets of each rank.
func (p *overlapPart) findPlaces() {
	clear(p.start)
	for _, r := range p.members {
		p.start[r]++
	}
	sum := uint32(0)
	for r, c := range p.start {
		sum += c
		p.start[r] = sum
	}
	p.places = slices.Grow(p.places[:0], len(p.members))[:len(p.members)]
	for b := len(p.ends)/2 - 1; b >= 0; b-- { // going backwards turns ends into starts
		for _, r := range p.members[p.ends[2*b]:p.ends[2*b+2]] {
			p.start[r]--
			p.places[p.start[r]] = uint32(b)
		}
	}
}

// bucket returns the ranks of a bucket that one of a side may be paired with.
func (p *overlapPart) bucket(place uint32, side int) []uint32 {
	from, to := p.ends[2*place], p.ends[2*place+2]
	switch {
	case len(p.Sides) == 1:
	case side == 0:
		from = p.ends[2*place+1]
	default:
		to = p.ends[2*place+1]
	}
	return p.members[from:to]
}
