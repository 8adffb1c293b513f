package join

// Joins by the cosine of word frequencies (docs/decisions/0040). A block of vectors of one side
// is in memory, and the vectors of the other side probe it.

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/internal/measure"
)

// Words is a block of vectors for searching. Add vectors, then Build, then search with Probes,
// one per goroutine.
//
// Every vector is sorted by a common order of words, rarest first. Let x be the first word that two
// vectors share. Their inner product is that of their parts from x on. So by Cauchy–Schwarz
// their cosine is at most the product of their shares from x on. The share is the length of that
// part divided by the length of the vector. A vector posts a word only if its share from the word
// on reaches the threshold, and a query looks up only such words.
//
// Lengths and shares are rounded, so they are compared with a threshold lowered by slack. The
// integer score decides the remaining candidates.
type Words struct {
	min     api.Threshold
	least   float64 // the threshold minus slack
	weight  func(hash uint64) uint64
	numbers map[uint64]uint32 // by hash of a word: its index in the order, after Build
	weights []float64         // by number, squared
	exact   []uint64          // by number
	sets    []uint32
	vectors []wordVector
	terms   int64
	start   []uint32 // by word: its range of posted
	posted  []wordPosting
	first   []uint32 // by word: its range of have
	have    []wordCount
}

// slack is the relative margin for rounding. A sum of n products has a relative error of n·2⁻⁵³,
// which for ten million words is about a ninth of slack.
const slack = 1e-8

// wordVector is a vector of the block or a query. Its length covers all words, its terms only
// the words of the block.
type wordVector struct {
	terms  []wordTerm // ascending by number
	length float64
	square measure.Products
}

// wordTerm is a word with its frequency.
type wordTerm struct{ number, count uint32 }

// wordPosting is a vector of the block with its share from a word on, rounded up.
type wordPosting struct {
	vector uint32
	share  float32
}

// wordCount is a vector of the block with its frequency of a word.
type wordCount struct{ vector, count uint32 }

// NewWords returns an empty block for matches of at least min. A nil weight means 1.
func NewWords(min api.Threshold, weight func(hash uint64) uint64) *Words {
	return &Words{min: min, least: min.Float64() * (1 - slack), weight: weight, numbers: map[uint64]uint32{}}
}

// Len returns the number of vectors.
func (b *Words) Len() int { return len(b.sets) }

// Bytes estimates the memory of the built block, including this number of probes.
func (b *Words) Bytes(probes int) int64 {
	return 24*b.terms + int64(len(b.sets))*int64(72+12*probes) + int64(len(b.numbers))*int64(84+8*probes)
}

// Add adds the vector of a set. Sets must ascend.
func (b *Words) Add(set uint32, v measure.Vector) {
	terms := make([]wordTerm, len(v))
	for i, t := range v {
		number, ok := b.numbers[t.Hash]
		if !ok {
			number = uint32(len(b.numbers))
			b.numbers[t.Hash] = number
			b.exact = append(b.exact, measure.WordWeight(b.weight, t.Hash))
		}
		terms[i] = wordTerm{number, t.Count}
	}
	b.terms += int64(len(v))
	b.sets, b.vectors = append(b.sets, set), append(b.vectors, wordVector{terms: terms})
}

// Build orders the words and posts the vectors. The caller must not call Add afterwards.
func (b *Words) Build(ctx context.Context) error {
	b.order()
	var room []float64
	b.start, b.first = make([]uint32, len(b.exact)+1), make([]uint32, len(b.exact)+1)
	for i := range b.vectors {
		v := &b.vectors[i]
		slices.SortFunc(v.terms, func(x, y wordTerm) int { return cmp.Compare(x.number, y.number) })
		for _, t := range v.terms {
			w := b.exact[t.number] * uint64(t.count)
			v.square.Add(w, w)
			b.first[t.number+1]++
		}
		b.measure(v, 0)
		room = b.shares(v, room)
		for _, t := range v.terms[:len(room)] {
			b.start[t.number+1]++
		}
		if i%256 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
	}
	for i := range b.exact {
		b.start[i+1] += b.start[i]
		b.first[i+1] += b.first[i]
	}
	b.posted, b.have = make([]wordPosting, b.start[len(b.exact)]), make([]wordCount, b.terms)
	at, place := slices.Clone(b.start), slices.Clone(b.first)
	for i := range b.vectors {
		v := &b.vectors[i]
		room = b.shares(v, room)
		for n, share := range room {
			number := v.terms[n].number
			b.posted[at[number]] = wordPosting{uint32(i), math.Nextafter32(float32(share), 2)}
			at[number]++
		}
		for _, t := range v.terms {
			b.have[place[t.number]] = wordCount{uint32(i), t.count}
			place[t.number]++
		}
		if i%256 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}

// order numbers the words by document frequency.
func (b *Words) order() {
	have, words := make([]uint32, len(b.exact)), make([]uint32, len(b.exact))
	for _, v := range b.vectors {
		for _, t := range v.terms {
			have[t.number]++
		}
	}
	for i := range words {
		words[i] = uint32(i)
	}
	slices.SortFunc(words, func(x, y uint32) int { return cmp.Or(cmp.Compare(have[x], have[y]), cmp.Compare(x, y)) })
	exact, place := make([]uint64, len(words)), have
	b.weights = make([]float64, len(words))
	for i, word := range words {
		place[word] = uint32(i)
		exact[i] = b.exact[word]
		b.weights[i] = float64(exact[i]) * float64(exact[i])
	}
	b.exact = exact
	for hash, number := range b.numbers {
		b.numbers[hash] = place[number]
	}
	for _, v := range b.vectors {
		for i := range v.terms {
			v.terms[i].number = place[v.terms[i].number]
		}
	}
}

// measure sets the length of a vector; beside is the squared length of the words outside of the
// block.
func (b *Words) measure(v *wordVector, beside float64) {
	for _, t := range v.terms {
		beside += b.squared(t)
	}
	v.length = math.Sqrt(beside)
}

// squared returns the square of a term's weight.
func (b *Words) squared(t wordTerm) float64 {
	return b.weights[t.number] * float64(t.count) * float64(t.count)
}

// shares returns the share of the length from each term on, for the terms that may be the first
// shared with a match. It reuses room. Sums run from the end, because differences of rounded
// sums could err by more than slack.
func (b *Words) shares(v *wordVector, room []float64) []float64 {
	room = slices.Grow(room[:0], len(v.terms))[:len(v.terms)]
	rest, posted := 0.0, 0
	for i, t := range slices.Backward(v.terms) {
		rest += b.squared(t)
		if room[i] = math.Sqrt(rest) / v.length; posted == 0 && room[i] >= b.least {
			posted = i + 1
		}
	}
	return room[:posted]
}

// WordsProbe searches a block. Not safe for concurrent use.
type WordsProbe struct {
	*Words
	dense  []float64 // weights of the query by number, times those of the words
	seen   []uint32  // by vector: the last call that met it
	calls  uint32
	met    []uint32
	shared []float64
	sums   []float64 // by vector: inner product with the query

	Met, Compared int64 // vectors that share a posted word; of these, vectors with shares that allow a match
}

// Probe returns a probe of the block.
func (b *Words) Probe() *WordsProbe {
	return &WordsProbe{Words: b, dense: make([]float64, len(b.exact)), seen: make([]uint32, len(b.sets)), sums: make([]float64, len(b.sets))}
}

// Find calls found, in any order, with each set numbered less than below whose cosine to v reaches
// the threshold.
func (p *WordsProbe) Find(ctx context.Context, v measure.Vector, below uint32, found func(set uint32, s measure.Score)) error {
	q, beside := wordVector{}, 0.0
	for _, t := range v {
		w := measure.WordWeight(p.weight, t.Hash) * uint64(t.Count)
		q.square.Add(w, w)
		if number, ok := p.numbers[t.Hash]; ok {
			q.terms = append(q.terms, wordTerm{number, t.Count})
		} else {
			beside += float64(w) * float64(w)
		}
	}
	slices.SortFunc(q.terms, func(x, y wordTerm) int { return cmp.Compare(x.number, y.number) })
	p.measure(&q, beside)
	return p.find(ctx, &q, below, found)
}

// FindOwn is Find for vector i of the block.
func (p *WordsProbe) FindOwn(ctx context.Context, i int, below uint32, found func(set uint32, s measure.Score)) error {
	return p.find(ctx, &p.vectors[i], below, found)
}

// find is Find for a measured vector.
func (p *WordsProbe) find(ctx context.Context, q *wordVector, below uint32, found func(set uint32, s measure.Score)) (err error) {
	end, _ := slices.BinarySearch(p.sets, below)
	p.calls++
	p.met = p.met[:0]
	p.shared = p.shares(q, p.shared)
	for n, share := range p.shared {
		if err := ctx.Err(); err != nil {
			return err
		}
		t := q.terms[n]
		for _, x := range p.posted[p.start[t.number]:p.start[t.number+1]] {
			if int(x.vector) >= end {
				break
			}
			if p.seen[x.vector] != p.calls {
				p.seen[x.vector] = p.calls
				p.Met++
				if share*float64(x.share) >= p.least {
					p.met = append(p.met, x.vector)
				}
			}
		}
	}
	if len(p.met) == 0 {
		return nil
	}
	p.Compared += int64(len(p.met))
	if err := p.multiply(ctx, q, end); err != nil {
		return err
	}
	for _, i := range p.met {
		v := &p.vectors[i]
		if p.sums[i] < p.least*q.length*v.length {
			continue
		}
		if s := p.score(q, v); s.Shared > 0 && s.Reaches(p.min) {
			found(p.sets[i], s)
		}
	}
	return ctx.Err()
}

// multiply computes the inner products of q with the met vectors, which are below end: word by
// word for the whole block, or vector by vector, whichever reads less.
func (p *WordsProbe) multiply(ctx context.Context, q *wordVector, end int) error {
	each, all := 0, end
	for _, i := range p.met {
		each += len(p.vectors[i].terms)
	}
	for _, t := range q.terms {
		all += int(p.first[t.number+1] - p.first[t.number])
	}
	if all < each {
		clear(p.sums[:end])
		for _, t := range q.terms {
			if err := ctx.Err(); err != nil {
				return err
			}
			weight := p.weights[t.number] * float64(t.count)
			for _, x := range p.have[p.first[t.number]:p.first[t.number+1]] {
				if int(x.vector) >= end {
					break
				}
				p.sums[x.vector] += weight * float64(x.count)
			}
		}
		return nil
	}
	for _, t := range q.terms {
		p.dense[t.number] = p.weights[t.number] * float64(t.count)
	}
	var err error
	for n, i := range p.met {
		if n%1024 == 0 {
			if err = ctx.Err(); err != nil {
				break
			}
		}
		dot := 0.0
		for _, t := range p.vectors[i].terms {
			dot += p.dense[t.number] * float64(t.count)
		}
		p.sums[i] = dot
	}
	for _, t := range q.terms {
		p.dense[t.number] = 0
	}
	return err
}

// score is measure.Cosine of two vectors.
func (b *Words) score(q, v *wordVector) measure.Score {
	var dot measure.Products
	for i, j := 0, 0; i < len(q.terms) && j < len(v.terms); {
		switch x, y := q.terms[i], v.terms[j]; {
		case x.number < y.number:
			i++
		case x.number > y.number:
			j++
		default:
			w := b.exact[x.number]
			dot.Add(w*uint64(x.count), w*uint64(y.count))
			i++
			j++
		}
	}
	return measure.CosineOf(dot, q.square, v.square)
}
