// What callers keep of a store holds for what is salvaged of it: marks, positions in the
// history, backups that grow.

package engine_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/engine/internal/enginetest"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/engine/internal/testmodel"
	"github.com/simdb/simdb/internal/keys"
)

// A store that crashed is salvaged. By each mark all pairs are new that were before, the history
// has the same changes and goes on, and a backup of the old store takes the records of the
// new one.
func TestSalvageKeepsMarksAndHistory(t *testing.T) {
	ctx := context.Background()
	fs := vfs.NewCrashableMem()
	o := enginetest.Options(fs)
	o.KeepLog = &api.KeepLog{Age: time.Hour}
	db := enginetest.Open(t, o)
	g := &testmodel.Texts{Rng: rand.New(rand.NewPCG(3, 79))}
	var marks []string
	for i := range 120 {
		if err := db.Put(ctx, api.Document{ID: fmt.Sprint("d", g.Rng.IntN(60)), Text: g.Next()}); err != nil {
			t.Fatal(err)
		}
		if i%10 == 0 {
			mark, err := db.Mark(ctx)
			if err != nil {
				t.Fatal(err)
			}
			marks = append(marks, mark)
		}
		switch i {
		case 40:
			if err := db.Checkpoint(ctx, "backup"); err != nil {
				t.Fatal(err)
			}
		case 80:
			if err := enginetest.Disk(db).Flush(ctx); err != nil {
				t.Fatal(err)
			}
		}
	}
	q := engine.Search{Measure: api.Jaccard, Min: api.Ratio(1, 3)}
	since := func(db *engine.DB) (all [][]string) {
		s := enginetest.SnapshotOf(t, db)
		defer s.Close()
		for _, q.Since = range marks {
			all = append(all, enginetest.PairRows(t, s, q))
		}
		return all
	}
	want := since(db)
	image := enginetest.Damaged(t, fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 100, RNG: g.Rng}), enginetest.LockPath, []byte{})
	if ok, err := vfs.Clone(fs, image, "backup", "backup"); err != nil || !ok {
		t.Fatalf("%v, %v", ok, err)
	}
	changes := changesOf(t, image)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	o = enginetest.Options(image)
	if _, err := engine.SalvageInPlace(ctx, "db", o, func(what string) { t.Error(what) }); err != nil {
		t.Fatal(err)
	}
	db = enginetest.Open(t, o)
	for i, rows := range since(db) {
		for _, row := range want[i] {
			if !slices.Contains(rows, row) {
				t.Errorf("by mark %d the pair %s is not new", i, row)
			}
		}
	}
	if again := changesOf(t, image); len(changes) < 120 || !slices.Equal(again, changes) {
		t.Errorf("the history has %d changes, had %d", len(again), len(changes))
	}
	if err := db.Put(ctx, api.Document{ID: "new", Text: enginetest.Nine}); err != nil {
		t.Fatal(err)
	}
	if again := changesOf(t, image); len(again) != len(changes)+1 || !slices.Equal(again[:len(changes)], changes) {
		t.Errorf("after a put the history has %d changes, had %d", len(again), len(changes))
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if e, err := enginetest.ExtendBackup(ctx, image, "db", "backup"); err != nil {
		t.Fatalf("%+v, %v", e, err)
	}
	if was, is := documentsAt(t, o, "backup"), documentsAt(t, o, "db"); len(is) < 40 || !slices.Equal(was, is) {
		t.Errorf("the backup has %d documents, the store %d", len(was), len(is))
	}
}

func changesOf(t *testing.T, fs vfs.FS) (all []string) {
	t.Helper()
	for c, err := range enginetest.Tail(context.Background(), fs, "db", api.TailOptions{}) {
		if err != nil {
			t.Fatal(err)
		}
		line, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, string(line))
	}
	return all
}

func documentsAt(t *testing.T, o *engine.Options, dir string) (all []string) {
	t.Helper()
	db, err := engine.Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	s := enginetest.SnapshotOf(t, db)
	defer s.Close()
	for d, err := range s.Documents(context.Background(), api.DefaultCollection) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, fmt.Sprintf("%s %q %v", d.ID, d.Text, d.Meta))
	}
	return all
}

// Where a table or the end of the log is lost, nobody can tell which numbers of sets were given.
// By an older mark all documents are new then, and no backup takes what follows for its own.
func TestSalvageOfLostNumbers(t *testing.T) {
	ctx := context.Background()
	fs := vfs.NewMem()
	o := enginetest.Options(fs)
	o.KeepLog = &api.KeepLog{Age: time.Hour}
	db := enginetest.Open(t, o)
	for i := range 20 {
		if err := db.Put(ctx, api.Document{ID: fmt.Sprint(i), Text: fmt.Sprint("one two three four five six seven ", i)}); err != nil {
			t.Fatal(err)
		}
		if i == 10 {
			if err := enginetest.Disk(db).Flush(ctx); err != nil {
				t.Fatal(err)
			}
			if err := db.Checkpoint(ctx, "backup"); err != nil {
				t.Fatal(err)
			}
		}
	}
	mark, err := db.Mark(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	tables, err := fs.List("db/store")
	if err != nil {
		t.Fatal(err)
	}
	lostTables := 0
	for _, name := range tables {
		if !strings.HasSuffix(name, ".sst") {
			continue
		}
		lostTables++
		image := enginetest.Damaged(t, fs, "db/store/"+name, nil)
		var lost []string
		o := enginetest.Options(image)
		if _, err := engine.SalvageInPlace(ctx, "db", o, func(what string) { lost = append(lost, what) }); err != nil {
			t.Fatal(err)
		}
		if len(lost) == 0 {
			t.Errorf("without %s nothing is told", name)
		}
		db := enginetest.Open(t, o)
		s := enginetest.SnapshotOf(t, db)
		q := engine.Search{Measure: api.Jaccard, Min: api.Ratio(1, 3)}
		all := enginetest.PairRows(t, s, q)
		q.Since = mark
		if rows := enginetest.PairRows(t, s, q); !slices.Equal(rows, all) {
			t.Errorf("without %s %d of %d pairs are new", name, len(rows), len(all))
		}
		s.Close()
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if lostTables == 0 {
		t.Error("there is no table")
	}
}

// A number that a enginetest.Damaged store claims takes no memory: sets are numbered anew.
func TestSalvageOfHugeNumbers(t *testing.T) {
	ctx := context.Background()
	fs := vfs.NewMem()
	want := damagedLater(t, 9, fs)
	changeKeys(t, fs, keys.Document, keyChange{"", func(b *pebble.Batch, i int, key, value []byte) error {
		d, err := record.DecodeDocumentRecord(value[:len(value)-4])
		if i%20 == 0 {
			d.Set = record.NoSet - 1 - uint32(i)
		}
		return errors.Join(err, sealedIn(b, key, d.Encode()))
	}})
	var lost []string
	done, err := engine.SalvageInPlace(ctx, "db", smallOptions(fs), func(what string) { lost = append(lost, what) })
	if err != nil {
		t.Fatalf("%+v, %v, lost %q", done, err, lost)
	}
	got, err := saidBy(fs, nil)
	if err != nil || got != want {
		t.Errorf("other answers, %v", err)
	}
	db := enginetest.Open(t, smallOptions(fs))
	defer db.Close()
	for _, name := range []string{"docs", "texts"} {
		if c := enginetest.Collection(t, db, name); c.Table.Len() > 1<<21 {
			t.Errorf("%s: the next set is %d", name, c.Table.Len())
		}
	}
}

// What was to be erased has no trace in the new store, neither in its history nor in a ledger,
// and does not come back from a table.
func TestSalvageErases(t *testing.T) {
	ctx := context.Background()
	fs := vfs.NewCrashableMem()
	o := enginetest.Options(fs)
	o.KeepLog = &api.KeepLog{Age: time.Hour}
	db := enginetest.Open(t, o)
	for _, id := range []string{"stays", "quite-secret"} {
		if err := db.Put(ctx, api.Document{ID: id, Text: enginetest.Nine}); err != nil {
			t.Fatal(err)
		}
	}
	if err := enginetest.Disk(db).Flush(ctx); err != nil {
		t.Fatal(err)
	}
	if err := db.Erase(ctx, "", "quite-secret"); err != nil {
		t.Fatal(err)
	}
	image := enginetest.Damaged(t, fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 100, RNG: rand.New(rand.NewPCG(1, 2))}), enginetest.LockPath, []byte{})
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	done, err := engine.SalvageInPlace(ctx, "db", enginetest.Options(image), func(what string) { t.Error(what) })
	if err != nil || done.Documents != 1 {
		t.Fatalf("%+v, %v", done, err)
	}
	for path, b := range enginetest.FilesOf(t, image, "db") {
		if bytes.Contains(b, []byte("quite-secret")) {
			t.Errorf("%s has what was erased", path)
		}
	}
	if changes := changesOf(t, image); len(changes) == 0 {
		t.Error("the history is gone")
	}
}
