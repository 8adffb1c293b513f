// Documents for stores on full disks, and the process to kill there.

package engine_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/engine/internal/enginetest"
	"github.com/simdb/simdb/engine/internal/testmodel"
)

// Documents come in batches of fullBatch. The last of a batch is a near copy of the one before.
const fullBatch = 20

func fullID(batch, i int) string { return fmt.Sprintf("d%06d-%02d", batch, i) }

// fullText is a text of 300 words that no other document has, but for near copies.
func fullText(batch, i int) string {
	near := i == fullBatch-1
	if near {
		i--
	}
	r := rand.New(rand.NewPCG(uint64(batch*fullBatch+i), 7))
	var b strings.Builder
	for range 300 {
		fmt.Fprintf(&b, "%c%c%05d ", 'a'+r.IntN(26), 'a'+r.IntN(26), r.IntN(100000))
	}
	if near {
		b.WriteString("changed")
	}
	return b.String()
}

// putBatch puts a batch of documents into a collection.
func putBatch(db *engine.DB, collection string, batch int) error {
	var b engine.Batch
	for i := range fullBatch {
		b.Put(api.Document{Collection: collection, ID: fullID(batch, i), Text: fullText(batch, i)})
	}
	_, err := db.Commit(context.Background(), &b)
	return err
}

// deleteBatch deletes the documents of a batch but for every step-th.
func deleteBatch(db *engine.DB, batch, first, step int, erase bool) error {
	var b engine.Batch
	for i := first; i < fullBatch; i += step {
		if erase {
			b.Erase(api.DefaultCollection, fullID(batch, i))
		} else {
			b.Delete(api.DefaultCollection, fullID(batch, i))
		}
	}
	_, err := db.Commit(context.Background(), &b)
	return err
}

// fill puts batches from one on until the disk is full, and returns the first that was refused.
func fill(t *testing.T, db *engine.DB, collection string, batch int) int {
	t.Helper()
	for {
		err := putBatch(db, collection, batch)
		if (errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)) && !errors.Is(err, api.ErrPoisoned) {
			return batch
		}
		if err != nil {
			t.Fatalf("batch %d: %v, want a refusal with ENOSPC or EDQUOT", batch, err)
		}
		batch++
	}
}

// sameAsDefined compares a store with its definition: its documents, their pairs, check, and a search for
// some of them with brute force.
func sameAsDefined(t *testing.T, db *engine.DB, want map[string]string) {
	t.Helper()
	enginetest.SameDocuments(t, db, want)
	enginetest.CheckClean(t, db, "on a full disk")
	s, err := db.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	q := engine.Search{Min: api.Ratio(9, 10)}
	var pairs []string
	for id := range want {
		if a, near := strings.CutSuffix(id, fmt.Sprintf("-%02d", fullBatch-1)); near {
			if b := fmt.Sprintf("%s-%02d", a, fullBatch-2); want[b] != "" {
				pairs = append(pairs, b+" "+id)
			}
		}
	}
	slices.Sort(pairs)
	r, err := s.Pairs(context.Background(), q)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for p, err := range r.All {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, min(p.A, p.B)+" "+max(p.A, p.B))
	}
	slices.Sort(got)
	if !slices.Equal(got, pairs) {
		t.Errorf("%d pairs, want %d:\n%s", len(got), len(pairs), testmodel.Difference(got, pairs))
	}
	m := enginetest.ModelOf(api.Settings{}, want)
	q.Min = api.Ratio(1, 2)
	for _, id := range slices.Sorted(maps.Keys(want))[:20] {
		got, want := enginetest.SimilarRows(t, s, api.ByID(id), q), m.Similar(q, want[id], id)
		if !slices.Equal(got, want) {
			t.Errorf("similar to %s:\n%s", id, testmodel.Difference(got, want))
		}
	}
}

// fullKinds are the ways to empty a disk.
var fullKinds = []string{"delete half", "erase half", "delete a quarter", "drop"}

// emptyFullDisk fills a disk of some bytes with a store, and empties it. stored is what the files of the
// store take beside its reserve.
func emptyFullDisk(t *testing.T, dir string, o *engine.Options, kind string, size int64, stored func() int64) {
	ctx := context.Background()
	db, err := engine.Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	const dropped = "dropped"
	first := 0
	if kind == "drop" {
		if err := db.CreateCollection(ctx, dropped, api.Settings{}); err != nil {
			t.Fatal(err)
		}
		for ; stored() < size/2; first++ {
			if err := putBatch(db, dropped, first); err != nil {
				t.Fatal(err)
			}
		}
	}
	begun := time.Now()
	next := fill(t, db, "", first)
	full := stored()
	t.Logf("full with %d documents in %d bytes, after %v", next*fullBatch, full, time.Since(begun).Round(time.Millisecond))
	if full < size*3/4 {
		t.Errorf("%d bytes fill a disk of %d", full, size)
	}
	if err := db.Close(); err != nil {
		t.Fatalf("close on a full disk: %v", err)
	}
	begun = time.Now()
	if db, err = engine.Open(dir, o); err != nil {
		t.Fatalf("open on a full disk: %v", err)
	}
	opened := time.Now()
	want := map[string]string{}
	for batch := first; batch < next; batch++ {
		for i := range fullBatch {
			want[fullID(batch, i)] = fullText(batch, i)
		}
		from, step := 1, 2
		if kind == "drop" {
			continue
		} else if kind == "delete a quarter" {
			from, step = 3, 4
		}
		if err := deleteBatch(db, batch, from, step, kind == "erase half"); err != nil {
			t.Fatalf("%s, batch %d: %v", kind, batch, err)
		}
		for i := from; i < fullBatch; i += step {
			delete(want, fullID(batch, i))
		}
	}
	if kind == "drop" {
		if err := db.DropCollection(ctx, dropped); err != nil {
			t.Fatalf("drop on a full disk: %v", err)
		}
	}
	deleted := time.Now()
	if err := db.Compact(ctx); err != nil {
		t.Fatalf("compact on a full disk: %v", err)
	}
	t.Logf("opened in %v, deleted in %v, compacted in %v to %d bytes", opened.Sub(begun).Round(time.Millisecond),
		deleted.Sub(opened).Round(time.Millisecond), time.Since(deleted).Round(time.Millisecond), stored())
	if now := stored(); now >= full {
		t.Errorf("%d bytes before the deletion, %d after the compaction", full, now)
	}
	if n, err := db.Erasing(ctx); n > 0 || err != nil {
		t.Errorf("%d erasures are pending: %v", n, err)
	}
	for again := next; again < next+5; again++ {
		if err := putBatch(db, "", again); err != nil {
			t.Fatalf("put after the compaction: %v", err)
		}
		for i := range fullBatch {
			want[fullID(again, i)] = fullText(again, i)
		}
	}
	sameAsDefined(t, db, want)
	if err := db.Close(); err != nil {
		t.Error(err)
	}
}

// victimFull makes a killed process the one of TestKilledOnAFullDisk.
const victimFull = "SIMDB_TEST_VICTIM_FULL"

// fullVictimOptions returns options of a store with a history, which a full disk must bound.
func fullVictimOptions() *engine.Options {
	return &engine.Options{KeepLog: &api.KeepLog{Bytes: 2 << 20}}
}

// fullGrouping puts near copies into groups.
var fullGrouping = api.Grouping{Name: "near", Collection: api.DefaultCollection, Min: api.Ratio(1, 2), Keep: api.KeepFirst}

// putVictimBatch puts a batch of documents, and a copy of the first, which the ledger notes.
func putVictimBatch(db *engine.DB, batch int) error {
	var b engine.Batch
	for i := range fullBatch {
		b.Put(api.Document{ID: fullID(batch, i), Text: fullText(batch, i)})
	}
	b.PutUnlessSimilar(api.Document{ID: fullID(batch, fullBatch), Text: fullText(batch, 0) + "like"}, engine.Search{Min: api.Ratio(9, 10)})
	_, err := db.Commit(context.Background(), &b)
	return err
}

// fullVictim fills a disk, deletes half of the documents, compacts, and so on. It prints what it begins and
// what it has done.
func fullVictim(dir string) error {
	ctx := context.Background()
	fmt.Println("open.")
	db, err := engine.Open(dir, fullVictimOptions())
	if err != nil {
		return err
	}
	if err := db.CreateCollection(ctx, api.DefaultCollection, api.Settings{Ledger: true}); err != nil && !errors.Is(err, api.ErrExists) {
		return err
	}
	if err := db.CreateGroups(ctx, fullGrouping); err != nil && !errors.Is(err, api.ErrExists) {
		return err
	}
	go func() {
		for range time.Tick(5 * time.Millisecond) {
			fmt.Println("tick.")
		}
	}()
	state, err := fullState(db)
	if err != nil {
		return err
	}
	next := 0
	for batch := range state {
		next = max(next, batch+1)
	}
	for {
		for err == nil {
			fmt.Printf("put %d.\n", next)
			if err = putVictimBatch(db, next); err == nil {
				fmt.Printf("has %d.\n", next)
				state[next] = fullBatch
				next++
			}
		}
		if !errors.Is(err, syscall.ENOSPC) {
			return err
		}
		for _, batch := range slices.Sorted(maps.Keys(state)) {
			from, step, left := 1, 2, fullBatch/2
			if state[batch] != fullBatch {
				from, step, left = 0, 1, 0
			}
			fmt.Printf("delete %d.\n", batch)
			if err := deleteBatch(db, batch, from, step, false); err != nil {
				return err
			}
			fmt.Printf("left %d %d.\n", batch, left)
			if state[batch] = left; left == 0 {
				delete(state, batch)
			}
		}
		if err = db.Compact(ctx); err != nil {
			return err
		}
	}
}

// fullState counts the documents of each batch, and compares their texts.
func fullState(db *engine.DB) (map[int]int, error) {
	state := map[int]int{}
	s, err := db.Snapshot()
	if err != nil {
		return nil, err
	}
	defer s.Close()
	for d, err := range s.Documents(context.Background(), "") {
		if errors.Is(err, api.ErrNoCollection) {
			return state, nil
		}
		if err != nil {
			return nil, err
		}
		var batch, i int
		if _, err := fmt.Sscanf(d.ID, "d%d-%d", &batch, &i); err != nil || d.Text != fullText(batch, i) {
			return nil, fmt.Errorf("document %q is another: %v", d.ID, err)
		}
		state[batch]++
	}
	return state, nil
}

// The same as TestFullDisk on a file system that the test limits, where nothing can be mounted.
func TestLimitedDisk(t *testing.T) {
	t.Parallel()
	for _, kind := range fullKinds {
		t.Run(kind, func(t *testing.T) {
			disk := enginetest.NewLimited(4 << 20)
			o := enginetest.WithHooks(&engine.Options{SegmentSets: 64}, disk, 64<<10)
			emptyFullDisk(t, "db", o, kind, 4<<20, func() int64 { return disk.Used("RESERVE") })
		})
	}
	t.Run("quota of a project", func(t *testing.T) {
		disk := enginetest.NewLimited(4 << 20)
		disk.Full = syscall.EDQUOT
		o := enginetest.WithHooks(&engine.Options{SegmentSets: 64}, disk, 64<<10)
		emptyFullDisk(t, "db", o, "delete half", 4<<20, func() int64 { return disk.Used("RESERVE") })
	})
}

// On a disk that reports only at a sync that it is full, a put fails and poisons the store, for the
// system may have dropped the data. The store opens again, with everything acknowledged.
func TestFullAtSync(t *testing.T) {
	t.Parallel()
	for _, full := range []error{syscall.ENOSPC, syscall.EDQUOT} {
		disk := enginetest.NewLimited(2 << 20)
		disk.Full, disk.AtSync = full, true
		o := enginetest.WithHooks(&engine.Options{SegmentSets: 64}, disk, 64<<10)
		db := enginetest.Open(t, o)
		batch, err := -1, error(nil)
		for err == nil {
			batch++
			err = putBatch(db, "", batch)
		}
		t.Logf("%d batches, then %v", batch, err)
		if !errors.Is(err, full) {
			t.Errorf("put on a full disk: %v, want %v", err, full)
		}
		if err := db.Close(); !errors.Is(err, api.ErrPoisoned) {
			t.Errorf("close: %v, want ErrPoisoned", err)
		}
		db = enginetest.Open(t, o)
		stored, err := fullState(db)
		if err != nil {
			t.Fatal(err)
		}
		if stored[batch] == fullBatch {
			batch++ // not acknowledged, but stored
		}
		want := map[string]string{}
		for n := range batch {
			for i := range fullBatch {
				want[fullID(n, i)] = fullText(n, i)
			}
		}
		sameAsDefined(t, db, want)
		db.Close()
	}
}
