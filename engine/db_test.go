package engine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"go.uber.org/goleak"

	"github.com/simdb/simdb/keys"
	"github.com/simdb/simdb/measure"
)

func TestSecondOpenerIsRefused(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "db")
	db, err := Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir, nil); !errors.Is(err, ErrLocked) {
		t.Errorf("second Open = %v, want ErrLocked", err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if db, err = Open(dir, &Options{MustExist: true}); err != nil {
		t.Fatalf("Open after Close: %v", err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestOpenRefusesWhatIsNoStore(t *testing.T) {
	dir := t.TempDir()
	if _, err := Open(filepath.Join(dir, "none"), &Options{MustExist: true}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Open of a missing store = %v, want fs.ErrNotExist", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Error("a refused Open left a directory behind")
	}
	if err := os.WriteFile(filepath.Join(dir, "letter.txt"), []byte("dear"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir, nil); !errors.Is(err, ErrInvalid) {
		t.Errorf("Open of a directory with other files = %v, want ErrInvalid", err)
	}
}

func TestStateFileIsChecked(t *testing.T) {
	o := testOptions(vfs.NewMem())
	db := openTest(t, o)
	if err := db.Put(context.Background(), Document{ID: "a", Text: "some words to keep"}); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	st, err := readState(o.fs, "db/"+stateName)
	if err != nil {
		t.Fatal(err)
	}
	if st.Applied < 2 || st.Applied > 3 || st.Documents != 1 { // settings, document, and the builder may have logged a book
		t.Errorf("state = %+v, want 2 or 3 applied, 1 document", st)
	}
	for _, c := range []struct {
		change func(*state)
		want   error
	}{
		{func(s *state) { s.Applied += 5 }, ErrCorrupt}, // the store is older than the file says
		{func(s *state) { s.Format = formatVersion + 1 }, ErrFormat},
		{func(s *state) { s.Format = formatVersion - 1 }, ErrFormat},
		{func(s *state) {}, nil},
	} {
		changed := st
		c.change(&changed)
		if err := writeState(o.fs, "db", "db/"+stateName, changed); err != nil {
			t.Fatal(err)
		}
		db, err := Open("db", o)
		if !errors.Is(err, c.want) {
			t.Errorf("Open with state %+v = %v, want %v", changed, err, c.want)
		}
		if err == nil {
			db.Close()
		}
	}
}

func TestArgumentsAreChecked(t *testing.T) {
	ctx := context.Background()
	o := testOptions(vfs.NewMem())
	o.MaxDocBytes = 100
	db := openTest(t, o)
	defer db.Close()
	for _, c := range []struct {
		name string
		err  error
		want error
	}{
		{"empty id", db.Put(ctx, Document{Text: "x"}), ErrInvalid},
		{"long id", db.Put(ctx, Document{ID: strings.Repeat("x", 5000)}), ErrTooLarge},
		{"long text", db.Put(ctx, Document{ID: "a", Text: strings.Repeat("x", 101)}), ErrTooLarge},
		{"metadata", db.Put(ctx, Document{ID: "a", Meta: Meta{"f": func() {}}}), ErrInvalid},
		{"unit", db.CreateCollection(ctx, "c", Settings{Unit: "page"}), ErrInvalid},
		{"k", db.CreateCollection(ctx, "c", Settings{K: -1}), ErrInvalid},
		{"min_sim", db.CreateCollection(ctx, "c", Settings{MinSim: "80"}), ErrInvalid},
		{"sets", db.CreateCollection(ctx, "c", Settings{Sets: "derive"}), ErrInvalid},
		{"intervals", db.CreateCollection(ctx, "c", Settings{Intervals: "2-5"}), ErrInvalid},
		{"name", db.CreateCollection(ctx, "", Settings{}), ErrInvalid},
		{"drop", db.DropCollection(ctx, "c"), ErrNotFound},
		{"delete", db.Delete(ctx, "", "nosuch"), ErrNotFound},
	} {
		if !errors.Is(c.err, c.want) {
			t.Errorf("%s: %v, want %v", c.name, c.err, c.want)
		}
	}
	if err := db.Put(ctx, Document{ID: "a", Text: "x"}); err != nil {
		t.Fatal(err)
	}
	if err := db.CreateCollection(ctx, DefaultCollection, Settings{}); !errors.Is(err, ErrExists) {
		t.Errorf("CreateCollection of docs = %v, want ErrExists", err)
	}
	if err := db.Delete(ctx, "", "a", "nosuch"); !errors.Is(err, ErrNotFound) {
		t.Errorf("Delete = %v, want ErrNotFound", err)
	}
	s, _ := db.Snapshot()
	defer s.Close()
	if _, err := s.Get("", "a"); err != nil {
		t.Errorf("a refused Delete removed a document: %v", err)
	}
	if _, err := s.Similar(ctx, ByID("nosuch"), Search{}); !errors.Is(err, ErrNotFound) {
		t.Errorf("Similar to nosuch = %v, want ErrNotFound", err)
	}
	for _, q := range []Search{
		{Access: AccessRotated}, {Access: AccessInterval}, {Access: "magic"},
		{Measure: measure.Multiset, Access: AccessPrefix}, {Measure: measure.SimHash, Access: AccessSignature},
		{Access: AccessPrefix, Min: measure.Ratio(1, 4)}, {Measure: 99},
	} {
		if _, err := s.Similar(ctx, ByID("a"), q); !errors.Is(err, ErrInvalid) {
			t.Errorf("Similar by %s %q at %s = %v, want ErrInvalid", q.Measure, q.Access, q.Min, err)
		}
	}
}

// 5,000 equal documents are one set: no pair is listed before it is asked for.
func TestEqualDocuments(t *testing.T) {
	ctx := context.Background()
	db, err := Open(filepath.Join(t.TempDir(), "db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	const n = 5000
	var b Batch
	for i := range n {
		b.Put(Document{ID: fmt.Sprintf("same-%04d", i), Text: "one text that is stored again and again"})
	}
	for i := range 50 {
		b.Put(Document{ID: fmt.Sprintf("other-%d", i), Text: fmt.Sprintf("text number %d differs from all %d others %d", i, i*7, i*i)})
	}
	if _, err := db.Commit(ctx, &b); err != nil {
		t.Fatal(err)
	}
	s, _ := db.Snapshot()
	defer s.Close()
	for _, limit := range []int{10, 0} {
		r, err := s.Pairs(ctx, Search{Min: measure.Ratio(4, 5), Limit: limit})
		if err != nil {
			t.Fatal(err)
		}
		rows := 0
		last := PairMatch{}
		for m, err := range r.All {
			if err != nil {
				t.Fatal(err)
			}
			if m.A >= m.B || m.A < last.A || m.A == last.A && m.B <= last.B || m.Shared != m.Union {
				t.Fatalf("row %d: %+v after %+v", rows, m, last)
			}
			last = m
			if rows++; rows == limit {
				break
			}
		}
		if want := n * (n - 1) / 2; limit == 0 && rows != want {
			t.Errorf("%d pairs, want %d", rows, want)
		}
		if r.Plan.Candidates > 2000 {
			t.Errorf("%d candidates for equal documents", r.Plan.Candidates)
		}
	}
	r, err := s.Clusters(ctx, Search{Min: measure.Ratio(4, 5)})
	members := collect(t, r, err)
	if len(members) != n || members[0].Size != n || members[0].Cluster != "same-0000" {
		t.Errorf("%d members in clusters, the first %+v", len(members), members[0])
	}
}

// Several collections are searched as one, and paired across.
func TestCollections(t *testing.T) {
	ctx := context.Background()
	db := openTest(t, testOptions(vfs.NewMem()))
	defer db.Close()
	rng := rand.New(rand.NewPCG(5, 5))
	g := &texts{rng: rng, prose: true}
	whole := newModel(mustCollection(t, keepsAll).analysis)
	for _, name := range []string{"left", "right"} {
		if err := db.CreateCollection(ctx, name, keepsAll); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 60 {
		c, id, text := []string{"left", "right"}[i%2], fmt.Sprintf("d%02d", i), g.next()
		if err := db.Put(ctx, Document{Collection: c, ID: id, Text: text}); err != nil {
			t.Fatal(err)
		}
		whole.put(id, text)
	}
	settled(t, db)
	s, _ := db.Snapshot()
	defer s.Close()
	q := Search{Min: measure.Ratio(1, 2), In: []string{"left", "right"}}
	for _, m := range testMethods(keepsAll) {
		q.Measure, q.Args = m.Measure, m.Args
		want := whole.pairs(q)
		for _, q.In = range [][]string{{"left", "right"}, {"right", "left"}} {
			if got := pairRows(t, s, q); strings.Join(got, "\n") != strings.Join(want, "\n") {
				t.Errorf("%v: pairs in %v:\n%s", m, q.In, difference(got, want))
			}
		}
	}
	q.Measure, q.Args = measure.Jaccard, measure.Args{}
	want := whole.pairs(q)
	if got, want := clusterRows(t, s, q), whole.clusters(q); strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("clusters in both:\n%s", difference(got, want))
	}
	if got, want := similarRows(t, s, ByID("d07"), q), whole.similar(q, whole.texts["d07"], "d07"); strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("similar in both:\n%s", difference(got, want))
	}
	inLeft := func(id string) bool { return (int(id[1]-'0')*10+int(id[2]-'0'))%2 == 0 }
	across := map[string]bool{}
	for _, row := range want {
		f := strings.Fields(row)
		if inLeft(f[0]) != inLeft(f[1]) {
			if !inLeft(f[0]) {
				f[0], f[1] = f[1], f[0]
			}
			across[strings.Join(f, " ")] = true
		}
	}
	q.In, q.Against = []string{"left"}, []string{"right"}
	got := pairRows(t, s, q)
	for _, row := range got {
		if !across[row] {
			t.Errorf("AGAINST found %s", row)
		}
	}
	if len(got) != len(across) || len(got) == 0 {
		t.Errorf("AGAINST found %d pairs, want %d", len(got), len(across))
	}
	if err := db.DropCollection(ctx, "left"); err != nil {
		t.Fatal(err)
	}
	if n := len(similarRows(t, s, ByID("d08"), Search{In: []string{"left"}})); n == 0 {
		t.Error("a snapshot taken before the drop finds nothing")
	}
	if got, err := firstKey(db, keys.Document); err != nil || got != 2 {
		t.Errorf("after the drop the first document is of collection %d, %v, want 2", got, err)
	}
	checkClean(t, db, "after the drop")
}

func firstKey(db *DB, space keys.Space) (uint32, error) {
	var n uint32
	err := scan(db.pebble, keys.Of(space), func(key, _ []byte) error {
		numbers, _, err := keys.Numbers(key, 1)
		n = numbers[0]
		return errors.Join(err, errStop)
	})
	if errors.Is(err, errStop) {
		err = nil
	}
	return n, err
}

func mustCollection(t *testing.T, s Settings) *collection {
	t.Helper()
	c, err := new(Options).newCollection(1, DefaultCollection, s)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Whatever derived thing is damaged, check names it.
func TestCheckFindsDamage(t *testing.T) {
	ctx := context.Background()
	fill := func(t *testing.T) *DB {
		db := openTest(t, testOptions(vfs.NewMem()))
		if err := db.CreateCollection(ctx, DefaultCollection, Settings{Intervals: "paper"}); err != nil {
			t.Fatal(err)
		}
		g := &texts{rng: rand.New(rand.NewPCG(9, 9))}
		for i := range 40 {
			if err := db.Put(ctx, Document{ID: fmt.Sprintf("d%02d", i), Text: g.next()}); err != nil {
				t.Fatal(err)
			}
		}
		settled(t, db)
		checkClean(t, db, "before the damage")
		return db
	}
	spaces := map[string]keys.Space{
		"Document": keys.Document, "Text": keys.Text, "Set": keys.Set, "Folded": keys.Folded, "Digest": keys.Digest,
		"Shares": keys.Shares,
	}
	for name, space := range spaces {
		for _, damage := range []string{"removed", "changed", "emptied"} {
			t.Run(name+" "+damage, func(t *testing.T) {
				db := fill(t)
				defer db.Close()
				var key, value []byte
				err := scan(db.pebble, keys.Of(space), func(k, v []byte) error {
					key, value = append([]byte(nil), k...), append([]byte(nil), v...)
					return errStop
				})
				if !errors.Is(err, errStop) {
					t.Fatal("nothing to damage")
				}
				b := db.pebble.NewBatch()
				switch damage {
				case "removed":
					err = b.Delete(key, nil)
				case "changed":
					value[len(value)/2] ^= 0x55
					err = b.Set(key, value, nil)
				case "emptied":
					err = b.Set(key, nil, nil)
				}
				if err := errors.Join(err, b.Commit(pebble.NoSync)); err != nil {
					t.Fatal(err)
				}
				report, err := db.Check(ctx, nil)
				if err != nil {
					t.Fatalf("check: %v", err)
				}
				if report.Found == 0 {
					t.Error("check found nothing")
				}
			})
		}
	}
}

// Readers, writers, builds and Close at once: run with -race.
func TestConcurrentUse(t *testing.T) {
	defer goleak.VerifyNone(t)
	ctx := context.Background()
	db := openTest(t, testOptions(vfs.NewMem()))
	var wg sync.WaitGroup
	for w := range 4 {
		wg.Go(func() {
			g := &texts{rng: rand.New(rand.NewPCG(uint64(w), 0))}
			for i := range 100 {
				err := db.Put(ctx, Document{ID: fmt.Sprintf("w%d-%d", w, i%30), Text: g.next()})
				if err != nil && !errors.Is(err, ErrClosed) {
					t.Errorf("put: %v", err)
				}
			}
		})
	}
	for r := range 4 {
		wg.Go(func() {
			for i := 0; ; i++ {
				s, err := db.Snapshot()
				if err != nil {
					if !errors.Is(err, ErrClosed) {
						t.Errorf("snapshot: %v", err)
					}
					return
				}
				if err := repeatable(ctx, s, i+r); err != nil && !errors.Is(err, ErrClosed) && !errors.Is(err, ErrNotFound) {
					t.Errorf("reader: %v", err)
				}
				s.Close()
			}
		})
	}
	wg.Go(func() {
		for db.Compact(ctx) == nil {
		}
	})
	for db.Metrics().Documents < 60 {
		if err := db.Put(ctx, Document{ID: "own", Text: "until the others have written enough"}); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
	wg.Wait()
	if err := db.Close(); !errors.Is(err, ErrClosed) {
		t.Errorf("second close = %v, want ErrClosed", err)
	}
}

// repeatable asks a snapshot twice and wants the same answer.
func repeatable(ctx context.Context, s *Snapshot, n int) error {
	q := Search{Min: measure.Ratio(1, 2)}
	if n%3 == 0 {
		q.Measure = measure.SimHash
	}
	ask := func() (out string, err error) {
		r, err := s.Pairs(ctx, q)
		if err != nil {
			return "", err
		}
		for m, err := range r.All {
			if err != nil {
				return "", err
			}
			out += fmt.Sprintln(m.A, m.B, m.Sim)
		}
		return out, nil
	}
	first, err := ask()
	if err != nil {
		return err
	}
	second, err := ask()
	if err == nil && first != second {
		err = fmt.Errorf("the same snapshot answered %q, then %q", first, second)
	}
	return err
}

func TestContextEndsSearches(t *testing.T) {
	db := openTest(t, testOptions(vfs.NewMem()))
	defer db.Close()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	for i := range 200 {
		if err := db.Put(ctx, Document{ID: fmt.Sprint(i), Text: fmt.Sprintf("some words and the number %d of them", i%50)}); err != nil {
			t.Fatal(err)
		}
	}
	s, _ := db.Snapshot()
	defer s.Close()
	r, err := s.Pairs(ctx, Search{Min: measure.Ratio(1, 2)})
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for _, err := range r.All {
		if err != nil {
			if !errors.Is(err, context.Canceled) {
				t.Errorf("after cancel: %v", err)
			}
			break
		}
		if rows++; rows == 10 {
			cancel()
		}
	}
	if rows > 11 {
		t.Errorf("%d rows after the context ended at 10", rows)
	}
	if _, err := s.Pairs(ctx, Search{Measure: measure.Multiset, Min: measure.Ratio(1, 2)}); !errors.Is(err, context.Canceled) {
		t.Errorf("Pairs with an ended context = %v", err)
	}
}

func TestCheckpointIsAStore(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	db, err := Open(filepath.Join(dir, "db"), &Options{segmentSets: 8})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	g := &texts{rng: rand.New(rand.NewPCG(2, 2))}
	m := newModel(mustCollection(t, Settings{}).analysis)
	for i := range 30 {
		id, text := fmt.Sprint(i), g.next()
		m.put(id, text)
		if err := db.Put(ctx, Document{ID: id, Text: text}); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Checkpoint(ctx, filepath.Join(dir, "copy")); err != nil {
		t.Fatal(err)
	}
	if err := db.Put(ctx, Document{ID: "later", Text: "not in the copy"}); err != nil {
		t.Fatal(err)
	}
	if err := db.Checkpoint(ctx, filepath.Join(dir, "copy")); !errors.Is(err, fs.ErrExist) {
		t.Errorf("second Checkpoint to one place = %v, want fs.ErrExist", err)
	}
	c, err := Open(filepath.Join(dir, "copy"), &Options{MustExist: true})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	sameDocuments(t, c, m.texts)
	checkClean(t, c, "copy")
}

// A store read with other Unicode tables is read again as it opens.
func TestNewUnicodeTables(t *testing.T) {
	ctx := context.Background()
	o := testOptions(vfs.NewMem())
	o.unicode = "1.0"
	db := openTest(t, o)
	want := map[string]string{}
	for i := range 30 {
		id := fmt.Sprint(i)
		want[id] = fmt.Sprintf("document number %d of a few that are read twice", i)
		if err := db.Put(ctx, Document{ID: id, Text: want[id]}); err != nil {
			t.Fatal(err)
		}
	}
	// what the old tables made of one text, as far as the store can tell
	c, _ := db.collection(DefaultCollection)
	if err := db.Put(ctx, Document{ID: "odd", Text: "first these words"}); err != nil {
		t.Fatal(err)
	}
	want["odd"] = "then other words"
	if err := db.pebble.Set(keys.WithID(c.key(keys.Text, c.next-1), "odd"), db.codec.encode(want["odd"], nil), pebble.NoSync); err != nil {
		t.Fatal(err)
	}
	if report, err := db.Check(ctx, nil); err != nil || report.Found == 0 {
		t.Fatalf("check = %+v, %v, want a problem", report, err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second time there is nothing to do
		o.unicode = "2.0"
		db = openTest(t, o)
		sameDocuments(t, db, want)
		checkClean(t, db, "read again")
		if len(db.outdated) > 0 {
			t.Error("collections are still outdated")
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// Documents of two collections may have one id; their pairs stay in order.
func TestEqualIDsInTwoCollections(t *testing.T) {
	ctx := context.Background()
	db := openTest(t, testOptions(vfs.NewMem()))
	defer db.Close()
	for _, c := range []string{"left", "right"} {
		for _, id := range []string{"a", "b", "c"} {
			if err := db.Put(ctx, Document{Collection: c, ID: id, Text: "the same few words everywhere"}); err != nil {
				t.Fatal(err)
			}
		}
	}
	s, _ := db.Snapshot()
	defer s.Close()
	r, err := s.Pairs(ctx, Search{Min: measure.Ratio(1, 1), In: []string{"left", "right"}})
	rows := collect(t, r, err)
	if len(rows) != 15 {
		t.Errorf("%d pairs of 6 equal documents, want 15", len(rows))
	}
	for i, m := range rows[1:] {
		if last := rows[i]; last.A > m.A || last.A == m.A && last.B > m.B {
			t.Errorf("row %d (%s, %s) stands before (%s, %s)", i, last.A, last.B, m.A, m.B)
		}
	}
}

// Sets that have ended cost a search nothing, however many they are.
func TestReplacingLeavesNothingBehind(t *testing.T) {
	ctx := context.Background()
	db := openTest(t, testOptions(vfs.NewMem()))
	defer db.Close()
	for i := range 2000 {
		if err := db.Put(ctx, Document{ID: fmt.Sprint(i % 5), Text: fmt.Sprintf("these words stay as they are but for number %d", i)}); err != nil {
			t.Fatal(err)
		}
	}
	settled(t, db)
	s, _ := db.Snapshot()
	defer s.Close()
	v, err := s.view("")
	if err != nil {
		t.Fatal(err)
	}
	if live := v.live(0, v.next); len(live) != 5 {
		t.Errorf("%d sets are searched, 5 are live", len(live))
	}
	if n := v.next - v.index.built; n > 16*db.opts.segmentSets {
		t.Errorf("%d numbers have no postings", n)
	}
	r, err := s.Similar(ctx, ByID("3"), Search{Min: measure.Ratio(1, 2), Access: AccessSignature})
	if rows := collect(t, r, err); len(rows) != 4 || r.Plan.Filters[0].Out != 5 {
		t.Errorf("%d rows, want 4; plan %+v", len(rows), r.Plan)
	}
}

// A collection dropped while its postings are built is gone, and no error.
func TestDropDuringBuild(t *testing.T) {
	ctx := context.Background()
	db := openTest(t, testOptions(vfs.NewMem()))
	defer db.Close()
	g := &texts{rng: rand.New(rand.NewPCG(6, 6))}
	for i := range 60 {
		if err := db.Put(ctx, Document{ID: fmt.Sprint(i), Text: g.next()}); err != nil {
			t.Fatal(err)
		}
	}
	settled(t, db)
	if err := db.building.lock(ctx); err != nil {
		t.Fatal(err)
	}
	s := db.snapshot()
	v, err := s.view("")
	if err != nil {
		t.Fatal(err)
	}
	if err := db.DropCollection(ctx, DefaultCollection); err != nil {
		t.Fatal(err)
	}
	b := build{db: db, s: s, v: v, old: v.index}
	b.new = *v.index
	if err := b.end(b.merge(ctx, 0, len(v.index.segments))); err != nil {
		t.Errorf("merge after a drop: %v", err)
	}
	if err := b.end(b.rebuild(ctx, v.next)); err != nil {
		t.Errorf("rebuild after a drop: %v", err)
	}
	s.close()
	db.building.unlock()
	for _, space := range keys.PerCollection {
		if n, err := firstKey(db, space); n != 0 || err != nil {
			t.Errorf("space %x still has keys of collection %d, %v", space, n, err)
		}
	}
}

// A log that was lost before anything of it reached a table is missed too.
func TestUnflushedLogIsMissed(t *testing.T) {
	o := testOptions(vfs.NewCrashableMem())
	db := openTest(t, o)
	if err := db.Put(context.Background(), Document{ID: "a", Text: "only in the log so far"}); err != nil {
		t.Fatal(err)
	}
	image := o.fs.(*vfs.MemFS).CrashClone(vfs.CrashCloneCfg{})
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if err := image.RemoveAll("db/" + logName); err != nil {
		t.Fatal(err)
	}
	o.fs = image
	if _, err := Open("db", o); !errors.Is(err, ErrCorrupt) {
		t.Errorf("Open without the log = %v, want ErrCorrupt", err)
	}
}

// What Load has stored is indexed when it returns, so that two stores of the
// same documents are of a size, however soon they are closed.
func TestLoadIndexes(t *testing.T) {
	ctx := context.Background()
	for range 20 {
		db := openTest(t, testOptions(vfs.NewMem()))
		g := &texts{rng: rand.New(rand.NewPCG(8, 8))}
		batches := func(yield func(*Batch, error) bool) {
			for i := range 20 {
				b := &Batch{}
				for j := range 5 {
					b.Put(Document{ID: fmt.Sprint(i, j), Text: g.next()})
				}
				if !yield(b, nil) {
					return
				}
			}
		}
		if err := db.Load(ctx, batches, func(*Batch, BatchStats) {}); err != nil {
			t.Fatal(err)
		}
		if m := db.Metrics(); m.TailSets >= int64(db.opts.segmentSets) || m.Segments == 0 {
			t.Errorf("after Load %d sets have no postings, %d segments", m.TailSets, m.Segments)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
