package measures

// This file tries the measures on damaged texts: a scanner or a typist leaves an
// error in every sentence.

import (
	"context"
	"math/rand/v2"
	"strconv"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/text"
	"github.com/simdb/simdb/lab/corpora"
)

var damageHead = []string{"bits", "share", "by sentences", "by resemblance", "by either", "pairs of different abstracts below resemblance 0.8"}

// damageShares are the shares of matched sentences that damage looks at.
var damageShares = []int{90, 95}

// damage tells what the distance of sentences is good for: texts with an error
// in every sentence, such as scanned ones. Of every tenth text with at least
// five sentences one letter of each sentence is changed, and it is counted by
// which rule the text is still found. The price is the pairs of different texts
// that are near by sentences only.
func damage(ctx context.Context, docs []corpora.Doc) (tried int, rows [][]string, err error) {
	lists, bags := each(docs, chunks), each(docs, wordTriples.Bag)
	l := &linuxdoc{lists: lists, bags: bags}
	rng := rand.New(rand.NewPCG(4, 4))
	var places []int
	var changed [][]uint32
	var found []bool // by resemblance
	byResemblance := 0
	for i := 0; i < len(docs); i += 10 {
		if len(lists[i]) < 5 {
			continue
		}
		d := damaged(rng, docs[i].Text)
		_, yes := measure.Resemblance.Match(bags[i], wordTriples.Bag(d), alike)
		places, changed, found = append(places, i), append(changed, chunks(d)), append(found, yes)
		if yes {
			byResemblance++
		}
	}
	for _, bits := range rocBits {
		unlike := map[int]int{}
		err := newChunkJoin(lists, bits).pairs(ctx, api.Ratio(uint64(damageShares[0]), 100), func(p chunkPair) {
			if l.alike(p.query, p.doc) {
				return
			}
			for _, s := range damageShares {
				if api.Ratio(uint64(s), 100).Admits(diceOf(p.match)) {
					unlike[s]++
				}
			}
		})
		if err != nil {
			return 0, nil, err
		}
		for _, s := range damageShares {
			bySentences, byEither := 0, 0
			for n, i := range places {
				yes := api.Ratio(uint64(s), 100).Admits(diceOf(measure.MatchChunks(lists[i], changed[n], bits)))
				if yes {
					bySentences++
				}
				if yes || found[n] {
					byEither++
				}
			}
			rows = append(rows, []string{strconv.Itoa(bits), decimal(s), strconv.Itoa(bySentences), strconv.Itoa(byResemblance), strconv.Itoa(byEither), strconv.Itoa(unlike[s])})
		}
	}
	return len(places), rows, nil
}

// damaged changes a small letter in each sentence that has one.
func damaged(rng *rand.Rand, doc string) string {
	b := []byte(doc)
	for s := range text.Sentences(doc) {
		var letters []int
		for i := s.Start; i < s.End; i++ {
			if 'a' <= b[i] && b[i] <= 'z' {
				letters = append(letters, i)
			}
		}
		if len(letters) > 0 {
			at := letters[rng.IntN(len(letters))]
			b[at] = 'a' + (b[at]-'a'+byte(1+rng.IntN(25)))%26
		}
	}
	return string(b)
}
