// Command verify compares the answer of simdb verify with brute force: random pairs and groups of a
// corpus, and pairs of neighbours in it, which are more often similar. Every number of every row must
// be equal.
//
//	go -C bench run ./verify -pairs 1000000 -simdb ../simdb CORPUS.jsonl
//
// It prints the rate of simdb as pairs for a second of CPU.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/simdb/simdb/bench/definition"
)

func main() {
	pairs := flag.Int("pairs", 1_000_000, "number of pairs")
	simdb := flag.String("simdb", "simdb", "the command")
	flag.Parse()
	if err := run(*simdb, flag.Arg(0), *pairs, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "verify:", err)
		os.Exit(1)
	}
}

// row is a row of simdb verify, of pairs and of groups.
type row struct {
	A, B, ID, Keeper string
	Similar          bool
	Sim              float64
	Shared, Union    int
	AInB             float64 `json:"a_in_b"`
	BInA             float64 `json:"b_in_a"`
	InKeeper         float64 `json:"in_keeper"`
	KeeperIn         float64 `json:"keeper_in"`
}

func run(simdb, corpus string, n int, out io.Writer) (err error) {
	ids, sets, err := read(corpus)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "verify-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	store := filepath.Join(dir, "texts.simdb")
	if err := exec.Command(simdb, "import", "--quiet", store, corpus).Run(); err != nil {
		return fmt.Errorf("import: %w", err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	pair := func(i int) [2]int { // every other pair is of neighbours
		a := rng.IntN(len(ids))
		if i%2 == 0 {
			return [2]int{a, min(a+1+rng.IntN(3), len(ids)-1)}
		}
		return [2]int{a, rng.IntN(len(ids))}
	}
	for _, kind := range []string{"pairs", "groups"} {
		path := filepath.Join(dir, kind+".jsonl")
		var of [][2]int
		err := write(path, n, func(i int) any {
			if kind == "pairs" {
				of = append(of, pair(i))
				return map[string]any{"a": ids[of[i][0]], "b": ids[of[i][1]]}
			}
			return map[string]any{"id": ids[rng.IntN(len(ids))], "cluster": rng.IntN(n/20 + 1)}
		})
		if err != nil {
			return err
		}
		if err := compare(simdb, path, store, ids, sets, of, out); err != nil {
			return fmt.Errorf("%s: %w", kind, err)
		}
	}
	return nil
}

// read returns the ids of a corpus, and its sets of shingles by the definition.
func read(corpus string) (ids []string, sets [][]uint32, err error) {
	f, err := os.Open(corpus)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	numbers := map[string]uint32{}
	for in := json.NewDecoder(bufio.NewReader(f)); ; {
		var doc struct{ ID, Text string }
		if err := in.Decode(&doc); err == io.EOF {
			return ids, sets, nil
		} else if err != nil {
			return nil, nil, err
		}
		var set []uint32
		definition.Shingles(doc.Text, "word", "", 3, func(s string) {
			n, ok := numbers[s]
			if !ok {
				n = uint32(len(numbers))
				numbers[s] = n
			}
			set = append(set, n)
		})
		slices.Sort(set)
		ids, sets = append(ids, doc.ID), append(sets, slices.Compact(set))
	}
}

// write writes n JSON lines.
func write(path string, n int, line func(i int) any) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	for i := range n {
		if err := json.NewEncoder(w).Encode(line(i)); err != nil {
			return err
		}
	}
	return w.Flush()
}

// compare runs simdb verify and recomputes each row. The pairs of rows of groups are those of the row.
func compare(simdb, path, store string, ids []string, sets [][]uint32, of [][2]int, out io.Writer) error {
	number := map[string]int{}
	for i, id := range ids {
		number[id] = i
	}
	cmd := exec.Command(simdb, "verify", "--sim", "0.5", path, store)
	cmd.Stderr = os.Stderr
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	rows, similar := 0, 0
	for in := json.NewDecoder(bufio.NewReader(pipe)); ; rows++ {
		var r row
		if err := in.Decode(&r); err == io.EOF {
			break
		} else if err != nil {
			return err
		}
		if r.ID != "" {
			r.A, r.B, r.AInB, r.BInA = r.Keeper, r.ID, r.KeeperIn, r.InKeeper
		} else if want := [2]string{ids[of[rows][0]], ids[of[rows][1]]}; r.A != want[0] || r.B != want[1] {
			return fmt.Errorf("row %d is of %s and %s, want %v", rows, r.A, r.B, want)
		}
		a, b := sets[number[r.A]], sets[number[r.B]]
		shared := 0
		for i, j := 0, 0; i < len(a) && j < len(b); {
			switch {
			case a[i] < b[j]:
				i++
			case a[i] > b[j]:
				j++
			default:
				shared, i, j = shared+1, i+1, j+1
			}
		}
		union := len(a) + len(b) - shared
		want := r
		want.Shared, want.Union, want.Sim, want.Similar = shared, union, float64(shared)/float64(union), 2*shared >= union
		want.AInB, want.BInA = float64(shared)/float64(len(a)), float64(shared)/float64(len(b))
		if r.ID != "" {
			want.KeeperIn, want.InKeeper = want.AInB, want.BInA
		}
		if r != want {
			return fmt.Errorf("row %d is %+v, want %+v", rows, r, want)
		}
		if r.Similar {
			similar++
		}
	}
	if err := cmd.Wait(); err != nil {
		return err
	}
	if of != nil && rows != len(of) {
		return fmt.Errorf("%d rows, want %d", rows, len(of))
	}
	cpu := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	fmt.Fprintf(out, "%d rows equal brute force, %d similar; %.1f CPU-s, %.0f rows/CPU-s\n", rows, similar, cpu.Seconds(), float64(rows)/cpu.Seconds())
	return nil
}
