// Documents that were erased are in no file, once the store is compacted and closed, nor in
// the next backup.

package history_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	iofs "io/fs"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/enginetest"
	"github.com/simdb/simdb/engine/internal/history"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/engine/internal/testmodel"
	"github.com/simdb/simdb/internal/keys"
	"github.com/simdb/simdb/wal"
)

// searched is a look for words in all that the files of a directory say, also within blocks
// that are compressed and texts that are encoded.
type searched struct {
	t            *testing.T
	fs           vfs.FS
	words        []string
	codec        *record.Codec
	dictionaries *record.Dictionaries
	known        map[string]bool     // dictionaries, as they are stored
	found        map[string][]string // word → files
	missed       bool                // a file that an open store has removed since it was listed
}

// tracesIn looks in all files below a directory. Stores in it have one collection.
func tracesIn(t *testing.T, fs vfs.FS, dir string, words ...string) map[string][]string {
	t.Helper()
	codec, err := record.NewCodec(0)
	if err != nil {
		t.Fatal(err)
	}
	s := &searched{t: t, fs: fs, words: words, codec: codec, known: map[string]bool{}, found: map[string][]string{}}
	files := storedFiles(t, fs, dir)
	for _, dictionaries := range []bool{true, false} { // texts need them
		for _, f := range files {
			s.file(f, dictionaries)
		}
	}
	return s.found
}

func storedFiles(t *testing.T, fs vfs.FS, dir string) (out []string) {
	t.Helper()
	names, err := fs.List(dir)
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(names)
	for _, n := range names {
		path := fs.PathJoin(dir, n)
		info, err := fs.Stat(path)
		if err != nil && !errors.Is(err, iofs.ErrNotExist) { // else it is missed when it is read
			t.Fatal(err)
		}
		if err == nil && info.IsDir() {
			out = append(out, storedFiles(t, fs, path)...)
		} else {
			out = append(out, path)
		}
	}
	return out
}

func (s *searched) look(path string, said []byte) {
	for _, w := range s.words {
		if bytes.Contains(said, []byte(w)) && !slices.Contains(s.found[w], path) {
			s.found[w] = append(s.found[w], path)
		}
	}
}

func (s *searched) file(path string, dictionaries bool) {
	if _, err := s.fs.Stat(path); errors.Is(err, iofs.ErrNotExist) { // a store that is open removes files
		s.missed = true
		return
	}
	s.look(path, enginetest.ReadFile(s.t, s.fs, path))
	switch {
	case strings.HasSuffix(path, ".sst"):
		s.table(path, dictionaries)
	case strings.HasSuffix(path, ".log") && !strings.Contains(path, "/store/"):
		s.segment(path, dictionaries)
	case strings.HasSuffix(path, "/SETTINGS"):
		_, of, err := history.Read(s.fs, s.fs.PathDir(s.fs.PathDir(path)))
		s.must(err)
		for _, o := range of {
			s.look(path, o.Settings)
		}
	}
}

// table reads every version of every key of a table, and what was deleted.
func (s *searched) table(path string, dictionaries bool) {
	r, err := s.tableReader(path)
	for i := 0; i < 5000 && err != nil && !errors.Is(err, iofs.ErrNotExist); i++ { // a store that is open has not written all of it yet
		time.Sleep(time.Millisecond)
		r, err = s.tableReader(path)
	}
	if errors.Is(err, iofs.ErrNotExist) { // a store that is open removes tables
		s.missed = true
		return
	}
	s.must(err)
	defer r.Close()
	it, err := r.NewIter(sstable.NoTransforms, nil, nil, sstable.TableBlobContext{})
	s.must(err)
	defer it.Close()
	for kv := it.First(); kv != nil; kv = it.Next() {
		key := kv.K.UserKey
		value, _, err := kv.Value(nil)
		s.must(err)
		s.look(path, key)
		s.look(path, value)
		if len(value) == 0 {
			continue
		}
		switch v, err := disk.Unseal(key, value); keys.Space(key[0]) {
		case keys.Dictionary:
			s.must(err)
			s.dictionary(v, dictionaries)
		case keys.Text:
			s.must(err)
			s.text(path, v, dictionaries)
		}
	}
}

func (s *searched) tableReader(path string) (*sstable.Reader, error) {
	f, err := s.fs.Open(path)
	if err != nil {
		return nil, err
	}
	readable, err := sstable.NewSimpleReadable(f)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	var o pebble.Options
	o.EnsureDefaults()
	r, err := sstable.NewReader(s.t.Context(), readable, o.MakeReaderOptions())
	if err != nil {
		return nil, errors.Join(err, readable.Close())
	}
	return r, nil
}

// segment reads the records of a log segment, kept or not.
func (s *searched) segment(path string, dictionaries bool) {
	files, err := wal.Files(s.fs, s.fs.PathDir(path))
	s.must(err)
	for _, f := range files {
		if f.Path != path {
			continue
		}
		r, err := wal.OpenFile(s.fs, f)
		s.must(err)
		defer r.Close()
		for {
			seq, payload, err := r.Next()
			if err != nil { // its end: what is damaged other tests find
				return
			}
			_, ops, err := record.DecodeOperations(payload)
			s.must(err)
			for _, o := range ops {
				if o.Kind == record.OpDictionary {
					s.dictionary(o.Value, dictionaries)
				}
				if o.Kind == record.OpPut {
					s.text(path, o.Text, dictionaries)
				}
			}
			if seq == f.Last {
				return
			}
		}
	}
}

func (s *searched) dictionary(value []byte, dictionaries bool) {
	if !dictionaries {
		return
	}
	if s.known[string(value)] { // the log has it too
		return
	}
	longer, err := s.dictionaries.With(slices.Clone(value))
	s.must(err)
	s.dictionaries, s.known[string(value)] = longer, true
}

func (s *searched) text(path string, stored []byte, dictionaries bool) {
	if dictionaries {
		return
	}
	text, err := s.codec.Decode(stored, s.dictionaries)
	if err != nil && s.missed { // its dictionary was in that file
		return
	}
	s.must(err)
	s.look(path, []byte(text))
}

func (s *searched) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// A person of whom nothing may be left: her id, what her texts and her metadata said, now and
// before, and pieces of a word that she alone uses, and uses often.
var (
	personID     = "person/ada-vexley"
	personTraces = []string{personID, "ada-vexley", "zyxomorph", "zyxom", "yxomo", "omorph", "qwartzig", "Wittgenbach", "Poppernik"}
)

func personText(version int) string {
	return strings.Repeat("the zyxomorph of a zyxomorph is a zyxomorph, and the quick brown fox knows it. ", 3) + fmt.Sprint("qwartzig ", version)
}

// othersText is a text that shares phrases with hers and with all others.
func othersText(i int) string {
	return fmt.Sprintf("the quick brown fox number %d knows %d lazy dogs, and the quick brown fox knows it. ", i, i*i)
}

// erasing is a store with a person among others.
type erasing struct {
	t  *testing.T
	fs vfs.FS
	o  *engine.Options
	db *engine.DB
}

const erasingOthers = 140

func newErasing(t *testing.T, fs vfs.FS, keep *api.KeepLog) *erasing {
	o := enginetest.Options(fs)
	o.SegmentSets, *enginetest.MemTableBytes(o), o.KeepLog = 512, 16<<10, keep
	e := &erasing{t: t, fs: fs, o: o, db: enginetest.Open(t, o)}
	ctx := t.Context()
	e.must(e.db.CreateCollection(ctx, api.DefaultCollection, api.Settings{Ledger: true, Index: "who", SI: "m3a k4", Words: true, Versions: true}))
	for i := range erasingOthers {
		if i == 30 {
			e.must(e.db.CreateGroups(ctx, api.Grouping{Name: "alike", Min: api.Ratio(1, 3), Stars: true}))
			e.must(e.db.CreateGroups(ctx, api.Grouping{Name: "tied", Min: api.Ratio(1, 2)}))
		}
		if i == 60 { // a row names her as what is kept, and one as what fell
			_, outcome, err := e.db.PutUnlessSimilar(ctx, api.Document{ID: "twin", Text: personText(50)}, engine.Search{Min: api.Ratio(1, 2)}, nil)
			e.must(err)
			var b engine.Batch
			b.PutReplacingSimilar(api.Document{ID: "twin", Text: personText(50)}, engine.Search{Min: api.Ratio(1, 2)}, false)
			_, err = e.db.Commit(ctx, &b)
			e.must(err)
			e.must(e.db.Erase(ctx, "", "twin"))
			if outcome != api.OutcomeRefused {
				t.Fatal("no row of the ledger names her")
			}
		}
		if i == 50 || i == 70 {
			e.must(e.db.Put(ctx, api.Document{ID: personID, Text: personText(i), Meta: api.Meta{"who": "Wittgenbach"}}))
			e.must(e.db.UpdateMeta(ctx, "", personID, api.Meta{"who": "Poppernik", "n": i}))
		}
		e.must(e.db.Put(ctx, api.Document{ID: fmt.Sprint("d", i), Text: othersText(i), Meta: api.Meta{"who": fmt.Sprint("w", i)}}))
		if i%40 == 20 {
			enginetest.Settled(t, e.db)
		}
	}
	enginetest.Settled(t, e.db)
	return e
}

func (e *erasing) must(err error) {
	e.t.Helper()
	if err != nil {
		e.t.Fatal(err)
	}
}

func (e *erasing) reopen() {
	e.t.Helper()
	e.must(e.db.Close())
	e.db = enginetest.Open(e.t, e.o)
}

// others are the documents that must be there, and no more.
func (e *erasing) others() {
	e.t.Helper()
	want := map[string]string{}
	for i := range erasingOthers {
		want[fmt.Sprint("d", i)] = othersText(i)
	}
	enginetest.SameDocuments(e.t, e.db, want)
	enginetest.CheckClean(e.t, e.db, "after the erasure")
}

// traceless says which traces of the person are in the files below a directory.
func (e *erasing) traceless(dir, when string) {
	e.t.Helper()
	if found := tracesIn(e.t, e.fs, dir, personTraces...); len(found) > 0 {
		e.t.Errorf("%s, %s has traces: %v", when, dir, found)
	}
}

func TestErasedIsInNoFile(t *testing.T) {
	for _, keep := range []*api.KeepLog{nil, {Bytes: 1 << 30}} {
		t.Run(fmt.Sprint("history ", keep != nil), func(t *testing.T) {
			ctx := t.Context()
			e := newErasing(t, vfs.NewMem(), keep)
			if keep != nil {
				e.must(e.db.Checkpoint(ctx, "copy"))
			}
			e.reopen()
			for _, w := range []string{personID, "zyxomorph", "qwartzig", "Poppernik"} { // else nothing is tested
				if tracesIn(t, e.fs, "db", w) == nil {
					t.Errorf("%q is found nowhere, though it is stored", w)
				}
			}
			if tracesIn(t, e.fs, "db", "Wittgenbach") == nil && keep != nil {
				t.Error("metadata of before is not in the history")
			}
			e.must(e.db.Erase(ctx, "", personID, "never-there"))
			if n, err := e.db.Erasing(ctx); n != 3 || err != nil { // that of twin too
				t.Errorf("%d erasures wait, %v; want 3", n, err)
			}
			if keep != nil {
				_, err := enginetest.ExtendBackup(ctx, e.fs, "db", "copy")
				e.must(err)
			}
			e.reopen()
			if tracesIn(t, e.fs, "db", personID) == nil {
				t.Error("the duty has no id before the compaction")
			}
			e.must(e.db.Compact(ctx))
			if n, err := e.db.Erasing(ctx); n != 0 || err != nil {
				t.Errorf("%d erasures wait after Compact, %v", n, err)
			}
			e.must(e.db.Checkpoint(ctx, "fresh")) // before the store is closed
			e.traceless("fresh", "copied after Compact")
			e.must(e.db.Close())
			e.traceless("db", "compacted and closed")
			if found := tracesIn(t, e.fs, "db", "never-there"); len(found) > 0 {
				t.Errorf("an id that was erased and never there is in %v", found)
			}
			if keep != nil {
				e.backups()
			}
			e.db = enginetest.Open(t, e.o)
			e.others()
			e.must(e.db.Close())
			e.traceless("db", "opened once more")
		})
	}
}

// backups extends the one that has what was erased: it is made anew, and grows on.
func (e *erasing) backups() {
	e.t.Helper()
	ctx := e.t.Context()
	if tracesIn(e.t, e.fs, "copy", personID) == nil {
		e.t.Error("the old backup has no traces, so nothing is tested")
	}
	x, err := enginetest.ExtendBackup(ctx, e.fs, "db", "copy")
	if e.must(err); !x.Anew {
		e.t.Errorf("the backup was extended from %d to %d, want one made anew", x.From, x.To)
	}
	e.traceless("copy", "after the next backup")
	db := enginetest.Open(e.t, e.o)
	e.must(db.Put(ctx, api.Document{ID: "d0", Text: othersText(0)}))
	e.must(db.Close())
	if x, err = enginetest.ExtendBackup(ctx, e.fs, "db", "copy"); err != nil || x.Anew {
		e.t.Errorf("the next extension = %+v, %v, want one that adds", x, err)
	}
	if names, _ := e.fs.List(""); slices.ContainsFunc(names, func(n string) bool { return strings.HasPrefix(n, "copy.") }) {
		e.t.Errorf("beside the backup there is something left: %v", names)
	}
}

// A backup that a crash left between its two names is one again, and is made anew.
func TestCrashWhileABackupIsReplaced(t *testing.T) {
	ctx := t.Context()
	e := newErasing(t, vfs.NewMem(), &api.KeepLog{Bytes: 1 << 30})
	e.must(e.db.Checkpoint(ctx, "copy"))
	e.must(e.db.Erase(ctx, "", personID))
	e.must(e.db.Compact(ctx))
	e.must(e.db.Close())
	e.must(e.fs.Rename("copy", "copy.replaced"))
	e.must(e.fs.MkdirAll("copy.anew", 0o755))
	x, err := enginetest.ExtendBackup(ctx, e.fs, "db", "copy")
	if e.must(err); !x.Anew {
		t.Errorf("extended %+v, want made anew", x)
	}
	e.traceless("copy", "after the next backup")
}

// Dictionaries have phrases, but none that one document alone has.
func TestDictionaryTellsOfNoOne(t *testing.T) {
	e := newErasing(t, vfs.NewMem(), nil)
	e.must(enginetest.Disk(e.db).Flush(t.Context()))
	var said []byte
	e.must(disk.ScanSealed(enginetest.Disk(e.db).Pebble(), keys.Of(keys.Dictionary), func(_, value []byte) error {
		said = append(said, value...)
		return nil
	}))
	pieces := func(text string) (found []string) {
		for i := range len(text) - 4 {
			if p := text[i : i+4]; bytes.Contains(said, []byte(p)) {
				found = append(found, p)
			}
		}
		return found
	}
	if len(pieces("the quick brown fox knows it")) == 0 {
		t.Error("there is no dictionary with phrases of all texts, so nothing is tested")
	}
	if found := pieces("zyxomorph qwartzig"); len(found) > 0 {
		t.Errorf("a dictionary has %q, which one document says", found)
	}
	e.must(e.db.Close())
}

// The disk fails, or the machine stops, anywhere in Compact: what is left opens with all that
// was not erased, and the next Compact removes every trace.
func TestCompactThatErasesCrashes(t *testing.T) {
	t.Parallel()
	for _, torn := range []bool{false, true} {
		steps, done := int64(1), false
		for ; !done; steps += steps/2 + 1 { // ever later, until it comes to its end
			done = eraseCrashed(t, torn, steps)
		}
		if steps < 100 {
			t.Errorf("Compact came to its end with %d writes, so hardly anything is tested", steps)
		}
	}
}

// eraseCrashed erases with a disk that fails, or is copied as a crash leaves it, after so many
// writes of Compact and Close. It says whether these came to their end before.
func eraseCrashed(t *testing.T, torn bool, after int64) (done bool) {
	ctx := context.Background()
	mem := vfs.NewCrashableMem()
	var left atomic.Int64
	left.Store(1 << 40)
	image := atomic.Pointer[vfs.MemFS]{}
	failing := errorfs.Wrap(mem, errorfs.InjectorFunc(func(op errorfs.Op) error {
		if op.Kind.ReadOrWrite() != errorfs.OpIsWrite || left.Add(-1) >= 0 {
			return nil
		}
		if torn {
			image.CompareAndSwap(nil, mem.CrashClone(vfs.CrashCloneCfg{}))
			return nil
		}
		return errorfs.ErrInjected
	}))
	e := newErasing(t, failing, &api.KeepLog{Bytes: 1 << 30})
	e.must(e.db.Erase(ctx, "", personID))
	left.Store(after)
	err := errors.Join(e.db.Compact(ctx), e.db.Close())
	done = left.Load() >= 0
	switch {
	case torn && err != nil, !torn && err == nil && !done:
		t.Fatalf("torn %v, after %d writes: %v", torn, after, err)
	case torn && !done:
		mem = image.Load()
	}
	e.fs, *enginetest.FS(e.o) = mem, mem
	e.db = enginetest.Open(t, e.o)
	e.must(e.db.Compact(ctx))
	e.others()
	e.reopen() // where only the manifest was left, this closes what was opened
	e.must(e.db.Close())
	e.traceless("db", fmt.Sprintf("torn %v, crashed after %d writes, and compacted", torn, after))
	if t.Failed() {
		t.FailNow()
	}
	return done
}

// An erasure that was acknowledged is a duty after a crash too.
func TestErasureSurvivesACrash(t *testing.T) {
	mem := vfs.NewCrashableMem()
	e := newErasing(t, mem, nil)
	e.must(e.db.Erase(t.Context(), "", personID))
	after := mem.CrashClone(vfs.CrashCloneCfg{})
	e.must(e.db.Close())
	e.fs, *enginetest.FS(e.o) = after, after
	e.db = enginetest.Open(t, e.o)
	if n, err := e.db.Erasing(t.Context()); n != 2 || err != nil { // that of twin too
		t.Errorf("after a crash %d erasures wait, %v", n, err)
	}
	e.must(e.db.Compact(t.Context()))
	e.others()
	e.must(e.db.Close())
	e.traceless("db", "crashed, compacted and closed")
}

// Compact does not say that it has erased what a snapshot still sees.
func TestErasureWaitsForSnapshots(t *testing.T) {
	t.Parallel()
	e := newErasing(t, vfs.NewMem(), nil)
	s, err := e.db.Snapshot()
	e.must(err)
	e.must(e.db.Erase(t.Context(), "", personID))
	if err := e.db.Compact(t.Context()); !errors.Is(err, api.ErrInvalid) {
		t.Errorf("Compact with a snapshot that sees the document = %v, want ErrInvalid", err)
	}
	if n, err := e.db.Erasing(t.Context()); n != 1 || err != nil {
		t.Errorf("%d erasures wait, %v; want 1", n, err)
	}
	if d, err := s.Get("", personID); err != nil || d.Text != personText(70) {
		t.Errorf("the snapshot has lost the document: %v", err)
	}
	e.must(s.Close())
	e.must(e.db.Compact(t.Context()))
	e.others()
	e.must(e.db.Close())
	e.traceless("db", "compacted again and closed")
}

// What was deleted before can be erased, and what is put under the id later stays.
func TestEraseOnlyWhatWasBefore(t *testing.T) {
	ctx := t.Context()
	e := newErasing(t, vfs.NewMem(), &api.KeepLog{Bytes: 1 << 30})
	e.must(e.db.Delete(ctx, "", personID))
	e.must(e.db.Compact(ctx))
	e.must(e.db.Erase(ctx, "", personID))
	e.must(e.db.Put(ctx, api.Document{ID: personID, Text: "she came back"}))
	e.must(e.db.Compact(ctx))
	var b engine.Batch
	b.Erase("", personID)
	b.Put(api.Document{ID: personID, Text: "again"})
	if _, err := e.db.Commit(ctx, &b); !errors.Is(err, api.ErrInvalid) {
		t.Errorf("a batch that erases and puts one id = %v, want ErrInvalid", err)
	}
	e.reopen()
	s, err := e.db.Snapshot()
	e.must(err)
	if d, err := s.Get("", personID); err != nil || d.Text != "she came back" {
		t.Errorf("what was put after the erasure is %q, %v", d.Text, err)
	}
	e.must(s.Close())
	var told []string
	for c, err := range enginetest.Tail(ctx, e.fs, "db", api.TailOptions{}) {
		if e.must(err); c.ID == personID {
			told = append(told, string(c.Kind)+" "+c.Text)
		}
	}
	if want := []string{"put she came back"}; !slices.Equal(told, want) {
		t.Errorf("the history tells of her %q, want %q", told, want)
	}
	e.must(e.db.Close())
	if found := tracesIn(t, e.fs, "db", "zyxomorph", "Poppernik"); len(found) > 0 {
		t.Errorf("of the text before there is %v", found)
	}
}

// Tail tells, after an erasure, everything but what was erased, and a follower that is in
// the middle of the history goes on.
func TestTailOverAnErasedHistory(t *testing.T) {
	ctx := t.Context()
	fs := vfs.NewMem()
	h := enginetest.NewHistorian(t, 77)
	db := enginetest.Open(t, enginetest.Keeping(fs))
	for i := range 300 {
		h.Step(db)
		if i%50 == 49 {
			h.Must(db.Close())
			db = enginetest.Open(t, enginetest.Keeping(fs))
		}
	}
	var followed []string
	for c, err := range enginetest.Tail(ctx, fs, "db", api.TailOptions{Oldest: true}) {
		if h.Must(err); len(followed) == 10 {
			var b engine.Batch
			for name := range h.Live {
				b.Erase(name, "d07")
			}
			_, err := db.Commit(ctx, &b)
			h.Must(err)
			h.Must(db.Compact(ctx))
		}
		if _, change, _ := strings.Cut(enginetest.ChangeString(c), " "); c.ID != "d07" {
			followed = append(followed, change)
		}
	}
	tells := map[string]string{} // of the document that was erased, by collection
	var want, got []string
	for _, c := range h.Told {
		if _, change, _ := strings.Cut(c, " "); !strings.Contains(change, "/d07") {
			want = append(want, change)
		}
	}
	for c, err := range enginetest.Tail(ctx, fs, "db", api.TailOptions{}) {
		h.Must(err)
		switch {
		case c.ID == "d07" && h.Live[c.Collection] != nil:
			tells[c.Collection] = enginetest.ChangeString(c)
		case c.Kind == api.ChangeCreate: // what was told was of another of that name
			delete(tells, c.Collection)
		}
		if _, change, _ := strings.Cut(enginetest.ChangeString(c), " "); c.ID != "d07" {
			got = append(got, change)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("after the erasure:\n%s", testmodel.Difference(got, want))
	}
	if !slices.Equal(followed, want) {
		t.Errorf("who was reading meanwhile was told:\n%s", testmodel.Difference(followed, want))
	}
	if len(tells) > 0 {
		t.Errorf("what was erased is still told: %v", tells)
	}
	h.Must(db.Close())
}

// extended extends the backup, and opens a copy of it.
func (e *erasing) extended(when string) {
	e.t.Helper()
	x, err := enginetest.ExtendBackup(e.t.Context(), e.fs, "db", "copy")
	if e.must(err); !x.Anew {
		e.t.Errorf("%s the backup was extended from %d to %d, want one made anew", when, x.From, x.To)
	}
	if _, err := engine.RestoreTo(e.t.Context(), "copy", "restored", api.Moment{}, e.o); err != nil {
		e.t.Fatalf("%s a copy of the backup: %v", when, err)
	}
	db, err := engine.Open("restored", e.o)
	e.must(err)
	own := e.db
	e.db = db
	e.others()
	e.db = own
	e.must(errors.Join(db.Close(), e.fs.RemoveAll("restored")))
}
