package join

// Dealing buckets to the cells of their ranks.

import "github.com/simdb/simdb/index"

// dealer is a worker that deals buckets.
type dealer struct {
	*deal
	*writer
	reader
}

// reader reads a range of tokens.
type reader struct {
	sorter index.Sorter
	from   uint64     // the first suffixed token of the range
	shift  int        // omits the last bits of a suffixed token
	words  []uint64   // token<<34 | side<<33 | set<<4 | tier<<1; of shared tokens token<<34 | side<<33 | rank<<4 | tier<<1 | probes
	seen   []uint8    // by a hash of the token: the sides that have it
	ranks  [][]uint32 // by side: ranks of its sets
	lists  [4][]uint32
	read   int
}

// slot returns the flags of a token. Tokens may share a slot, which costs only time.
func (r *reader) slot(token uint64) *uint8 {
	return &r.seen[uint32(token*0x9e3779b1)>>8&uint32(len(r.seen)-1)]
}

// bucket deals a bucket, in which low ranks with their tiers probe high ranks. Both ascend.
// Ranks without a possible match are dropped.
func (d *dealer) bucket(lows, highs []uint32) error {
	kept, last, i := lows[:0], uint32(0), 0
	for _, x := range lows {
		rank := x & rankMask
		for i < len(highs) && highs[i] <= rank {
			i++
		}
		if i == len(highs) {
			break
		}
		limit := highs[len(highs)-1]
		if d.limits != nil {
			limit = d.limits[rank/limitRanks][x>>rankBits]
		}
		if highs[i] <= limit {
			if len(kept) == 0 {
				highs, i = highs[i:], 0
			}
			kept, last = append(kept, x), max(last, limit)
		}
	}
	for len(kept) > 0 {
		k := int(kept[0] & rankMask / d.length)
		n := inStretch(kept, d.stretches[k])
		for len(highs) > 0 && highs[0] <= kept[0]&rankMask {
			highs = highs[1:]
		}
		if err := d.slices(k, kept[:n], highs, last); err != nil {
			return err
		}
		kept = kept[n:]
	}
	return nil
}

// slices deals low ranks of a stretch with the high ranks up to last.
func (d *dealer) slices(i int, lows, highs []uint32, last uint32) error {
	for len(highs) > 0 && highs[0] <= last {
		k := int(highs[0] / d.length)
		if i+1 < len(d.first) && k-i >= d.first[i+1]-d.first[i] {
			return nil // beyond the reach of the stretch
		}
		n := inStretch(highs, d.stretches[k])
		b, err := d.room(d.first[i]+k-i, 2+len(lows)+n)
		if err != nil {
			return err
		}
		b = append(b, uint32(len(lows)), uint32(n))
		for _, x := range lows {
			b = append(b, x-d.stretches[i].from)
		}
		for _, y := range highs[:n] {
			b = append(b, y-d.stretches[k].from)
		}
		if err := d.put(d.first[i]+k-i, b); err != nil {
			return err
		}
		highs = highs[n:]
	}
	return nil
}
