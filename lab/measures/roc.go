package measures

// This file finds the defaults of the measure versions: for every distance and
// share, how many versions are found and how many pairs are wrong. The share is
// chosen on one half of the documents and judged on the other.

import (
	"context"
	"fmt"
	"hash/fnv"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/shingle"
	"github.com/simdb/simdb/internal/sketch"
	"github.com/simdb/simdb/internal/text"
	"github.com/simdb/simdb/lab/corpora"
)

// linuxdoc is the whole corpus, prepared for the ROC of versions.
type linuxdoc struct {
	paths []string // by document, without the release
	bags  []shingle.Bag
	lists [][]uint32
	same  []samePath
}

// samePath is a path that both releases have.
type samePath struct {
	old, now int  // the places of the documents
	changed  bool // they differ
	known    bool // they differ, and their resemblance as the corpus tells it is ≥ 0.8
	alike    bool // their resemblance over simdb's words is ≥ 0.8
}

func readLinuxdoc(dir string) (*linuxdoc, error) {
	docs, err := corpora.ReadJSONL(filepath.Join(dir, "linuxdoc.jsonl.gz"), 0)
	if err != nil {
		return nil, err
	}
	l := &linuxdoc{lists: each(docs, chunks), bags: each(docs, wordTriples.Bag)}
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
		jaccard, err := api.ParseThreshold(p.jaccard)
		if err != nil {
			return nil, err
		}
		l.same = append(l.same, samePath{old, now, !p.identical, !p.identical && jaccard.Cmp(alike) >= 0, l.alike(old, now)})
	}
	return l, nil
}

// count returns how many paths are so.
func (l *linuxdoc) count(so func(samePath) bool) (n int) {
	for _, p := range l.same {
		if so(p) {
			n++
		}
	}
	return n
}

// wordTriples is how the documents are read for resemblance, and alike from
// where two are near-duplicates by it.
var (
	wordTriples = shingle.Analysis{Unit: text.Word, K: 3, Form: text.Papers}
	alike       = api.Ratio(4, 5)
)

func (l *linuxdoc) alike(i, j int) bool {
	_, yes := measure.Resemblance.Match(l.bags[i], l.bags[j], alike)
	return yes
}

// leastShare is where the ROC begins, and mostShare where it ends.
const leastShare, mostShare = 60, 99

// A split divides the paths in two halves, to choose by one and judge by the
// other.
type split struct {
	by   string
	key  func(path string) string // paths with equal keys are in one half
	wide int                      // how many pairs of all each pair within a half stands for
}

// Half of the paths have half of the right pairs, but only a quarter of all others,
// so that a precision would come out too high: by path, pairs of different paths
// count twice. By folder they count once, as most wrong pairs lie in one folder and
// stay together.
var splits = []split{
	{"path", func(p string) string { return p }, 2},
	{"folder", path.Dir, 1},
}

func (s split) half(path string) int {
	h := fnv.New32a()
	h.Write([]byte(s.key(path))) // never fails
	return int(h.Sum32() >> 16 & 1)
}

// points are counts for every share of matched chunks. A pair counts at the
// greatest share that reports it, or at 1 if its resemblance does.
type points struct {
	known   tally // changed pairs with resemblance ≥ 0.8; no others
	same    tally // pairs of one path, and the wrong pairs
	changed tally // pairs of one path that changed, and the wrong pairs
}

func (p *points) addSame(s samePath, shared, of uint64) {
	if s.alike {
		shared, of = 1, 1
	}
	p.same.add(true, shared, of)
	if s.changed {
		p.changed.add(true, shared, of)
	}
	if s.known {
		p.known.add(true, shared, of)
	}
}

func (p *points) addWrong(shared, of uint64) {
	p.same.add(false, shared, of)
	p.changed.add(false, shared, of)
}

// A sweep is the ROC of versions at some distance: of all documents, and of both
// halves by each split.
type sweep struct {
	all     points
	halves  [][2]points
	leftOut int // pairs of different paths that are alike
}

// sweep goes over all pairs. Two documents of one path are a right pair. Two of
// different paths are a wrong one, or left out if they are alike.
func (l *linuxdoc) sweep(ctx context.Context, distance int) (*sweep, error) {
	s := &sweep{halves: make([][2]points, len(splits))}
	for _, p := range l.same {
		shared, of := diceOf(measure.MatchChunks(l.lists[p.old], l.lists[p.now], distance))
		s.all.addSame(p, shared, of)
		for i, by := range splits {
			s.halves[i][by.half(l.paths[p.old])].addSame(p, shared, of)
		}
	}
	err := newChunkJoin(l.lists, distance).pairs(ctx, api.Ratio(leastShare, 100), func(p chunkPair) {
		a, b := l.paths[p.query], l.paths[p.doc]
		if a == b {
			return
		}
		if l.alike(p.query, p.doc) {
			s.leftOut++
			return
		}
		shared, of := diceOf(p.match)
		s.all.addWrong(shared, of)
		for i, by := range splits {
			if half := by.half(a); half == by.half(b) {
				for range by.wide {
					s.halves[i][half].addWrong(shared, of)
				}
			}
		}
	})
	return s, err
}

func diceOf(m measure.ChunkMatch) (shared, of uint64) {
	return uint64(m.QueryMatched + m.DocMatched), uint64(m.Query + m.Doc)
}

var rocHead = []string{"bits", "share", "recall", "precision", "precision, changed", "changed pairs ≥ 0.8 found", "same path", "changed", "different path", "note"}

// rows returns a row for each share; the last column marks that of the rule.
func (s *sweep) rows(distance int, rule measure.VersionRule) (rows [][]string) {
	for b := leastShare; b <= mostShare; b++ {
		known, same, changed := s.all.known.from(b), s.all.same.from(b), s.all.changed.from(b)
		mark := ""
		if distance == rule.Bits && b == hundredths(rule.Share) {
			mark = "default"
		}
		rows = append(rows, []string{strconv.Itoa(distance), decimal(b), four(known.recall()), four(same.precision()), four(changed.precision()),
			strconv.Itoa(known.right), strconv.Itoa(same.right), strconv.Itoa(changed.right), strconv.Itoa(same.wrong), mark})
	}
	return rows
}

var heldOutHead = []string{"bits", "halves by", "share chosen", "precision, changed", "recall", "other half: precision, changed", "precision", "recall"}

// heldOut chooses a share by each half and judges it by the other.
func (s *sweep) heldOut(distance int) (rows [][]string) {
	for i, by := range splits {
		for half := range 2 {
			seen, unseen := &s.halves[i][half], &s.halves[i][1-half]
			b := seen.choose()
			rows = append(rows, []string{strconv.Itoa(distance), by.by, decimal(b), four(seen.changed.from(b).precision()), four(seen.known.from(b).recall()),
				four(unseen.changed.from(b).precision()), four(unseen.same.from(b).precision()), four(unseen.known.from(b).recall())})
		}
	}
	return rows
}

// choose returns the smallest share, in steps of 0.05, with a precision of at least
// 0.97 among changed pairs. If there is none it returns the largest.
func (p *points) choose() int {
	const most = 95
	for b := leastShare; b < most; b += 5 {
		if r := p.changed.from(b); r.right > 0 && 100*r.right >= 97*(r.right+r.wrong) {
			return b
		}
	}
	return most
}

// below counts the changed pairs whose score is less than their resemblance: by
// the rule, and by sentences alone.
func (l *linuxdoc) below(rule measure.VersionRule) (rate, alone int) {
	for _, p := range l.same {
		if !p.changed {
			continue
		}
		m := measure.MatchChunks(l.lists[p.old], l.lists[p.now], rule.Bits)
		r := measure.Resemblance.Score(l.bags[p.old], l.bags[p.now])
		if less(rule.Rate(m, r), r) {
			rate++
		}
		if less(rule.Score(m), r) {
			alone++
		}
	}
	return rate, alone
}

// less compares scores of numbers below 2³².
func less(a, b measure.Score) bool { return a.Shared*b.Of < b.Shared*a.Of }

// chunks returns the fingerprints of the sentences of a text as the papers read it.
func chunks(doc string) []uint32 { return sketch.Reading{Form: text.Papers}.Chunks(doc) }
