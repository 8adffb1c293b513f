// engine.Salvage in place: whatever is enginetest.Damaged of what is derived, everything is made anew, and answers
// are those of the documents. No crash loses a document.

package engine_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

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

// salvageable are the settings of the collections that tests of salvage damage.
var salvageable = map[string]api.Settings{
	"docs":  {},
	"texts": func() api.Settings { s := testmodel.KeepsAll; s.Index = "batch"; return s }(),
}

// smallOptions make many small batches.
func smallOptions(fs vfs.FS) *engine.Options {
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
	db := enginetest.Open(t, smallOptions(disk))
	models := map[string]*testmodel.Model{}
	for _, name := range slices.Sorted(maps.Keys(salvageable)) {
		s := salvageable[name]
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
	db, err := engine.Open("db", smallOptions(disk))
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	report, err := enginetest.Check(db, ctx, nil, false)
	if err != nil || report.Found > 0 {
		return "", fmt.Errorf("check: %w %+v", err, report)
	}
	s, err := db.Snapshot()
	if err != nil {
		return "", err
	}
	defer s.Close()
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(salvageable)) {
		for d, err := range s.Documents(ctx, name) {
			if err != nil {
				return "", err
			}
			fmt.Fprintf(&b, "%s/%s %q %v\n", name, d.ID, d.Text, d.Meta)
		}
		for _, m := range enginetest.Methods(salvageable[name]) {
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

// replaced salvages a store in place and holds it against what it answered. It returns what
// was told as lost.
func replaced(t *testing.T, what string, disk vfs.FS, want string) (lost []string) {
	t.Helper()
	done, err := engine.SalvageInPlace(context.Background(), "db", smallOptions(disk), func(what string) { lost = append(lost, what) })
	if err != nil {
		t.Errorf("%s: %v", what, err)
		return nil
	}
	if _, err := disk.Stat(done.Old); err != nil || done.Lost != int64(len(lost)) {
		t.Errorf("%s: the old store stands at %q, %v; %d things are lost, told %q", what, done.Old, err, done.Lost, lost)
	}
	got, err := saidBy(disk, nil)
	if err != nil || got != want {
		t.Errorf("%s: other answers than before, %v\n%s", what, err, testmodel.Difference(strings.Split(got, "\n"), strings.Split(want, "\n")))
	}
	return lost
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

func TestSalvageOfDerived(t *testing.T) {
	t.Parallel()
	disk := vfs.NewMem()
	want := damagedLater(t, 1, disk)
	if lost := replaced(t, "nothing", enginetest.Damaged(t, disk, enginetest.LockPath, []byte{}), want); len(lost) > 0 {
		t.Errorf("a whole store has lost %q", lost)
	}
	for two := range slices.Chunk(derived, 2) { // each in one way, and all in each
		spoilt := enginetest.Damaged(t, disk, enginetest.LockPath, []byte{})
		for _, space := range two {
			changeKeys(t, spoilt, space, keyChanges[int(space)%len(keyChanges)])
		}
		if lost := replaced(t, fmt.Sprintf("key spaces %#x", two), spoilt, want); len(lost) > 0 && !slices.Contains(two, keys.Counters) {
			t.Errorf("key spaces %#x: lost %q", two, lost)
		}
	}
	for _, c := range keyChanges {
		spoilt := enginetest.Damaged(t, disk, enginetest.LockPath, []byte{})
		for _, space := range derived {
			changeKeys(t, spoilt, space, c)
		}
		replaced(t, "everything derived "+c.what, spoilt, want)
	}
}

// derived are the key spaces that follow from documents. The next set number alone does not.
var derived = []keys.Space{keys.Digest, keys.SI, keys.Field, keys.Set, keys.Shares, keys.Features, keys.Grams, keys.Ended, keys.Joined, keys.Index, keys.Order, keys.Counters}

// Counters that are wrong, but sealed, are counted anew.
func TestSalvageOfCounters(t *testing.T) {
	disk := vfs.NewMem()
	want := damagedLater(t, 2, disk)
	for what, spoil := range map[string]func(*record.Counters){
		"documents": func(c *record.Counters) { c.Documents++ },
		"sets":      func(c *record.Counters) { c.Sets = 1 },
		"next":      func(c *record.Counters) { c.Next /= 2 },
		"greater":   func(c *record.Counters) { c.Next += 1000 },
	} {
		replaced(t, what, changedKeys(t, disk, keys.Counters, keyChange{what, func(b *pebble.Batch, _ int, key, value []byte) error {
			c, err := record.DecodeCounters(value[:len(value)-4])
			spoil(&c)
			return errors.Join(err, sealedIn(b, key, c.Encode()))
		}}), want)
	}
}

func sealedIn(b *pebble.Batch, key, value []byte) error { return disk.SetSealed(b, key, value) }

// Documents that lie under a set of another text, with a good seal, come to their own.
func TestSalvageOfSets(t *testing.T) {
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
		replaced(t, "texts moved", changedKeys(t, disk, keys.Text, move(true)), want)
		replaced(t, "texts doubled", changedKeys(t, disk, keys.Text, move(false)), want)
	}
	replaced(t, "records changed", changedKeys(t, disk, keys.Document, keyChange{"", func(b *pebble.Batch, i int, key, value []byte) error {
		d, err := record.DecodeDocumentRecord(value[:len(value)-4])
		d.Set, d.Joined = uint32(rng.IntN(60)), rng.IntN(2) == 0
		return errors.Join(err, sealedIn(b, key, d.Encode()))
	}}), want)
}

// What cannot be derived is named, and all else comes back.
func TestSalvageNamesWhatIsLost(t *testing.T) {
	ctx := context.Background()
	disk := vfs.NewMem()
	want := damagedLater(t, 4, disk)
	documents := strings.Count(want, " map[")
	for _, space := range []keys.Space{keys.Text, keys.Document} {
		for _, c := range []keyChange{keyChanges[0], keyChanges[2]} {
			var victim string
			spoilt := changedKeys(t, disk, space, keyChange{"", func(b *pebble.Batch, i int, key, value []byte) error {
				if i != 5 {
					return nil
				}
				_, id, err := keys.Numbers(key, map[keys.Space]int{keys.Text: 2, keys.Document: 1}[space])
				victim = string(id)
				return errors.Join(err, c.do(b, i, key, value))
			}})
			what := fmt.Sprintf("key space %#x %s", space, c.what)
			var lost []string
			done, err := engine.SalvageInPlace(ctx, "db", smallOptions(spoilt), func(what string) { lost = append(lost, what) })
			left := int64(documents)
			if space == keys.Text {
				left--
			}
			if err != nil || done.Documents != left || len(lost) == 0 {
				t.Errorf("%s: %v, %+v, lost %q; want %d documents", what, err, done, lost, left)
				continue
			}
			if !slices.ContainsFunc(lost, func(what string) bool { return strings.Contains(what, fmt.Sprintf("%q", victim)) }) {
				t.Errorf("%s: %q is not told, but %q", what, victim, lost)
			}
			db := enginetest.Open(t, smallOptions(spoilt)) // it can be put again
			if err := db.Put(ctx, api.Document{Collection: "texts", ID: victim, Text: "a new text for it"}); err != nil {
				t.Errorf("%s: %v", what, err)
			}
			enginetest.CheckClean(t, db, what)
			if err := db.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// Posting files are enginetest.Damaged, and a table of Pebble's that holds nothing but derived keys.
func TestSalvageOfFiles(t *testing.T) {
	disk := vfs.NewMem()
	want := damagedLater(t, 5, disk)
	for path, b := range enginetest.FilesOf(t, disk, "db") {
		if strings.HasSuffix(path, ".seg") {
			spoilt := bytes.Clone(b)
			for at := 100; at < len(b); at += 1000 {
				spoilt[at] ^= 0x10
			}
			if lost := replaced(t, path, enginetest.Damaged(t, disk, path, spoilt), want); len(lost) > 0 {
				t.Errorf("%s: lost %q", path, lost)
			}
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
		if lost := replaced(t, path, enginetest.Damaged(t, disk, path, b), want); len(lost) == 0 {
			t.Errorf("%s cannot be read, and nothing is told", path)
		}
	}
	if tables != 1 {
		t.Errorf("%d new tables, want 1", tables)
	}
}

// A salvage that is given up, at any stage, leaves the enginetest.Damaged store where it was.
func TestSalvageGivenUp(t *testing.T) {
	disk := vfs.NewMem()
	want := damagedLater(t, 6, disk)
	spoilt := changedKeys(t, disk, keys.Digest, keyChanges[2])
	before := enginetest.FilesOf(t, spoilt, "db")
	given := 0
	for stages := 1; ; stages++ {
		ctx, cancel := context.WithCancel(context.Background())
		begun := map[string]bool{}
		ctx = engine.WithProgress(ctx, func(p api.Progress) {
			if begun[p.What] = true; len(begun) == stages {
				cancel()
			}
		})
		_, err := engine.SalvageInPlace(ctx, "db", smallOptions(spoilt), func(string) {})
		cancel()
		if err == nil {
			break
		}
		given++
		if !errors.Is(err, context.Canceled) || stages > 100 {
			t.Fatalf("stage %d: %v", stages, err)
		}
		if !maps.EqualFunc(before, enginetest.FilesOf(t, spoilt, "db"), bytes.Equal) {
			t.Errorf("stage %d: the store has changed", stages)
		}
	}
	if given < 2 {
		t.Errorf("it was given up %d times", given)
	}
	if got, err := saidBy(spoilt, nil); err != nil || got != want {
		t.Errorf("other answers than before, %v", err)
	}
}

// Whatever a crash leaves of a salvage in place: the enginetest.Damaged store stands there or the new one,
// or the next salvage puts the enginetest.Damaged one back, and in the end the new one is there.
func TestSalvageCrashes(t *testing.T) {
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
		place := op.Kind == errorfs.OpRename && filepath.Dir(op.Path) == "."
		if writes++; writes%100 == 0 || place {
			for _, percent := range []int{0, 100} { // of what is not synced survives
				images = append(images, crashable.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: percent, RNG: rng}))
			}
		}
		return nil
	}))
	replaced(t, "without a crash", fs, want)
	images = append(images, crashable.CrashClone(vfs.CrashCloneCfg{}))
	t.Logf("%d crashes at %d writes", len(images), writes)
	none, old := 0, 0
	for i, image := range images {
		if _, err := image.Stat("db"); err != nil {
			none++
			o := smallOptions(image)
			if db, err := engine.Open("db", o); err == nil {
				t.Errorf("crash %d: between two steps an empty store is made", i)
				db.Close()
			}
		} else if _, err := saidBy(image, nil); err != nil {
			old++
		}
		replaced(t, fmt.Sprint("crash ", i), image, want)
	}
	t.Logf("%d times the enginetest.Damaged store stood there, %d times none", old, none)
	if old == 0 || none == 0 || old+none == len(images) {
		t.Errorf("of %d crashes %d left the enginetest.Damaged store and %d none", len(images), old, none)
	}
}
