package scale

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/shingle"
	"github.com/simdb/simdb/internal/torture"
)

// document of a test; parts of the input are slices of them.
type document struct{ id, text string }

// source yields the documents of part i under the path "i".
func source(parts [][]document) Source {
	return func(_ context.Context, in Input, each func(id, text string) error) (Rejects, error) {
		var i int
		fmt.Sscan(in.Path, &i)
		for _, d := range parts[i] {
			if err := each(d.id, d.text); err != nil {
				return Rejects{}, err
			}
		}
		return Rejects{}, nil
	}
}

// testParts makes parts with similar texts, equal texts, equal sets of unequal texts,
// texts without shingles, and ids that occur again in the same part and in another.
func testParts(seed uint64) [][]document {
	r := rand.New(rand.NewPCG(seed, 1))
	var texts [][]string
	parts := make([][]document, 3)
	for i := range 240 {
		var words []string
		switch {
		case i%40 == 7:
			words = []string{"-"}
		case i > 20 && r.IntN(3) > 0:
			words = slices.Clone(texts[r.IntN(len(texts))])
			for range r.IntN(6) {
				words[r.IntN(len(words))] = fmt.Sprint("w", r.IntN(400))
			}
			if r.IntN(8) == 0 {
				words = append(words, words...)
			}
		default:
			for range 3 + r.IntN(60) {
				words = append(words, fmt.Sprint("w", r.IntN(400)))
			}
		}
		texts = append(texts, words)
		id := fmt.Sprintf("d%03d", r.Perm(1000)[0])
		p := r.IntN(len(parts))
		parts[p] = append(parts[p], document{id, strings.Join(words, " ")})
	}
	return parts
}

func testPlan(t testing.TB, s Settings, parts int) Plan {
	t.Helper()
	var inputs []Input
	for i := range parts {
		inputs = append(inputs, Input{Path: fmt.Sprint(i)})
	}
	p, err := NewPlan(s, inputs, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func testJob(t *testing.T, s Settings, parts [][]document) (*Job, string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "work")
	if err := Make(dir, testPlan(t, s, len(parts))); err != nil {
		t.Fatal(err)
	}
	return openTest(t, dir, parts), dir
}

func openTest(t *testing.T, dir string, parts [][]document) *Job {
	t.Helper()
	j, err := Open(dir, "", source(parts))
	if err != nil {
		t.Fatal(err)
	}
	return j
}

func quiet(Stage, int, int) {}

func runTest(t *testing.T, j *Job) (repaired []*Broken) {
	t.Helper()
	if err := j.All(t.Context(), Clusters, 2, quiet, func(b *Broken) { repaired = append(repaired, b) }); err != nil {
		t.Fatal(err)
	}
	return repaired
}

func pairsOf(t *testing.T, j *Job) (list []Pair) {
	t.Helper()
	if err := j.Pairs(t.Context(), func(p Pair) error { list = append(list, p); return nil }); err != nil {
		t.Fatal(err)
	}
	return list
}

func membersOf(t *testing.T, j *Job) (list []Member) {
	t.Helper()
	if err := j.Members(t.Context(), func(m Member) error { list = append(list, m); return nil }); err != nil {
		t.Fatal(err)
	}
	return list
}

// brute returns all pairs and groups by definition. The last document of an id counts.
func brute(t *testing.T, p Plan, parts [][]document) (pairs []Pair, members []Member) {
	t.Helper()
	r, err := p.rule()
	if err != nil {
		t.Fatal(err)
	}
	bags := map[string]shingle.Bag{}
	for _, d := range slices.Concat(parts...) {
		bags[d.id] = r.analysis.Bag(d.text)
	}
	ids := slices.Sorted(maps.Keys(bags))
	group := map[string]string{}
	for _, id := range ids {
		group[id] = id
	}
	scores := map[Pair]measure.Score{}
	for i, a := range ids {
		for _, b := range ids[i+1:] {
			s, ok := r.formula.Match(bags[a], bags[b], r.min)
			if !ok {
				continue
			}
			x := Pair{a, b, s.Sim(), s.Shared, s.Union}
			pairs, scores[x] = append(pairs, x), s
			to, from := min(group[a], group[b]), max(group[a], group[b])
			for id, g := range group {
				if g == from {
					group[id] = to
				}
			}
		}
	}
	slices.SortStableFunc(pairs, func(x, y Pair) int { return scores[y].Compare(scores[x]) })
	sizes := map[string]uint64{}
	for _, g := range group {
		sizes[g]++
	}
	for _, id := range ids {
		if g := group[id]; sizes[g] > 1 {
			members = append(members, Member{g, id, sizes[g]})
		}
	}
	slices.SortFunc(members, func(x, y Member) int {
		return cmp.Or(cmp.Compare(y.Size, x.Size), cmp.Compare(x.Cluster, y.Cluster), cmp.Compare(x.ID, y.ID))
	})
	return pairs, members
}

// The stages give the rows that the definition gives, with exact integers, at thresholds
// that no float has too.
func TestRowsAreThoseOfTheDefinition(t *testing.T) {
	for seed := range uint64(torture.Few(1, 3)) {
		parts := testParts(seed)
		for _, unit := range []string{"word", "char"} {
			for _, of := range []string{"jaccard", "containment"} {
				for _, sim := range []string{"1", "0.9", "2/3", "0.5", "1/7"} {
					s := Settings{Unit: unit, MinSim: sim, Measure: of}
					j, _ := testJob(t, s, parts)
					runTest(t, j)
					pairs, members := brute(t, j.Plan(), parts)
					if len(pairs) == 0 {
						t.Fatalf("seed %d, %+v: no pairs to find", seed, s)
					}
					if got := pairsOf(t, j); !slices.Equal(got, pairs) {
						t.Errorf("seed %d, %+v: %d pairs, want %d", seed, s, len(got), len(pairs))
					}
					if got := membersOf(t, j); !slices.Equal(got, members) {
						t.Errorf("seed %d, %+v: %d members of groups, want %d", seed, s, len(got), len(members))
					}
				}
			}
		}
	}
}

// files returns all files of a work directory.
func files(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			all[path], err = os.ReadFile(path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// Whatever happens to an intermediate file, it is not used: the rows are the same, and so
// is the file in the end. What was done after it has to be done again here, so that it is
// read; else it would not be looked at, and not be missed.
func TestDamagedFilesAreMadeAgain(t *testing.T) {
	parts := testParts(7)
	j, dir := testJob(t, Settings{MinSim: "0.5"}, parts)
	runTest(t, j)
	want, sound := pairsOf(t, j), files(t, dir)
	r := rand.New(rand.NewPCG(7, 7))
	tries := torture.Tries(t, "W1")
	paths := slices.DeleteFunc(slices.Sorted(maps.Keys(sound)), func(path string) bool { return filepath.Base(path) == manifestName })
	for n := range tries { // each file in one way after the other
		path := paths[n%len(paths)]
		s := Stage(filepath.Base(filepath.Dir(path)))
		damage := []string{"missing", "truncated", "empty", "longer", "changed"}[n/len(paths)%5]
		b := bytes.Clone(sound[path])
		at := r.IntN(len(b))
		switch damage {
		case "missing":
			os.Remove(path)
		case "truncated":
			b = b[:at]
		case "empty":
			b = nil
		case "longer":
			b = append(b, 0)
		case "changed":
			b[at] ^= 1 << r.IntN(8)
		}
		if damage != "missing" {
			if err := os.WriteFile(path, b, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		for _, later := range Stages[slices.Index(Stages, s)+1:] {
			if err := os.RemoveAll(filepath.Join(dir, string(later))); err != nil {
				t.Fatal(err)
			}
		}
		j := openTest(t, dir, parts)
		repaired := runTest(t, j)
		if len(repaired) > 0 && !strings.HasPrefix(filepath.Base(path), filepath.Base(repaired[0].File)) {
			t.Errorf("%s %s at %d: %v is named", path, damage, at, repaired[0])
		}
		err := j.Pairs(t.Context(), func(Pair) error { return nil })
		var broken *Broken
		if errors.As(err, &broken) && broken.Stage == Join { // rows are read here first
			runTest(t, openTest(t, dir, parts))
		}
		if got := pairsOf(t, j); !slices.Equal(got, want) {
			t.Errorf("%s %s at %d: other pairs", path, damage, at)
		}
		// A changed byte that nobody reads may stay, and a record without its last line break.
		unread := damage == "changed" || damage == "truncated" && filepath.Ext(path) == ".json" && at == len(sound[path])-1
		if now := files(t, dir); !unread && !maps.EqualFunc(now, sound, bytes.Equal) {
			t.Errorf("%s %s at %d: other files in the end", path, damage, at)
		}
		if err := os.WriteFile(path, sound[path], 0o666); err != nil {
			t.Fatal(err)
		}
	}
	torture.Report(t, "W1", tries)
}

// A manifest that is damaged is refused, or says what it said. It must not be another plan.
func TestDamagedManifestIsRefused(t *testing.T) {
	j, dir := testJob(t, Settings{MinSim: "0.5"}, testParts(1))
	path := filepath.Join(dir, manifestName)
	sound, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	refused := 0
	try := func(what string, b []byte) {
		t.Helper()
		if err := os.WriteFile(path, b, 0o666); err != nil {
			t.Fatal(err)
		}
		other, err := Open(dir, j.plan.Program, nil)
		if err != nil {
			refused++
		} else if !reflect.DeepEqual(other.Plan(), j.Plan()) {
			t.Errorf("%s: it is read as %+v", what, other.Plan())
		}
	}
	for at := range sound {
		try(fmt.Sprint("cut off at ", at), sound[:at])
		for bit := range 8 {
			b := bytes.Clone(sound)
			b[at] ^= 1 << bit
			try(fmt.Sprintf("bit %d of byte %d changed", bit, at), b)
		}
	}
	if refused < 8*len(sound) {
		t.Errorf("of %d damaged manifests %d were refused", 9*len(sound), refused)
	}
}

// A changed byte in any section that a later stage reads is found, and named.
func TestChangedBytesAreNamed(t *testing.T) {
	parts := testParts(3)
	j, dir := testJob(t, Settings{MinSim: "0.5"}, parts)
	for _, s := range []Stage{Analyse, Order, Deal, Join} {
		runTest(t, j)
		path := filepath.Join(dir, string(s), "00000")
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		b[20] ^= 4 // in the first section
		if err := os.WriteFile(path, b, 0o666); err != nil {
			t.Fatal(err)
		}
		next := Stages[slices.Index(Stages, s)+1]
		for _, later := range Stages[slices.Index(Stages, s)+1:] {
			os.RemoveAll(filepath.Join(dir, string(later)))
		}
		j := openTest(t, dir, parts)
		if s == Analyse { // the sets are read by deal
			if err := j.Run(t.Context(), Order, 0); err != nil {
				t.Fatal(err)
			}
			next = Deal
		}
		err = j.Run(t.Context(), next, 0)
		var broken *Broken
		if !errors.As(err, &broken) || broken.Stage != s || broken.Task != 0 {
			t.Errorf("a changed byte in %s: %v", path, err)
		}
		if done, err := j.Done(s, 0); done || err != nil {
			t.Errorf("after that %s is done: %v, %v", path, done, err)
		}
	}
}

// Tasks that run twice, at once, and in any order of shares leave the same files.
func TestTasksMayRunTwice(t *testing.T) {
	parts := testParts(5)
	j, dir := testJob(t, Settings{}, parts)
	runTest(t, j)
	want := files(t, dir)
	again, other := testJob(t, Settings{}, parts)
	for _, s := range Stages {
		errs := make(chan error)
		for i := range 6 {
			go func() {
				j, err := Open(other, "", source(parts))
				if err == nil {
					err = j.Share(context.Background(), s, 2-i/2, 3)
				}
				errs <- err
			}()
		}
		for range 6 {
			if err := <-errs; err != nil {
				t.Fatal(s, err)
			}
		}
	}
	if got, want := pairsOf(t, again), pairsOf(t, j); !slices.Equal(got, want) {
		t.Error("other pairs")
	}
	got := files(t, other)
	for path, b := range want {
		if !bytes.Equal(got[other+strings.TrimPrefix(path, dir)], b) {
			t.Errorf("another %s", path)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d files, want %d", len(got), len(want))
	}
}

// A stage whose predecessor is not done refuses, and so does another plan or program.
func TestRefusals(t *testing.T) {
	j, dir := testJob(t, Settings{}, testParts(1))
	if err := j.Run(t.Context(), Deal, 0); err == nil || !strings.Contains(err.Error(), "deal reads what analyse writes") {
		t.Errorf("deal before analyse: %v", err)
	}
	for share := range 3 {
		if err := j.Share(t.Context(), Join, share, 3); err == nil || !strings.Contains(err.Error(), "join reads what analyse writes") {
			t.Errorf("share %d of join before order: %v", share, err)
		}
	}
	if err := j.Pairs(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "has not been done") {
		t.Errorf("pairs before join: %v", err)
	}
	if err := Make(dir, testPlan(t, Settings{MinSim: "0.9"}, 3)); err == nil || !strings.Contains(err.Error(), "name another directory") {
		t.Errorf("another plan: %v", err)
	}
	if _, err := Open(dir, "v9", nil); err == nil || !strings.Contains(err.Error(), "all tasks need the same program") {
		t.Errorf("another program: %v", err)
	}
	for _, s := range []Settings{{Unit: "token"}, {K: -1}, {MinSim: "0.01"}, {MinSim: "x"}, {Measure: "simhash"}} {
		if _, err := NewPlan(s, []Input{{}}, 1); err == nil {
			t.Errorf("%+v is no error", s)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := j.All(ctx, Clusters, 2, quiet, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
