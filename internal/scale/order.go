package scale

// The stage order: the counters of all shards are added, and become one order of tokens,
// the rarest first. Any order would be right; this one leaves few candidates.

import (
	"context"
	"encoding/binary"
	"math/bits"

	"github.com/simdb/simdb/index"
)

func (j *Job) order(ctx context.Context, _ int, o *output, _ *Record) error {
	sums := make([]uint32, 1<<j.plan.SketchBits)
	err := j.each(ctx, Analyse, func(_ int, r *result) error {
		counters, err := r.section(sketchSection)
		if err != nil {
			return err
		}
		if len(counters) != len(sums) {
			return r.broken("it has %d counters", len(counters))
		}
		for i, c := range counters {
			sums[i] += uint32(c)
		}
		return nil
	})
	if err != nil {
		return err
	}
	classes := make([]byte, len(sums))
	for i, n := range sums {
		classes[i] = classOf(n)
	}
	return o.section(classes)
}

// classOf is a step of a count. Tokens of class 0 occur in one set, or in none: the
// counters never count too little up to there. There are 127 classes.
func classOf(n uint32) uint8 {
	if n <= 16 {
		return uint8(max(n, 1) - 1)
	}
	octave := bits.Len32(n) - 1 // 4 or more
	return uint8(15 + 4*(octave-4) + int(n>>(octave-2)&3))
}

// readOrder returns the order, and the class of each counter.
func (j *Job) readOrder() (*index.Order, []byte, error) {
	r, err := j.open(Order, 0)
	if err != nil {
		return nil, nil, err
	}
	classes, err := r.section(0)
	if err != nil {
		return nil, nil, err
	}
	encoded := append([]byte{1, byte(j.plan.SketchBits)}, binary.LittleEndian.AppendUint32(nil, 0)...)
	order, err := index.DecodeOrder(append(encoded, classes...))
	if err != nil {
		return nil, nil, r.broken("%v", err)
	}
	return order, classes, nil
}
