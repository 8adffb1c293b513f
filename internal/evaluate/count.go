package evaluate

// Comparison of all queries with all documents by the shingles of one analysis. An inverted index
// of the queries makes the cost of a document proportional to the shingles that it shares with
// them.

import (
	"context"
	"math/bits"
	"slices"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/shingle"
	"github.com/simdb/simdb/internal/sketch"
)

const (
	depth = 15 // judged documents per query that the truth does not name: the most similar

	// mostCounted limits the text in bytes of a collection for counting its documents, because
	// all its shingles are in memory.
	mostCounted = 128 << 20
)

// A found is a document with its similarity.
type found struct {
	doc int32
	sim float64
}

// add inserts f into the most similar documents; among equals, earlier ones stay.
func add(list []found, f found, most int) []found {
	if len(list) == most && f.sim <= list[most-1].sim {
		return list
	}
	at, _ := slices.BinarySearchFunc(list, f.sim, func(a found, sim float64) int {
		if a.sim >= sim {
			return -1
		}
		return 1
	})
	return slices.Insert(list[:min(len(list), most-1)], at, f)
}

// levels is the number of classes of shingles by document frequency: one per limit of IGNORING,
// and the rest.
const levels = 4

// A side holds the facts of one text: its shingles up to each level, and their totals.
type side struct {
	sizes  [levels]uint64
	total  uint64
	weight uint64
	print  uint64
}

// A tally counts the shingles that a document shares with a query.
type tally struct {
	sizes      [levels]uint32
	least, sum uint32 // minimum and sum of repetitions
	weight     uint64
}

// A member is a shingle of a text, or a query with a shingle, and its number of occurrences.
type member struct{ n, count uint32 }

// A counter compares texts by one analysis.
type counter struct {
	task     *task
	analysis shingle.Analysis
	limits   []int64 // ascending; shingles in more documents are ignored
	counted  bool    // document frequencies are known
	settings []bagSetting

	ids     idTable
	df      []uint32 // by shingle: number of documents
	first   []uint32 // by shingle: index of its first query in with
	with    []member
	weights []uint64 // by document frequency
	levels  []uint8  // by shingle
	queries []side
	tallies []tally
	made    []scored
}

// count scores the pairs of a task by all settings of one analysis. With counted, it keeps all
// documents in memory until their shingles are counted; otherwise it compares each document at
// once. done reports one document per call.
func (s store) count(ctx context.Context, t *task, a shingle.Analysis, limits []int64, counted bool, done func()) ([]scored, error) {
	c := &counter{task: t, analysis: a, limits: limits, counted: counted, settings: bagSettings(a, limits, counted)}
	for _, x := range c.settings {
		c.made = append(c.made, scored{x.setting, make([]float64, len(t.pairs)), make([][mostNearest]float64, len(t.queries)), make([][]found, len(t.queries))})
	}
	queries, err := c.readQueries(ctx, s)
	if err != nil {
		return nil, err
	}
	again := map[int32]int{} // by document: the same text as a query
	for q, d := range t.self {
		again[d] = q
	}
	var docs []shingled
	n := 0
	for doc, err := range s.snap.Documents(ctx, s.searched) {
		if err != nil {
			return nil, err
		}
		var read shingled
		if q, ok := again[int32(n)]; ok {
			read = queries[q]
		} else {
			read = c.read(doc.Text, counted)
		}
		if counted {
			// Weights and limits need complete document frequencies, so comparisons wait for the last
			// document.
			docs = append(docs, read)
			for _, m := range read.members {
				c.df[m.n]++
			}
		} else {
			c.weigh(queries, n)
			c.compare(int32(n), read)
		}
		n++
		done()
	}
	c.weigh(queries, n)
	for d, read := range docs {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		c.compare(int32(d), read)
		done()
	}
	return c.made, nil
}

// readQueries reads the queries and builds their inverted index.
func (c *counter) readQueries(ctx context.Context, s store) (queries []shingled, err error) {
	for _, id := range c.task.queries {
		doc, err := s.text(ctx, s.in, id)
		if err != nil {
			return nil, err
		}
		queries = append(queries, c.read(doc, true))
	}
	c.tallies = make([]tally, len(queries))
	c.first = make([]uint32, len(c.df)+1)
	for _, read := range queries {
		for _, m := range read.members {
			c.first[m.n+1]++
		}
	}
	for i := 1; i < len(c.first); i++ {
		c.first[i] += c.first[i-1]
	}
	c.with = make([]member, c.first[len(c.df)])
	next := slices.Clone(c.first)
	for q, read := range queries {
		for _, m := range read.members {
			c.with[next[m.n]] = member{uint32(q), m.count}
			next[m.n]++
		}
	}
	return queries, nil
}

// A shingled is the bag of a text with numbered shingles.
type shingled struct {
	members         []member
	distinct, total uint64
	print           uint64
}

// read numbers the shingles of a text. It leaves out new ones unless all is set.
func (c *counter) read(doc string, all bool) shingled {
	bag := c.analysis.Bag(doc)
	members := make([]member, 0, len(bag.Set))
	for i, h := range bag.Set {
		id, ok := c.ids.find(h, all)
		if !ok {
			continue
		}
		if int(id) == len(c.df) {
			c.df = append(c.df, 0)
		}
		members = append(members, member{id, bag.Count(i)})
	}
	return shingled{members, uint64(len(bag.Set)), bag.Total, sketch.SimHash(bag.Set)}
}

// weigh computes the sides of the queries on its first call. With counted, document frequencies
// must be complete.
func (c *counter) weigh(queries []shingled, documents int) {
	if c.weights != nil {
		return
	}
	r := measure.Reading{Documents: func(n uint64) uint64 { return n }}
	for n := range documents + 1 {
		c.weights = append(c.weights, r.Weight(uint64(n)))
	}
	c.levels = make([]uint8, len(c.df)) // by shingle: the first limit that keeps it, or len(limits)
	for id, n := range c.df {
		for int(c.levels[id]) < len(c.limits) && int64(n) > c.limits[c.levels[id]] {
			c.levels[id]++
		}
	}
	for _, read := range queries {
		c.queries = append(c.queries, c.side(read))
	}
}

// side sums up the shingles of a text.
func (c *counter) side(read shingled) side {
	s := side{total: read.total, print: read.print}
	if c.counted {
		for _, m := range read.members {
			s.sizes[c.levels[m.n]]++
			s.weight += c.weights[c.df[m.n]]
		}
		for i := 1; i < levels; i++ {
			s.sizes[i] += s.sizes[i-1]
		}
	}
	s.sizes[len(c.limits)] = read.distinct
	return s
}

// compare compares a document with all queries.
func (c *counter) compare(d int32, read shingled) {
	if read.total == 0 {
		return
	}
	doc := c.side(read)
	clear(c.tallies)
	for _, m := range read.members {
		if int(m.n)+1 >= len(c.first) {
			continue // in no query
		}
		with := c.with[c.first[m.n]:c.first[m.n+1]]
		level, weight := uint8(0), uint64(0)
		if c.counted {
			level, weight = c.levels[m.n], c.weights[c.df[m.n]]
		}
		for _, q := range with {
			t := &c.tallies[q.n]
			t.sizes[level]++
			t.least += min(m.count, q.count)
			t.sum += m.count + q.count
			t.weight += weight
		}
	}
	for q := range c.tallies {
		if c.task.self[q] == d || c.queries[q].total == 0 {
			continue
		}
		t := &c.tallies[q]
		for i := 1; i <= len(c.limits); i++ {
			t.sizes[i] += t.sizes[i-1]
		}
		pair, known := c.task.known[q][d]
		for i := range c.settings {
			if sim := c.settings[i].sim(t, &c.queries[q], &doc); sim > 0 {
				c.made[i].note(q, found{d, sim}, pair, known, c.task.open)
			}
		}
	}
}

// note records a score: the highest per query, and that of a judged pair.
func (s *scored) note(q int, f found, pair int32, known, open bool) {
	if top := &s.tops[q]; f.sim > top[mostNearest-1] {
		at := mostNearest - 1
		for ; at > 0 && top[at-1] < f.sim; at-- {
			top[at] = top[at-1]
		}
		top[at] = f.sim
	}
	switch {
	case known && pair != unjudged:
		s.scores[pair] = f.sim
	case !known && open:
		s.others[q] = add(s.others[q], f, depth)
	}
}

// A bagSetting is a setting with a score that follows from a tally.
type bagSetting struct {
	setting
	score func(t *tally, q, d *side) measure.Score
}

// sim returns the similarity, and 0 without shared shingles, where Of may be 0 too.
func (s *bagSetting) sim(t *tally, q, d *side) float64 {
	x := s.score(t, q, d)
	if x.Shared == 0 {
		return 0
	}
	return x.Sim()
}

// bagSettings returns the settings that one analysis serves.
func bagSettings(a shingle.Analysis, limits []int64, counted bool) (all []bagSetting) {
	one, half := api.WeightOf(1), api.WeightOf(0.5)
	add := func(m api.Measure, args api.Args, ignoring int64, score func(t *tally, q, d *side) measure.Score) {
		all = append(all, bagSetting{setting{using: m.Describe(args), unit: a.Unit.String(), k: a.K, ignoring: ignoring}, score})
	}
	sets := func(m api.Measure, args api.Args, level int) {
		f, ignoring := measure.FormulaOf(m, args), int64(0)
		if level < len(limits) {
			ignoring = limits[level]
		}
		add(m, args, ignoring, func(t *tally, q, d *side) measure.Score {
			return f.Bound(measure.Size{Distinct: q.sizes[level]}, measure.Size{Distinct: d.sizes[level]}, uint64(t.sizes[level]))
		})
	}
	ofSets := func(level int) {
		sets(api.Jaccard, api.Args{}, level)
		sets(api.ContainmentOfQuery, api.Args{}, level)
		sets(api.ContainmentOfDoc, api.Args{}, level)
		sets(api.Tversky, api.Args{Alpha: one, Beta: half}, level)
	}
	ofSets(len(limits))
	add(api.Multiset, api.Args{}, 0, func(t *tally, q, d *side) measure.Score {
		return measure.Score{Shared: uint64(t.least), Of: q.total + d.total - uint64(t.least)}
	})
	add(api.Repetition, api.Args{}, 0, func(t *tally, q, d *side) measure.Score {
		return measure.Score{Shared: uint64(t.sum), Of: q.total + d.total}
	})
	add(api.SimHash, api.Args{}, 0, func(_ *tally, q, d *side) measure.Score {
		return measure.Score{Shared: uint64(64 - bits.OnesCount64(q.print^d.print)), Of: 64}
	})
	if !counted {
		return all
	}
	add(api.Weighted, api.Args{}, 0, func(t *tally, q, d *side) measure.Score {
		return measure.Score{Shared: t.weight, Of: q.weight + d.weight - t.weight}
	})
	add(api.Weighted, api.Args{Of: api.QuerySide}, 0, func(t *tally, q, _ *side) measure.Score {
		return measure.Score{Shared: t.weight, Of: q.weight}
	})
	add(api.Weighted, api.Args{Of: api.DocSide}, 0, func(t *tally, _, d *side) measure.Score {
		return measure.Score{Shared: t.weight, Of: d.weight}
	})
	for level := range limits {
		ofSets(level)
	}
	return all
}

// An idTable numbers shingles. It uses open addressing in the order of the hashes.
type idTable struct {
	places []uint32 // the number plus one; 0: free
	hashes []uint64
}

// find returns the number of a shingle; with add, it assigns a new one if needed.
func (t *idTable) find(h uint64, add bool) (id uint32, ok bool) {
	if 4*len(t.hashes) >= 3*len(t.places) {
		t.grow()
	}
	at := t.place(h)
	if n := t.places[at]; n > 0 {
		return n - 1, true
	}
	if !add {
		return 0, false
	}
	t.hashes = append(t.hashes, h)
	t.places[at] = uint32(len(t.hashes))
	return uint32(len(t.hashes) - 1), true
}

// place returns the slot of a hash, or the free slot for it.
func (t *idTable) place(h uint64) uint64 {
	at, _ := bits.Mul64(h, uint64(len(t.places)))
	for n := t.places[at]; n > 0 && t.hashes[n-1] != h; n = t.places[at] {
		if at++; at == uint64(len(t.places)) {
			at = 0
		}
	}
	return at
}

// grow doubles the slots and inserts all hashes again.
func (t *idTable) grow() {
	t.places = make([]uint32, max(1024, 2*len(t.places)))
	for i, h := range t.hashes {
		t.places[t.place(h)] = uint32(i + 1)
	}
}
