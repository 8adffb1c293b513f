// Salvage: each file of a store is removed, zeroed, cut and flipped in turn. What is in
// the others comes back, and nothing wrong.

package salvage_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/engine/internal/enginetest"
	"github.com/simdb/simdb/engine/internal/testmodel"
	"github.com/simdb/simdb/internal/torture"
)

// manyFiles is a store of three collections with several tables, some documents replaced
// and deleted, and the last only in the log, as a crash leaves it.
func manyFiles(t *testing.T, keep *api.KeepLog) (image *vfs.MemFS, want map[string]string, ever map[string]bool) {
	t.Helper()
	ctx := context.Background()
	disk := vfs.NewCrashableMem()
	o := enginetest.Options(disk)
	*enginetest.MemTableBytes(o), o.KeepLog = 64<<10, keep
	db := enginetest.Open(t, o)
	for name, s := range map[string]api.Settings{"words": {Words: true, Index: "n"}, "own": {Unit: "token", K: 1}} {
		if err := db.CreateCollection(ctx, name, s); err != nil {
			t.Fatal(err)
		}
	}
	want, ever = map[string]string{}, map[string]bool{}
	g := &testmodel.Texts{Rng: rand.New(rand.NewPCG(5, 6))}
	put := func(collection string, i, version int) {
		d := api.Document{Collection: collection, ID: fmt.Sprintf("%s%d", collection, i), Text: fmt.Sprint(version, " ", g.Next()), Meta: api.Meta{"n": i, "v": version}}
		if collection == "own" {
			d.Tokens = []string{"a", fmt.Sprint(i)}
		}
		if err := db.Put(ctx, d); err != nil {
			t.Fatal(err)
		}
		want[collection+"/"+d.ID] = described(d)
		ever[d.ID+described(d)] = true
		d.Meta = nil // told as lost, where the record is
		ever[d.ID+described(d)] = true
	}
	for i := range 150 {
		put([]string{"docs", "words", "own"}[i%3], i, 1)
		if i%60 == 50 {
			if err := enginetest.Disk(db).Flush(ctx); err != nil {
				t.Fatal(err)
			}
		}
	}
	enginetest.Settled(t, db)
	if err := db.Compact(ctx); err != nil {
		t.Fatal(err)
	}
	for i := 150; i < 300; i++ {
		put([]string{"docs", "words", "own"}[i%3], i, 1)
		if i%20 == 10 {
			if err := enginetest.Disk(db).Flush(ctx); err != nil {
				t.Fatal(err)
			}
		}
	}
	for i := 0; i < 300; i += 30 { // both in tables and in the log
		put("docs", i, 2)
		if err := db.Delete(ctx, "words", fmt.Sprint("words", i+1)); err != nil {
			t.Fatal(err)
		}
		delete(want, fmt.Sprint("words/words", i+1))
		if i == 150 {
			if err := enginetest.Disk(db).Flush(ctx); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := db.UpdateMeta(ctx, "docs", "docs3", api.Meta{"more": "yes"}); err != nil {
		t.Fatal(err)
	}
	s, err := db.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	d, err := s.Get("docs", "docs3")
	if err := errors.Join(err, s.Close()); err != nil {
		t.Fatal(err)
	}
	want["docs/docs3"] = described(d)
	ever["docs3"+described(d)] = true
	testmodel.Within(t, "compacting", func() { // no table is half written
		for m := enginetest.Disk(db).Pebble().Metrics(); m.Compact.NumInProgress+m.Flush.NumInProgress > 0; m = enginetest.Disk(db).Pebble().Metrics() {
			time.Sleep(time.Millisecond)
		}
	})
	image = disk.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 100, RNG: rand.New(rand.NewPCG(1, 2))})
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return image, want, ever
}

func described(d api.Document) string { return fmt.Sprintf("%q %v %v", d.Text, d.Tokens, d.Meta) }

// salvaged is what came out of a store, by collection and id, and what was told as lost.
func salvaged(t *testing.T, disk *vfs.MemFS) (got map[string]string, lost []string) {
	t.Helper()
	ctx := context.Background()
	before := enginetest.FilesOf(t, disk, "db")
	o := enginetest.Options(disk)
	_, err := engine.Salvage(ctx, "db", "new", o, func(what string) { lost = append(lost, what) })
	if err != nil {
		t.Fatal(err)
	}
	if !maps.EqualFunc(before, enginetest.FilesOf(t, disk, "db"), bytes.Equal) {
		t.Error("salvage has changed the store")
	}
	db, err := engine.Open("new", o)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	enginetest.CheckClean(t, db, "salvaged")
	s, err := db.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	got = map[string]string{}
	for _, c := range s.Collections() {
		for d, err := range s.Documents(ctx, c.Name) {
			if err != nil {
				t.Fatal(err)
			}
			got[c.Name+"/"+d.ID] = described(d)
		}
	}
	return got, lost
}

func TestSalvage(t *testing.T) {
	t.Parallel()
	enginetest.WithoutRaces(t)
	image, want, ever := manyFiles(t, nil)
	got, lost := salvaged(t, enginetest.Damaged(t, image, enginetest.LockPath, []byte{}))
	if !maps.Equal(got, want) || len(lost) > 0 {
		t.Fatalf("of a whole store %d of %d documents came, lost %q", len(got), len(want), lost)
	}
	files := enginetest.FilesOf(t, image, "db")
	whole, part := 0, 0
	var removed struct{ files, whole, came, documents int }
	for i, path := range slices.Sorted(maps.Keys(files)) {
		b := files[path]
		flipped := bytes.Clone(b)
		flipped[len(b)/2] ^= 4
		all := map[string][]byte{"removed": nil, "emptied": {}, "zeroed": make([]byte, len(b)), "cut": b[:len(b)/2], "flipped": flipped}
		for j, what := range slices.Sorted(maps.Keys(all)) {
			if (i+j)%torture.Few(5, 1) > 0 {
				continue
			}
			spoilt := all[what]
			got, lost := salvaged(t, enginetest.Damaged(t, image, path, spoilt))
			for id, d := range got {
				if _, id, _ := strings.Cut(id, "/"); !ever[id+d] {
					t.Errorf("%s %s: document %s was never %.80s", path, what, id, d)
				}
			}
			if what == "removed" {
				removed.files++
				removed.documents += len(want)
				for id, d := range want {
					if got[id] == d {
						removed.came++
					}
				}
				if maps.Equal(got, want) {
					removed.whole++
				}
			}
			if maps.Equal(got, want) {
				whole++
				continue
			}
			part++
			if len(lost) == 0 || !strings.HasSuffix(path, ".sst") && !strings.HasSuffix(path, ".log") {
				t.Errorf("%s %s: %d documents came of %d, told %q", path, what, len(got), len(want), lost)
			}
		}
	}
	t.Logf("%d files, %d times all came back, %d times a part", len(files), whole, part)
	t.Logf("one of %d files removed: %d times all came back; %d documents of %d in all", removed.files, removed.whole, removed.came, removed.documents)
	torture.Report(t, "S1", whole+part)
}

// A store that keeps its log has every record twice: whichever table is lost, and all of
// them, every document comes back as it was.
func TestSalvageByHistory(t *testing.T) {
	enginetest.WithoutRaces(t)
	image, want, _ := manyFiles(t, &api.KeepLog{Age: time.Hour})
	tables := vfs.NewMem()
	if _, err := vfs.Clone(image, tables, "db", "db"); err != nil {
		t.Fatal(err)
	}
	removed := 0
	for path := range enginetest.FilesOf(t, image, "db") {
		if !strings.HasSuffix(path, ".sst") {
			continue
		}
		removed++
		got, _ := salvaged(t, enginetest.Damaged(t, image, path, nil))
		if !maps.Equal(got, want) {
			t.Errorf("without %s %d of %d documents came back as they were", path, same(got, want), len(want))
		}
		if err := tables.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	if got, _ := salvaged(t, enginetest.Damaged(t, tables, enginetest.LockPath, []byte{})); removed < 10 || !maps.Equal(got, want) {
		t.Errorf("without %d tables %d of %d documents came back as they were", removed, same(got, want), len(want))
	}
}

func same(got, want map[string]string) (n int) {
	for id, d := range want {
		if got[id] == d {
			n++
		}
	}
	return n
}
