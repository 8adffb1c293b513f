package scale

// The steps of one task that read or hold something of every part, at the size of 10⁸ and 10⁹
// documents of 2 kB. Their parts are links to one real part, so that only these steps take time:
//
//	go test ./internal/scale -run - -bench TrueSize -benchtime 1x -timeout 2h

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/simdb/simdb/index/join"
	"github.com/simdb/simdb/internal/corpus"
)

// partDocuments are those of a part of 64 MB.
const partDocuments = 30_000

// The order of the tokens: task 0 sums the counters of all parts.
func BenchmarkTrueSizeOrder(b *testing.B) {
	for _, documents := range []int{100_000_000, 1_000_000_000} {
		parts := documents / partDocuments
		b.Run(fmt.Sprint(documents), func(b *testing.B) {
			j := linked(b, parts)
			for b.Loop() { // once: a finished task does nothing
				if err := j.Run(b.Context(), Order, 0); err != nil {
					b.Fatal(err)
				}
			}
			r, err := j.record(Analyse, 0)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(float64(r.Size)/1e6, "MB/part")
			b.ReportMetric(float64(j.Tasks(Join)), "joins")
		})
	}
}

// linked returns a job whose parts have finished analyse, each with the file of the first.
func linked(b *testing.B, parts int) *Job {
	inputs := make([]Input, parts)
	for i := range inputs {
		inputs[i] = Input{Path: fmt.Sprint(i)}
	}
	p, err := NewPlan(Settings{MinSim: "0.8"}, inputs, int64(parts)<<26)
	if err != nil {
		b.Fatal(err)
	}
	dir := b.TempDir()
	if err := Make(dir, p); err != nil {
		b.Fatal(err)
	}
	j, err := Open(dir, "", func(_ context.Context, _ Input, each func(id, text string) error) (Rejects, error) {
		for i := range partDocuments {
			if d := corpus.At(1, i); each(d.ID, d.Text) != nil {
				return Rejects{}, os.ErrInvalid
			}
		}
		return Rejects{}, nil
	})
	if err != nil {
		b.Fatal(err)
	}
	if err := j.Run(b.Context(), Analyse, 0); err != nil {
		b.Fatal(err)
	}
	first, err := j.record(Analyse, 0)
	if err != nil {
		b.Fatal(err)
	}
	for i := 1; i < parts; i++ {
		r := *first
		r.Task = i
		r.Check = r.check()
		line, err := json.Marshal(r)
		if err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(j.path(Analyse, i, ".json"), line, 0o644); err != nil {
			b.Fatal(err)
		}
		// A file has at most 65,000 links.
		if err := os.Link(filepath.Join(j.dir, string(Analyse), "00000"), j.path(Analyse, i, "")); err != nil {
			b.Fatal(err)
		}
	}
	return j
}

// The groups: a union-find over all sets, with as many edges as generated texts have.
func BenchmarkTrueSizeGroups(b *testing.B) {
	for _, sets := range []uint32{100_000_000, 1_000_000_000} {
		for _, kind := range []string{"near", "far"} { // edges between neighbours in the input, and random ones
			b.Run(fmt.Sprint(sets, "/", kind), func(b *testing.B) {
				for b.Loop() {
					u := join.NewUnionFind(sets)
					x := uint64(1)
					for range sets / 3 {
						x = x*6364136223846793005 + 1442695040888963407
						a := uint32((x >> 32) * uint64(sets) >> 32)
						other := (a + 1 + uint32(x>>8)%20) % sets
						if kind == "far" {
							other = uint32((x & (1<<32 - 1)) * uint64(sets) >> 32)
						}
						u.Union(a, other)
					}
					for n := range sets {
						u.Find(n)
					}
				}
				b.ReportMetric(4*float64(sets)/1e6, "MB")
			})
		}
	}
}
