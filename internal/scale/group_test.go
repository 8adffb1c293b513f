package scale

// Groups that are larger than what is held at once.

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
)

// candidatesOf are all that the stage meet has found, and how many it has written for one set.
func candidatesOf(t *testing.T, j *Job) (list []uint64, most int64) {
	t.Helper()
	of := map[[2]uint64]int64{}
	err := j.each(t.Context(), Meet, func(_ int, m *result) error {
		for i := 1; i < m.n; i++ {
			words, err := m.words(i)
			if err != nil {
				return err
			}
			for _, c := range words {
				shard := uint64((i - 1) % len(j.plan.Inputs))
				list = append(list, c, shard)
				set := [2]uint64{shard, uint64(lowerOf(c))}
				of[set]++
				most = max(most, of[set])
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	pairs := map[[2]uint64]bool{}
	for i := 0; i < len(list); i += 2 {
		pairs[[2]uint64{list[i], list[i+1]}] = true
	}
	list = list[:0]
	for p := range pairs {
		list = append(list, p[1]<<60^p[0])
	}
	slices.Sort(list)
	return list, most
}

// Memory bounds what is held of a group, and changes no candidate and no row.
func TestGroupsAreCut(t *testing.T) {
	cuts := 0
	for seed := range uint64(2) {
		for _, s := range []Settings{{K: 1, MinSim: "0.3"}, {K: 1, MinSim: "0.6"}, {K: 1, MinSim: "0.5", Measure: "containment"}, {Unit: "char", K: 3, MinSim: "0.4"}} {
			texts := testParts(seed)
			whole, _ := testJob(t, s, texts)
			runTest(t, whole)
			pairs, members := brute(t, whole.plan, texts)
			want, _ := candidatesOf(t, whole)
			for _, room := range []int64{1, 12, 100} {
				if room == 1 && (seed > 0 || s.Unit != "") {
					continue // nearly every posting is a part of its own
				}
				j, dir := testJob(t, s, texts)
				j.room, j.verifyRoom = room, 3*room
				runTest(t, j)
				var largest, most int64
				for task := range j.Tasks(Meet) {
					r, err := j.record(Meet, task)
					if err != nil {
						t.Fatal(err)
					}
					largest, most = max(largest, r.Counts[countGroup]), max(most, r.Counts[countHeld])
				}
				if most > max(room, 2) {
					t.Errorf("%+v: %d postings are held at once where there is room for %d", s, most, room)
				}
				got, ofOne := candidatesOf(t, j)
				for task := range j.Tasks(Verify) {
					r, err := j.record(Verify, task)
					if err != nil {
						t.Fatal(err)
					}
					if n := r.Counts[countAtOnce]; n > max(j.verifyRoom, ofOne) {
						t.Errorf("%+v: %d candidates are held at once where there is room for %d, and a set has %d", s, n, j.verifyRoom, ofOne)
					}
				}
				if largest > room {
					cuts++
				}
				if !slices.Equal(got, want) {
					t.Errorf("seed %d, %+v, room for %d: %d candidates, want %d", seed, s, room, len(got), len(want))
				}
				if got := pairsOf(t, j); !reflect.DeepEqual(got, pairs) {
					t.Errorf("seed %d, %+v, room for %d: %d pairs, want %d", seed, s, room, len(got), len(pairs))
				}
				if got := membersOf(t, j); !reflect.DeepEqual(got, members) {
					t.Errorf("seed %d, %+v, room for %d: the groups differ", seed, s, room)
				}
				if left, _ := filepath.Glob(filepath.Join(dir, "*", "*.tmp")); len(left) > 0 {
					t.Errorf("files are left: %v", left)
				}
			}
		}
	}
	if cuts < 10 {
		t.Errorf("only %d jobs had a group to cut", cuts)
	}
}

// The candidates of a group are those of the definition, one pair after the other.
func TestGroupByDefinition(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 2))
		s := Settings{MinSim: []string{"0.1", "0.5", "2/3", "0.8", "1"}[seed%5], Measure: []string{"jaccard", "containment"}[seed%2]}
		rule, err := testPlan(t, s, 1).rule()
		if err != nil {
			t.Fatal(err)
		}
		list := make([][2]uint64, 1+r.IntN(60))
		for i := range list {
			size := 1 + r.IntN(12)
			list[i] = posting(1<<40, size, r.IntN(3), uint32(i), r.IntN(size))
			if r.IntN(20) == 0 {
				list[i][1] |= maxPlace // of a place that has no room
			}
		}
		want := map[[2]uint64]bool{}
		for i, x := range list {
			for _, y := range list[:i] {
				a, b := x[0]&0xffffffff, y[0]&0xffffffff
				need := rule.need(a, b)
				if left := func(size uint64, p [2]uint64) int64 { return int64(size) - int64(p[1]&maxPlace) }; need <= min(a, b) && left(a, x) >= int64(need) && left(b, y) >= int64(need) {
					want[[2]uint64{min(x[1]>>24, y[1]>>24), max(x[1]>>24, y[1]>>24)}] = true
				}
			}
		}
		cut := r.IntN(len(list) + 1)
		for name, join := range map[string]func(*meeting) error{
			"group": func(m *meeting) error {
				all := slices.Clone(list)
				sortPostings(all)
				return m.group(t.Context(), all)
			},
			"parts": func(m *meeting) error {
				a, b := slices.Clone(list[:cut]), slices.Clone(list[cut:])
				sortPostings(a)
				sortPostings(b)
				err := m.group(t.Context(), a)
				if err == nil {
					err = m.group(t.Context(), b)
				}
				if err == nil {
					err = m.cross(t.Context(), a, b)
				}
				return err
			},
		} {
			m := meeting{rule: rule, lists: make([][]uint64, 3)}
			if err := join(&m); err != nil {
				t.Fatal(err)
			}
			got := map[[2]uint64]bool{}
			for shard, of := range m.lists {
				for _, c := range of {
					a, b := uint64(lowerOf(c))<<16|uint64(shard), uint64(otherOf(c))<<16|c>>48
					got[[2]uint64{min(a, b), max(a, b)}] = true
				}
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("seed %d, %s of %d: %d candidates, want %d", seed, name, len(list), len(got), len(want))
			}
			if m.held != len(want) {
				t.Errorf("seed %d, %s of %d: %d candidates are added, of %d", seed, name, len(list), m.held, len(want))
			}
		}
	}
}

// BenchmarkGroup joins groups of sets of some 300 members that have a token in common: too late for
// any to be a pair, or anywhere in the prefix. What is written is left out.
func BenchmarkGroup(b *testing.B) {
	r, err := testPlan(b, Settings{MinSim: "0.8"}, 1).rule()
	if err != nil {
		b.Fatal(err)
	}
	for _, places := range [][2]int{{50, 60}, {0, 60}} {
		for _, n := range []int{10_000, 100_000, 1_000_000} {
			if places[0] == 0 && n > 10_000 {
				continue // candidates are its time
			}
			list := make([][2]uint64, n)
			rnd := rand.New(rand.NewPCG(1, 1))
			for i := range list {
				list[i] = posting(1<<40, 250+rnd.IntN(100), 0, uint32(i), places[0]+rnd.IntN(places[1]-places[0]))
			}
			b.Run(fmt.Sprintf("place=%d-%d/%d", places[0], places[1], n), func(b *testing.B) {
				var found int
				for b.Loop() {
					m := meeting{rule: r, lists: make([][]uint64, 1)}
					m.lists[0] = make([]uint64, 0, roomCandidates)
					all := slices.Clone(list)
					sortPostings(all)
					m.held = -1 << 40 // it is never full
					if err := m.group(b.Context(), all); err != nil {
						b.Fatal(err)
					}
					found = len(m.lists[0])
				}
				b.ReportMetric(float64(found), "candidates/op")
			})
		}
	}
}
