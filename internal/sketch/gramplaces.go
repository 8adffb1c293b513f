package sketch

// The positions of matches in a text, by the grams of both texts.

import "slices"

// GramPlaces holds the grams chosen in a text with their positions. It is safe for
// concurrent use.
type GramPlaces struct {
	at     []int32                // start of each chosen gram, ascending
	keys   []uint32               // distinct, ascending
	ends   []int32                // end of each key in order
	order  []int32                // numbers of the grams, by key
	hashes [1<<hashBits + 1]int32 // by hash: the first of its keys
}

// NewGramPlaces indexes the chosen grams of a normalised text.
func NewGramPlaces(norm []byte) *GramPlaces {
	p := &GramPlaces{}
	var each []uint32
	for at, key := range ChooseGrams(norm).All() {
		p.order = append(p.order, int32(len(each)))
		p.at, each = append(p.at, int32(at)), append(each, key)
	}
	slices.SortStableFunc(p.order, func(a, b int32) int { return int(each[a]) - int(each[b]) })
	for i, n := range p.order {
		if key := each[n]; i == 0 || key != each[p.order[i-1]] {
			p.keys, p.ends = append(p.keys, key), append(p.ends, 0)
			p.hashes[key>>sideBits+1]++
		}
		p.ends[len(p.ends)-1] = int32(i + 1)
	}
	for h := range p.hashes[1:] {
		p.hashes[h+1] += p.hashes[h]
	}
	return p
}

// Runs returns the pieces of the text, ascending, that contain all its matches of more
// than min bytes with another text, given by its grams; min is at least MatchBytes.
// Pieces may overlap. GramSet.Runs returns pieces of the other text instead.
func (p *GramPlaces) Runs(grams Grams, min int) (pieces [][2]int32) {
	shared := make([]bool, len(p.at))
	seen := make(map[uint32]bool, len(grams)/4)
	var met []int32 // keys of this text that the other text may share in a match
	for _, key := range grams.All() {
		first, last := p.hashes[key>>sideBits], p.hashes[key>>sideBits+1]
		if first == last || seen[key] {
			continue
		}
		seen[key] = true
		for k := first; k < last; k++ {
			if before, after := alike(p.keys[k], key); before+after >= 6 {
				met = append(met, k)
			}
		}
	}
	slices.Sort(met)
	for _, k := range slices.Compact(met) {
		start := int32(0)
		if k > 0 {
			start = p.ends[k-1]
		}
		for _, n := range p.order[start:p.ends[k]] {
			shared[n] = true
		}
	}
	for i := 0; i < len(shared); i++ {
		if !shared[i] {
			continue
		}
		first := i
		for i+1 < len(shared) && shared[i+1] {
			i++
		}
		from, to := max(p.at[first]-gramWindow+1, 0), p.at[i]+MatchBytes
		if int(to-from) > min {
			pieces = append(pieces, [2]int32{from, to})
		}
	}
	return pieces
}
