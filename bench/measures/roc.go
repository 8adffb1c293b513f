package measures

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/simdb/simdb/bench/lab"
	"github.com/simdb/simdb/measure"
	"github.com/simdb/simdb/shingle"
	"github.com/simdb/simdb/sketch"
	"github.com/simdb/simdb/text"
)

// linuxdoc is the whole corpus, prepared for the ROC of versions.
type linuxdoc struct {
	paths   []string // by document, without the release
	bags    []shingle.Bag
	lists   [][]uint32
	changed [][2]int // the changed paths with resemblance ≥ 0.8, by the places of both documents
}

func readLinuxdoc(dir string) (*linuxdoc, error) {
	docs, err := lab.ReadJSONL(filepath.Join(dir, "linuxdoc.jsonl.gz"), 0)
	if err != nil {
		return nil, err
	}
	l := &linuxdoc{lists: each(docs, sketch.Chunks), bags: each(docs, shingle.Analysis{Unit: text.Word, K: 3}.Bag)}
	place := map[string]int{}
	for i, d := range docs {
		_, path, _ := strings.Cut(d.ID, "/")
		l.paths = append(l.paths, path)
		place[d.ID] = i
	}
	pairs, err := readPairs(dir)
	if err != nil {
		return nil, err
	}
	for _, p := range pairs {
		old, ok := place["linux-6.1/"+p.path]
		now, also := place["linux-6.12/"+p.path]
		if !ok || !also {
			return nil, fmt.Errorf("linuxdoc: %s is not in both releases", p.path)
		}
		if jaccard, err := measure.ParseThreshold(p.jaccard); err != nil {
			return nil, err
		} else if !p.identical && jaccard.Cmp(measure.Ratio(4, 5)) >= 0 {
			l.changed = append(l.changed, [2]int{old, now})
		}
	}
	return l, nil
}

// leastShare is where the ROC begins.
const leastShare = 60

// roc returns a row for each share of matched chunks, at some distance: recall
// of the changed pairs with resemblance ≥ 0.8, precision over all pairs of
// documents. Two documents of one path are right; of different paths wrong,
// unless their own resemblance is ≥ 0.8: those are left out.
func (l *linuxdoc) roc(ctx context.Context, distance int) (rows [][]string, err error) {
	var pairs tally // related: same path
	alike := 0
	err = newChunkJoin(l.lists, distance).pairs(ctx, measure.Ratio(leastShare, 100), func(p chunkPair) {
		same := l.paths[p.query] == l.paths[p.doc]
		if !same {
			if _, yes := measure.Jaccard.Match(l.bags[p.query], l.bags[p.doc], measure.Ratio(4, 5)); yes {
				alike++
				return
			}
		}
		shared, of := diceOf(p.match)
		pairs.add(same, shared, of)
	})
	if err != nil {
		return nil, err
	}
	var known tally
	for _, p := range l.changed {
		shared, of := diceOf(measure.MatchChunks(l.lists[p[0]], l.lists[p[1]], distance))
		known.add(true, shared, of)
	}
	for s := leastShare; s <= 95; s++ {
		k, p := known.from(s), pairs.from(s)
		rows = append(rows, []string{strconv.Itoa(distance), decimal(s), four(k.recall()), four(p.precision()), strconv.Itoa(k.right), strconv.Itoa(p.right), strconv.Itoa(p.wrong), strconv.Itoa(alike)})
	}
	return rows, nil
}

var rocHead = []string{"bits", "share", "recall", "precision", "changed pairs found", "same path", "different path", "different path, resemblance ≥ 0.8, share ≥ 0.60 (left out)"}

func diceOf(m measure.ChunkMatch) (shared, of uint64) {
	return uint64(m.QueryMatched + m.DocMatched), uint64(m.Query + m.Doc)
}

// below counts the changed pairs whose versions score is less than their
// resemblance, and those that resemblance ≥ 0.8 finds by simdb's words.
func (l *linuxdoc) below(rule measure.VersionRule) (below, found int) {
	eight := measure.Ratio(4, 5)
	for _, p := range l.changed {
		v := rule.Score(measure.MatchChunks(l.lists[p[0]], l.lists[p[1]], rule.Bits))
		r := measure.Jaccard.Score(l.bags[p[0]], l.bags[p[1]])
		if v.Sim() < r.Sim() {
			below++
		}
		if eight.Admits(r.Shared, r.Of) {
			found++
		}
	}
	return below, found
}
