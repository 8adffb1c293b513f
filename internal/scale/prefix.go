package scale

// The stage prefix: the first tokens of each set, by the order, become postings. Two sets
// that are a pair have a common one among these. Tokens that occur in one set of all
// are left out.
//
// A posting is two numbers: the token's high 32 bits and the size of its set; and the set
// (24 bits), its shard (16) and the token's place in the set's order (24, or all ones if it
// is beyond). There is a section for each partition, again and again where memory is full.

import (
	"context"

	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/internal/shingle"
)

const (
	postingBytes = 16
	maxPlace     = 1<<24 - 1
	roomPostings = 4 << 20 // postings held before they are written
)

const countPostings = "postings"

func posting(h uint64, size int, shard int, set uint32, place int) [2]uint64 {
	return [2]uint64{h>>32<<32 | uint64(size), uint64(set)<<40 | uint64(shard)<<24 | uint64(min(place, maxPlace))}
}

func (j *Job) prefix(ctx context.Context, task int, o *output, r *Record) error {
	order, classes, err := j.readOrder()
	if err != nil {
		return err
	}
	shard, err := j.open(Analyse, task)
	if err != nil {
		return err
	}
	sets, err := framesOf(shard, setsSection, setPlaces)
	if err != nil {
		return err
	}
	shift := 64 - j.plan.SketchBits
	parts := make([][]uint64, j.plan.Partitions)
	held, written := 0, int64(0)
	flush := func() error {
		for p, list := range parts {
			if err := o.sectionWords(list); err != nil {
				return err
			}
			parts[p] = list[:0]
		}
		written += int64(held)
		held = 0
		return nil
	}
	var ranked []uint64
	err = sets.all(ctx, func(number uint32, set shingle.Set) error {
		n := len(set)
		if !j.rule.directed {
			n = index.PrefixLen(n, j.rule.min)
		}
		ranked = order.First(ranked[:0], set, n)
		for place, h := range ranked {
			if classes[h>>shift] == 0 {
				continue
			}
			x := posting(h, len(set), task, number, place)
			p := uint32(h) % uint32(len(parts))
			parts[p] = append(parts[p], x[:]...)
			held++
		}
		if held < roomPostings {
			return nil
		}
		return flush()
	})
	if err != nil {
		return err
	}
	err = flush()
	r.Counts[countPostings] = written
	return err
}
