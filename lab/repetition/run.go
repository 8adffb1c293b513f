// Package repetition repeats the experiment of paper 003: near-duplicates found
// through prefix buckets, and through buckets split by intervals of repetition.
// It follows the paper's definitions line by line, apart from simdb, counts what
// both ways cost and lose against a comparison of all pairs, and then asks simdb
// the same. Corpora come in, a report goes out.
package repetition

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"time"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/internal/report"
	"github.com/simdb/simdb/lab/corpora"
)

// corpus is a file of texts, or the first n of it.
type corpus struct {
	name string // of the .jsonl.gz file
	n    int    // 0 means all
}

func (c corpus) String() string {
	if c.n == 0 {
		return c.name + ", all"
	}
	return fmt.Sprintf("%s, first %d", c.name, c.n)
}

// paperSized has as many abstracts as the paper.
var paperSized = corpus{"nsf", 645}

// all are what Run reads.
var all = []corpus{paperSized, {"nsf", 0}, {"linuxdoc", 0}}

// Run does the experiment on the corpora in a folder.
func Run(ctx context.Context, corporaDir string, o report.Options) (*report.Report, error) {
	return reportOf(ctx, corporaDir, all, o)
}

// reportOf is Run for some corpora.
func reportOf(ctx context.Context, corporaDir string, some []corpus, o report.Options) (*report.Report, error) {
	e := experiment{options: o, j: api.Ratio(9, 10)}
	for _, c := range some {
		if err := e.corpus(ctx, corporaDir, c); err != nil {
			return nil, fmt.Errorf("repetition: %v: %w", c, err)
		}
	}
	return e.report(), nil
}

// probes is about how many documents of a corpus probe one by one.
const probes = 1000

// experiment collects the rows of the report.
type experiment struct {
	options report.Options
	j       api.Threshold

	corpora, many, one, lost, placed, stored [][]string
	paper                                    [][]string // of paperSized only
}

func (e *experiment) corpus(ctx context.Context, dir string, c corpus) error {
	e.options.Progressf("%v: reading", c)
	texts, err := corpora.ReadJSONL(filepath.Join(dir, c.name+".jsonl.gz"), c.n)
	if err != nil {
		return err
	}
	begin := time.Now()
	docs, alphabet, err := readDocuments(ctx, texts, k)
	if err != nil {
		return err
	}
	shingling := time.Since(begin)
	e.options.Progressf("%v: all pairs of %d documents", c, len(docs))
	begin = time.Now()
	g := newJudge(docs, e.j)
	exact, err := allPairs(ctx, g)
	if err != nil {
		return err
	}
	e.describe(c, docs, len(alphabet), exact, shingling, time.Since(begin))
	orders := map[string]order{"alphabetical": nil, "rarest first": rarestFirst(docs, len(alphabet))}
	for _, name := range []string{"alphabetical", "rarest first"} {
		for _, intervals := range []bool{false, true} {
			m := method{orders[name], intervals, e.j}
			e.options.Progressf("%v: %s, %s intervals", c, name, withOrWithout(intervals))
			if err := e.method(ctx, c, name, m, g, exact, shingling); err != nil {
				return err
			}
		}
	}
	if err := e.positions(ctx, c, docs, orders["rarest first"]); err != nil {
		return err
	}
	return e.inStore(ctx, c, texts, exact)
}

func (e *experiment) method(ctx context.Context, c corpus, order string, m method, g *judge, exact matches, shingling time.Duration) error {
	all, err := m.manyMany(ctx, g)
	if err != nil {
		return err
	}
	nth := max(1, len(g.docs)/probes)
	one, err := m.manyOne(ctx, g, nth)
	if err != nil {
		return err
	}
	who := []string{c.String(), order, withOrWithout(m.intervals)}
	e.many = append(e.many, append(who[:3:3], number(all.buckets), number(all.postings), number(all.comparisons), number(all.candidates), seconds(all.time)))
	ran := int64((len(g.docs) + nth - 1) / nth)
	e.one = append(e.one, append(who[:3:3], number(ran), tenth(one.comparisons, ran), tenth(one.candidates, ran), micros(one.time, ran)))
	row := who[:3:3]
	for i := range measures {
		row = append(row, number(len(all.found[i])), number(len(without(exact[i], all.found[i]))))
	}
	e.lost = append(e.lost, row)
	if order == "alphabetical" && c == paperSized {
		e.paper = append(e.paper, []string{withOrWithout(m.intervals), number(all.buckets), seconds(shingling), seconds(all.time), seconds(shingling + all.time)})
	}
	return nil
}

func (e *experiment) describe(c corpus, docs []document, symbols int, exact matches, shingling, comparing time.Duration) {
	distinct, total, above := 0, uint64(0), 0
	for _, d := range docs {
		distinct += d.len()
		total += d.bag.Total
		for _, r := range d.bag.Counts {
			if r > 10 {
				above++
			}
		}
	}
	n := max(1, len(docs))
	e.corpora = append(e.corpora, []string{
		c.String(), number(len(docs)), number(symbols), number(distinct / n), number(int(total) / n),
		fmt.Sprintf("%.3f %%", 100*float64(above)/float64(max(1, distinct))),
		number(len(exact[0])), number(len(exact[1])), number(len(exact[2])), seconds(shingling), seconds(comparing),
	})
}

func withOrWithout(intervals bool) string {
	if intervals {
		return "with"
	}
	return "without"
}

func number[N int | int64](n N) string { return strconv.FormatInt(int64(n), 10) }

func seconds(d time.Duration) string { return fmt.Sprintf("%.2f s", d.Seconds()) }

func tenth(sum, n int64) string { return fmt.Sprintf("%.1f", float64(sum)/float64(max(1, n))) }

func micros(d time.Duration, n int64) string {
	return fmt.Sprintf("%.0f µs", float64(d.Microseconds())/float64(max(1, n)))
}
