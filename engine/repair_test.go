// Repair: whatever is damaged of what is derived, everything is made anew, and answers are
// those of the documents. No crash loses a document.

package engine_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/enginetest"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/engine/internal/testmodel"
	"github.com/simdb/simdb/internal/keys"
)

// repairable are the settings of the collections that tests of Repair damage.
var repairable = map[string]api.Settings{
	"docs":  {},
	"texts": func() api.Settings { s := testmodel.KeepsAll; s.Index = "batch"; return s }(),
}

// repairOptions make many small batches of a repair.
func repairOptions(fs vfs.FS) *engine.Options {
	o := enginetest.FaultyOptions(fs)
	o.MemoryBytes, *enginetest.MemTableBytes(o) = 128<<10, 8<<10
	return o
}

// eachValue goes through the values under a prefix.
func eachValue(p *pebble.DB, prefix []byte, yield func(key, value []byte) error) error {
	return disk.Scan(p, prefix, func(key, value []byte) error { return yield(bytes.Clone(key), bytes.Clone(value)) })
}

// damagedLater makes a store of some churn, closes it, and returns what it answers.
func damagedLater(t *testing.T, seed uint64, disk vfs.FS) (want string) {
	t.Helper()
	ctx := context.Background()
	db := enginetest.Open(t, repairOptions(disk))
	models := map[string]*testmodel.Model{}
	for _, name := range slices.Sorted(maps.Keys(repairable)) {
		s := repairable[name]
		if err := db.CreateCollection(ctx, name, s); err != nil {
			t.Fatal(err)
		}
		models[name] = testmodel.NewModel(enginetest.AnalysisOf(s))
	}
	rng := rand.New(rand.NewPCG(seed, 48))
	g := &testmodel.Texts{Rng: rng, Prose: true}
	for i := range 90 {
		name := []string{"docs", "texts"}[rng.IntN(2)]
		id := fmt.Sprintf("d%02d", rng.IntN(40))
		if rng.IntN(5) == 0 {
			var b engine.Batch
			b.Delete(name, id)
			if _, err := db.Commit(ctx, &b); err != nil {
				t.Fatal(err)
			}
			models[name].Delete(id)
			continue
		}
		text := g.Next()
		if err := db.Put(ctx, api.Document{Collection: name, ID: id, Text: text, Meta: api.Meta{"batch": i % 9}}); err != nil {
			t.Fatal(err)
		}
		models[name].Put(id, text)
	}
	enginetest.Settled(t, db)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	want, err := saidBy(disk, models)
	if err != nil {
		t.Fatal(err)
	}
	return want
}

// saidBy is what a store says that is clean: its documents, and their pairs by every
// measure. Models, if there are, must say the same.
func saidBy(disk vfs.FS, models map[string]*testmodel.Model) (answers string, err error) {
	ctx := context.Background()
	db, err := engine.Open("db", repairOptions(disk))
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	report, err := enginetest.Inside(db).Check(ctx, nil, false)
	if err != nil || report.Found > 0 {
		return "", fmt.Errorf("check: %w %+v", err, report)
	}
	s, err := db.Snapshot()
	if err != nil {
		return "", err
	}
	defer s.Close()
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(repairable)) {
		for d, err := range s.Documents(ctx, name) {
			if err != nil {
				return "", err
			}
			fmt.Fprintf(&b, "%s/%s %q %v\n", name, d.ID, d.Text, d.Meta)
		}
		for _, m := range enginetest.Methods(repairable[name]) {
			q := engine.Search{In: []string{name}, Measure: m.Measure, Args: m.Args, Min: api.Ratio(1, 2)}
			rows, err := enginetest.PairsOrError(ctx, s, q)
			if err != nil {
				return "", err
			}
			if models != nil {
				if want := models[name].Pairs(q); !slices.Equal(rows, want) {
					return "", fmt.Errorf("%s by %v:\n%s", name, m, testmodel.Difference(rows, want))
				}
			}
			fmt.Fprintln(&b, name, m, rows)
		}
	}
	return b.String(), nil
}

// repaired repairs a store and holds it against what it answered.
func repaired(t *testing.T, what string, disk vfs.FS, want string) *api.RepairReport {
	t.Helper()
	r, err := engine.Repair(context.Background(), "db", repairOptions(disk))
	if err != nil {
		t.Errorf("%s: %v", what, err)
		return nil
	}
	if r.Left.Found > 0 {
		t.Errorf("%s: left is %+v", what, r.Left.Problems[0])
		return r
	}
	got, err := saidBy(disk, nil)
	if err != nil || got != want {
		t.Errorf("%s: other answers than before, %v\n%s", what, err, testmodel.Difference(strings.Split(got, "\n"), strings.Split(want, "\n")))
	}
	return r
}

// keyChange is a change of keys and values below Pebble's checksums.
type keyChange struct {
	what string
	do   func(b *pebble.Batch, i int, key, value []byte) error
}

var keyChanges = []keyChange{
	{"removed", func(b *pebble.Batch, _ int, key, _ []byte) error { return b.Delete(key, nil) }},
	{"every third removed", func(b *pebble.Batch, i int, key, _ []byte) error {
		if i%3 != 0 {
			return nil
		}
		return b.Delete(key, nil)
	}},
	{"changed", func(b *pebble.Batch, i int, key, value []byte) error {
		if len(value) == 0 {
			return b.Set(key, []byte{1}, nil)
		}
		v := bytes.Clone(value)
		v[i%len(v)] ^= 0x11
		return b.Set(key, v, nil)
	}},
	{"added", func(b *pebble.Batch, i int, key, value []byte) error {
		k := bytes.Clone(key)
		k[len(k)-1-i%2] ^= 0x21
		return b.Set(k, value, nil)
	}},
}

// changedKeys is a copy of a closed store with the values of a key space changed.
func changedKeys(t *testing.T, disk *vfs.MemFS, space keys.Space, c keyChange) *vfs.MemFS {
	t.Helper()
	out := enginetest.Damaged(t, disk, enginetest.LockPath, []byte{})
	changeKeys(t, out, space, c)
	return out
}

func changeKeys(t *testing.T, disk vfs.FS, space keys.Space, c keyChange) {
	t.Helper()
	all := enginetest.ValuesOf(t, disk, space)
	enginetest.Underneath(t, disk, func(p *pebble.DB) error {
		b := p.NewBatch()
		for i, kv := range all {
			if err := c.do(b, i, kv[0], kv[1]); err != nil {
				return err
			}
		}
		return b.Commit(pebble.NoSync)
	})
}

func TestRepairOfDerived(t *testing.T) {
	t.Parallel()
	disk := vfs.NewMem()
	want := damagedLater(t, 1, disk)
	if r := repaired(t, "nothing", enginetest.Damaged(t, disk, enginetest.LockPath, []byte{}), want); r.Rebuilt || r.Found.Found > 0 {
		t.Errorf("a whole store was repaired of %+v", r.Found)
	}
	all := append(slices.Clone(keys.Derived), keys.Counters)
	rebuilt := 0
	for two := range slices.Chunk(all, 2) { // each in one way, and all in each
		spoilt := enginetest.Damaged(t, disk, enginetest.LockPath, []byte{})
		for _, space := range two {
			changeKeys(t, spoilt, space, keyChanges[int(space)%len(keyChanges)])
		}
		if r := repaired(t, fmt.Sprintf("key spaces %#x", two), spoilt, want); r != nil && r.Rebuilt {
			rebuilt++
		}
	}
	if rebuilt < 6 { // of the last two, manifest and order, Open takes care
		t.Errorf("only %d damaged stores were rebuilt", rebuilt)
	}
	for _, c := range keyChanges {
		spoilt := enginetest.Damaged(t, disk, enginetest.LockPath, []byte{})
		for _, space := range all {
			changeKeys(t, spoilt, space, c)
		}
		if r := repaired(t, "everything derived "+c.what, spoilt, want); r != nil && !r.Rebuilt {
			t.Errorf("everything derived %s: nothing was amiss", c.what)
		}
	}
}

// Counters that are wrong, but sealed, are counted anew.
func TestRepairOfCounters(t *testing.T) {
	disk := vfs.NewMem()
	want := damagedLater(t, 2, disk)
	for what, spoil := range map[string]func(*record.Counters){
		"documents": func(c *record.Counters) { c.Documents++ },
		"sets":      func(c *record.Counters) { c.Sets = 1 },
		"next":      func(c *record.Counters) { c.Next /= 2 },
		"greater":   func(c *record.Counters) { c.Next += 1000 },
	} {
		repaired(t, what, changedKeys(t, disk, keys.Counters, keyChange{what, func(b *pebble.Batch, _ int, key, value []byte) error {
			c, err := record.DecodeCounters(value[:len(value)-4])
			spoil(&c)
			return errors.Join(err, sealedIn(b, key, c.Encode()))
		}}), want)
	}
}

func sealedIn(b *pebble.Batch, key, value []byte) error { return disk.SetSealed(b, key, value) }

// Documents that lie under a set of another text, with a good seal, come to their own.
func TestRepairOfSets(t *testing.T) {
	disk := vfs.NewMem()
	want := damagedLater(t, 3, disk)
	rng := rand.New(rand.NewPCG(3, 3))
	for range 2 {
		move := func(wholly bool) keyChange {
			return keyChange{"moved", func(b *pebble.Batch, _ int, key, value []byte) error {
				if rng.IntN(3) > 0 {
					return nil
				}
				n, id, err := keys.Numbers(key, 2)
				to := []uint32{uint32(rng.IntN(60)), uint32(rng.IntN(200)), record.NoSet}[rng.IntN(3)]
				moved := keys.WithID(keys.Of(keys.Text, n[0], to), string(id))
				if bytes.Equal(moved, key) {
					return nil
				}
				if wholly {
					err = errors.Join(err, b.Delete(key, nil))
				}
				return errors.Join(err, sealedIn(b, moved, value[:len(value)-4]))
			}}
		}
		repaired(t, "texts moved", changedKeys(t, disk, keys.Text, move(true)), want)
		repaired(t, "texts doubled", changedKeys(t, disk, keys.Text, move(false)), want)
	}
	repaired(t, "records changed", changedKeys(t, disk, keys.Document, keyChange{"", func(b *pebble.Batch, i int, key, value []byte) error {
		d, err := record.DecodeDocumentRecord(value[:len(value)-4])
		d.Set, d.Joined = uint32(rng.IntN(60)), rng.IntN(2) == 0
		return errors.Join(err, sealedIn(b, key, d.Encode()))
	}}), want)
}

// What cannot be derived is named, and all else is repaired.
func TestRepairNamesWhatIsLost(t *testing.T) {
	ctx := context.Background()
	disk := vfs.NewMem()
	damagedLater(t, 4, disk)
	for _, space := range []keys.Space{keys.Text, keys.Document} {
		for _, c := range []keyChange{keyChanges[0], keyChanges[2]} {
			victim := 5
			spoilt := changedKeys(t, disk, space, keyChange{"", func(b *pebble.Batch, i int, key, value []byte) error {
				if i != victim {
					return nil
				}
				return c.do(b, i, key, value)
			}})
			what := fmt.Sprintf("key space %#x %s", space, c.what)
			first, err := engine.Repair(ctx, "db", repairOptions(spoilt))
			if space == keys.Document && c.what == "removed" { // STATE has counted it
				if !errors.Is(err, api.ErrCorrupt) {
					t.Errorf("%s: %v, want ErrCorrupt", what, err)
				}
				continue
			}
			// The set of a document whose record cannot be read is left over with it.
			if err != nil || first.Left.Found == 0 || first.Left.Found > 8 {
				t.Errorf("%s: %v, left %+v", what, err, first)
				continue
			}
			second, err := engine.Repair(ctx, "db", repairOptions(spoilt))
			if err != nil || !slices.Equal(second.Left.Problems, first.Left.Problems) {
				t.Errorf("%s: repaired again: %v, left %+v, at first %+v", what, err, second, first)
			}
			if space == keys.Document {
				continue
			}
			db := enginetest.Open(t, repairOptions(spoilt)) // its document can be replaced
			p := first.Left.Problems[slices.IndexFunc(first.Left.Problems, func(p api.Problem) bool { return p.ID != "" })]
			if err := db.Put(ctx, api.Document{Collection: p.Collection, ID: p.ID, Text: "a new text for it"}); err != nil {
				t.Errorf("%s: %v", what, err)
			}
			enginetest.CheckClean(t, db, what)
			if err := db.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// Posting files are damaged, and a table of Pebble's that holds nothing but derived keys.
func TestRepairOfFiles(t *testing.T) {
	disk := vfs.NewMem()
	want := damagedLater(t, 5, disk)
	for path, b := range enginetest.FilesOf(t, disk, "db") {
		if strings.HasSuffix(path, ".seg") {
			spoilt := bytes.Clone(b)
			for at := 100; at < len(b); at += 1000 {
				spoilt[at] ^= 0x10
			}
			repaired(t, path, enginetest.Damaged(t, disk, path, spoilt), want)
		}
	}
	before := enginetest.FilesOf(t, disk, "db")
	p, err := pebble.Open(enginetest.PebbleDir, &pebble.Options{FS: disk, FormatMajorVersion: pebble.FormatValueSeparation, DisableWAL: true,
		Logger: enginetest.Silent{}, DisableAutomaticCompactions: true})
	if err != nil {
		t.Fatal(err)
	}
	again := p.NewBatch()
	err = eachValue(p, keys.Of(keys.Set), func(key, value []byte) error { return again.Set(key, value, nil) })
	if err := errors.Join(err, again.Commit(pebble.NoSync), p.Flush(), p.Close()); err != nil {
		t.Fatal(err)
	}
	tables := 0
	for path, b := range enginetest.FilesOf(t, disk, "db") {
		if !strings.HasSuffix(path, ".sst") || before[path] != nil {
			continue
		}
		tables++
		for at := range min(len(b)/2, 3000) {
			b[at] ^= 0x55
		}
		if r := repaired(t, path, enginetest.Damaged(t, disk, path, b), want); r != nil && !r.Rebuilt {
			t.Errorf("%s cannot be read, and nothing was amiss", path)
		}
	}
	if tables != 1 {
		t.Errorf("%d new tables, want 1", tables)
	}
}

// Where a table that holds texts cannot be read, nothing is changed.
func TestRepairOfTextsThatCannotBeRead(t *testing.T) {
	disk := vfs.NewMem()
	want := damagedLater(t, 8, disk)
	refused := 0
	for path, b := range enginetest.FilesOf(t, disk, "db") {
		if !strings.HasSuffix(path, ".sst") || len(b) < 1500 {
			continue
		}
		spoilt := bytes.Clone(b)
		spoilt[len(b)/4] ^= 0x10
		fs := enginetest.Damaged(t, disk, path, spoilt)
		if r, err := engine.Repair(context.Background(), "db", repairOptions(fs)); err == nil && r.Left.Found == 0 {
			continue // of an older state
		} else if err != nil && !errors.Is(err, api.ErrCorrupt) {
			t.Errorf("%s: %v", path, err)
		}
		refused++
		if got, err := saidBy(enginetest.Damaged(t, fs, path, b), nil); err != nil || got != want {
			t.Errorf("%s is whole again, and answers are others: %v", path, err)
		}
		if refused == 1 {
			break
		}
	}
	if refused == 0 {
		t.Error("no table with texts was damaged")
	}
}

// A repair is given up later and later, and goes on where it was.
func TestRepairGoesOn(t *testing.T) {
	disk := vfs.NewMem()
	want := damagedLater(t, 6, disk)
	spoilt := changedKeys(t, disk, keys.Digest, keyChanges[2])
	wentOn, first := 0, int64(0)
	for run := 0; ; run++ {
		ctx, cancel := context.WithCancel(context.Background())
		o := repairOptions(spoilt)
		steps := 0
		o.OpenProgress = func(p api.OpenProgress) {
			steps++
			switch {
			case steps == 1 && run == 0:
				first = p.Done
			case steps == 1 && p.Done > first:
				wentOn++
			}
			if steps == 2+3*run {
				cancel()
			}
			time.Sleep(10 * time.Millisecond) // so that the end gets around, and what was made is flushed
		}
		r, err := engine.Repair(ctx, "db", o)
		cancel()
		if err == nil {
			if r.Left.Found > 0 {
				t.Errorf("left %+v", r.Left)
			}
			break
		}
		if !errors.Is(err, context.Canceled) || run > 100 {
			t.Fatalf("run %d: %v", run, err)
		}
		readOnly := repairOptions(spoilt)
		readOnly.ReadOnly = true
		if db, err := engine.Open("db", readOnly); err == nil { // it was given up when all was made
			if report, err := db.Check(context.Background(), nil); err != nil || report.Found > 0 {
				t.Errorf("who only reads sees a part: %v, %+v", err, report)
			}
			db.Close()
		} else if !errors.Is(err, api.ErrCorrupt) {
			t.Errorf("who only reads is told %v", err)
		}
	}
	if wentOn == 0 {
		t.Error("it always began anew")
	}
	if got, err := saidBy(spoilt, nil); err != nil || got != want {
		t.Errorf("other answers than before, %v", err)
	}
}

// Whatever a crash leaves of a repair: the store opens with all documents, and is repaired.
func TestRepairCrashes(t *testing.T) {
	t.Parallel()
	crashable := vfs.NewCrashableMem()
	want := damagedLater(t, 7, crashable)
	changeKeys(t, crashable, keys.Digest, keyChanges[2])
	rng := rand.New(rand.NewPCG(7, 7))
	var mu sync.Mutex
	var images []*vfs.MemFS
	writes := 0
	fs := errorfs.Wrap(crashable, errorfs.InjectorFunc(func(op errorfs.Op) error {
		if op.Kind.ReadOrWrite() != errorfs.OpIsWrite {
			return nil
		}
		mu.Lock()
		defer mu.Unlock()
		if writes++; writes%37 == 0 {
			images = append(images, crashable.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 100 * rng.IntN(2), RNG: rng}))
		}
		return nil
	}))
	repaired(t, "without a crash", fs, want)
	t.Logf("%d crashes at %d writes", len(images), writes)
	underWay := 0
	for i, image := range images {
		db, err := engine.Open("db", repairOptions(image))
		if err != nil {
			t.Errorf("crash %d: %v", i, err)
			continue
		}
		if report, err := db.Check(context.Background(), nil); err != nil {
			t.Errorf("crash %d: %v", i, err)
		} else if report.Found == 0 {
			underWay++
		}
		if err := db.Close(); err != nil {
			t.Errorf("crash %d: %v", i, err)
		}
		repaired(t, fmt.Sprint("crash ", i), image, want)
	}
	if underWay == 0 {
		t.Errorf("%d crashes while all was made anew", underWay)
	}
}
