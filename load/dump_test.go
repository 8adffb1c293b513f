package load

// Dumps: lossless restores, and refusals.

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/internal/corpus"
	"github.com/simdb/simdb/internal/torture"
	"github.com/simdb/simdb/load/internal/dump"
)

func openTemp(t *testing.T, opts *simdb.Options) *simdb.DB {
	t.Helper()
	db, err := simdb.Open(t.TempDir()+"/t.simdb", opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

func dumped(t *testing.T, db *simdb.DB) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Dump(t.Context(), db, &b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// oddTexts contain every form of invalid UTF-8, and characters that JSON escapes.
func oddTexts() []string {
	texts := []string{"", " ", "\x00", "a\nb\r\n\t\"\\/<>&", "\u2028\u2029\ufeff\ufffd", "\U0010ffff e\u0301", "{\"end\":true}\n",
		"cut \xc3", "\xe2\x82", "\xf0\x9f\x98", "\x80", "\xbf\xbf", "\xc0\x80", "\xe0\x80\x80", "\xed\xa0\x80 surrogate", "\xf4\x90\x80\x80", "\xf8\x88\x80\x80\x80", "\xff\xfe"}
	for c := range 256 {
		texts = append(texts, "byte "+string([]byte{byte(c)})+" inside")
	}
	return texts
}

// oddMeta has every kind of JSON value.
func oddMeta() []api.Meta {
	deep := any("x")
	for range 9_999 {
		deep = []any{deep}
	}
	return []api.Meta{nil,
		{"null": nil}, {"true": true, "false": false}, {"": ""}, {"s": "<&>\u2028\x00\"\\"},
		{"i": 1, "n": json.Number("1.50"), "e": json.Number("1e400"), "z": json.Number("-0"), "f": 0.1, "max": int64(math.MaxInt64), "small": math.SmallestNonzeroFloat64},
		{"list": []any{1, "2", nil, []any{}, map[string]any{}}, "object": map[string]any{"b": 1, "a": map[string]any{"c": []any{false}}}},
		{"collection": "x", "id": "y", "text": "z", "meta": "m", "crc": "00000000", "end": true},
		{"deep": deep},
	}
}

// A restored database has the same dump: collections with different settings, one of them empty and
// one with tokens of its own, and 20,000 documents.
func TestDumpRoundTrip(t *testing.T) {
	documents := 20_000
	if torture.Short() {
		documents = 2_000
	}
	ctx := t.Context()
	db := openTemp(t, nil)
	settings := map[string]api.Settings{
		"docs":             {},
		"chars \"quoted\"": {Unit: "char", K: 4},
		"own tokens":       {Unit: "token", K: 2, UniqueSim: "0.95", Index: "i, s"},
		"empty":            {Intervals: "paper", SI: "m3a k4", Versions: true, Entities: true, Words: true, Patricia: true},
	}
	for name, s := range settings {
		if err := db.CreateCollection(ctx, name, s); err != nil {
			t.Fatal(err)
		}
	}
	texts, metas := oddTexts(), oddMeta()
	for at := 0; at < documents; at += 500 {
		var b simdb.Batch
		for i := at; i < at+500; i++ {
			d := api.Document{ID: fmt.Sprintf("%d", i), Text: corpus.At(7, i).Text, Meta: metas[i%(len(metas)-1)]}
			switch i % 7 {
			case 1:
				d.Collection = "chars \"quoted\""
			case 2:
				d.ID = fmt.Sprintf("%d\nsecond line\x00\xff%c", i, rune(i))
			case 3:
				d.Text = texts[i/7%len(texts)]
			case 4:
				d.Collection, d.Tokens = "own tokens", tokensAt(i)
				if len(d.Tokens) == 0 {
					d.Text = string(rune('一' + i)) // read instead of tokens; must differ from all others
				}
				if i%2 == 0 && len(d.Tokens) > 0 || i == 60 {
					d.Text = "" // only tokens, and one document without any
				}
			}
			b.Put(d)
		}
		if _, err := db.Commit(ctx, &b); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Put(ctx, api.Document{ID: "deep", Meta: metas[len(metas)-1]}); err != nil {
		t.Fatal(err)
	}
	want := dumped(t, db)

	again := openTemp(t, nil)
	if err := Restore(ctx, again, bytes.NewReader(want)); err != nil {
		t.Fatal(err)
	}
	if got := dumped(t, again); !bytes.Equal(got, want) {
		t.Errorf("the dump of the restored database has %d bytes and differs, want the same %d", len(got), len(want))
	}
	sameContents(t, db, again)
	if report, err := again.Check(ctx, nil); err != nil || report.Found > 0 {
		t.Errorf("check of the restored database: %+v, %v", report, err)
	}
	if err := Restore(ctx, again, bytes.NewReader(want)); !errors.Is(err, api.ErrExists) {
		t.Errorf("Restore into a database with documents: %v, want ErrExists", err)
	}
	sameContents(t, db, again)
}

// Restore ignores obsolete settings of an older dump. It refuses unknown settings, which may be
// those of a newer version.
func TestRestoreOfOlderVersion(t *testing.T) {
	db := openTemp(t, nil)
	if err := db.CreateCollection(t.Context(), "docs", api.Settings{K: 2, UniqueSim: "0.3"}); err != nil {
		t.Fatal(err)
	}
	s := collectionOf(t, db).Settings
	old := []byte(`{"Unit":"word","K":2,"MinSim":"0.3","Intervals":"none","UniqueSim":"0.3","Sets":"derived","Postings":"all"}`)
	for _, tt := range []struct {
		settings []byte
		want     error
	}{
		{old, nil},
		{bytes.Replace(old, []byte("MinSim"), []byte("MaxSim"), 1), api.ErrFormatTooNew},
	} {
		var b bytes.Buffer
		w, err := dump.NewWriter(&b, 1, 1)
		if err == nil {
			err = errors.Join(w.Collection(dump.Collection{Name: "docs", Settings: tt.settings, Documents: 1}),
				w.Document(dump.Document{ID: "a", Text: "one two three"}), w.Close())
		}
		if err != nil {
			t.Fatal(err)
		}
		into := openTemp(t, nil)
		if err := Restore(t.Context(), into, &b); !errors.Is(err, tt.want) {
			t.Fatalf("Restore of settings %s: %v, want %v", tt.settings, err, tt.want)
		}
		if tt.want != nil {
			continue
		}
		if got := collectionOf(t, into); got.Settings != s || got.Documents != 1 {
			t.Errorf("restored %+v, want the settings %+v and a document", got, s)
		}
	}
}

func collectionsIn(t *testing.T, s *simdb.Snapshot) []api.CollectionInfo {
	t.Helper()
	all, err := s.Collections(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func collectionOf(t *testing.T, db *simdb.DB) api.CollectionInfo {
	t.Helper()
	s, err := db.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	return collectionsIn(t, s)[0]
}

// A restore cancelled at any time leaves no documents and no note.
func TestRestoreCancelled(t *testing.T) {
	db := openTemp(t, nil)
	if err := db.Put(t.Context(), api.Document{ID: "a", Text: "one two three four"}); err != nil {
		t.Fatal(err)
	}
	whole, into := dumped(t, db), openTemp(t, nil)
	for i := range 60 {
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i)*50*time.Microsecond)
		err := Restore(ctx, into, bytes.NewReader(whole))
		cancel()
		restoring, noteErr := Restoring(into)
		if documents := into.Metrics().Documents; restoring || noteErr != nil || err != nil && documents > 0 {
			t.Fatalf("Restore = %v, with %d documents left; under way: %v, %v", err, documents, restoring, noteErr)
		}
		if err == nil {
			break
		}
	}
}

// tokensAt returns tokens that no other document has, sometimes none, and some invalid UTF-8.
func tokensAt(i int) []string {
	if i%5 == 0 {
		return []string{}
	}
	return []string{fmt.Sprint("token ", i), "", "\xff\x00", fmt.Sprint("token ", i, "\n"), "common"}[:1+i%5]
}

// sameContents compares two databases through snapshots, independently of dumps.
func sameContents(t *testing.T, a, b *simdb.DB) {
	t.Helper()
	contents := func(db *simdb.DB) (all []any) {
		s, err := db.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		for _, c := range collectionsIn(t, s) {
			all = append(all, c)
			for d, err := range s.Documents(context.Background(), c.Name) {
				if err != nil {
					t.Fatal(err)
				}
				all = append(all, d)
			}
		}
		return all
	}
	ca, cb := contents(a), contents(b)
	if len(ca) != len(cb) {
		t.Fatalf("%d collections and documents, want %d", len(cb), len(ca))
	}
	for i := range ca {
		if !reflect.DeepEqual(ca[i], cb[i]) {
			t.Fatalf("restored %.300v, want %.300v", cb[i], ca[i])
		}
	}
}

// A dump preserves every field of Settings, including future ones.
func TestDumpCarriesSettings(t *testing.T) {
	var want api.Settings
	fillFields(t, &want)
	c, err := describeCollection(api.CollectionInfo{Name: "c", Settings: want}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := settingsOf(c); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("settings come back from a dump as %+v, %v, want %+v", got, err, want)
	}
	c.Settings = bytes.Replace(c.Settings, []byte("{"), []byte(`{"Later":1,`), 1)
	if _, err := settingsOf(c); !errors.Is(err, api.ErrFormatTooNew) {
		t.Errorf("a setting that this version does not know: %v, want ErrFormatTooNew", err)
	}
}

// A dump preserves every field of Document, including future ones.
func TestDumpCarriesDocuments(t *testing.T) {
	var want api.Document
	fillFields(t, &want)
	var b bytes.Buffer
	w, err := dump.NewWriter(&b, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	d, err := describeDocument(want)
	if err := errors.Join(err, w.Collection(dump.Collection{Name: want.Collection, Documents: 1}), w.Document(d), w.Close()); err != nil {
		t.Fatal(err)
	}
	r := dump.NewReader(&b, 1<<20)
	c, _, err := r.Next()
	if err != nil {
		t.Fatal(err)
	}
	_, read, err := r.Next()
	if err != nil {
		t.Fatal(err)
	}
	if got, err := documentOf(c.Name, *read); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("a document comes back from a dump as %+v, %v, want %+v", got, err, want)
	}
}

// fillFields sets every field of a struct to a nonzero value.
func fillFields(t *testing.T, to any) {
	t.Helper()
	v := reflect.ValueOf(to).Elem()
	for i := range v.NumField() {
		name, field := v.Type().Field(i).Name, v.Field(i)
		switch field.Kind() {
		case reflect.String:
			field.SetString("value of " + name)
		case reflect.Bool:
			field.SetBool(true)
		case reflect.Int, reflect.Int64, reflect.Int32:
			field.SetInt(int64(i) + 1)
		case reflect.Uint, reflect.Uint64, reflect.Uint32:
			field.SetUint(uint64(i) + 1)
		case reflect.Float64, reflect.Float32:
			field.SetFloat(float64(i) + 0.5)
		case reflect.Slice:
			field.Set(reflect.MakeSlice(field.Type(), 2, 2))
			if field.Type().Elem().Kind() == reflect.String {
				field.Index(0).SetString("first of " + name)
			}
		case reflect.Map:
			field.Set(reflect.ValueOf(map[string]any{"field": "value of " + name}).Convert(field.Type()))
		default:
			t.Fatalf("%s.%s is a %v: add a value for it here", v.Type(), name, field.Kind())
		}
	}
}

// Restore reads a compressed dump directly. It refuses an incomplete dump and leaves the database
// empty.
func TestRestoreRefuses(t *testing.T) {
	ctx := t.Context()
	db := openTemp(t, nil)
	for i := range 600 {
		if err := db.Put(ctx, api.Document{Collection: fmt.Sprint("c", i%2), ID: fmt.Sprint(i), Text: corpus.At(8, i).Text}); err != nil {
			t.Fatal(err)
		}
	}
	whole := dumped(t, db)
	lines := strings.SplitAfter(string(whole), "\n")
	lines = lines[:len(lines)-1]
	packed := pack(t, whole)
	later := `{"simdb_dump":2,"collections":0,"documents":0`
	later += fmt.Sprintf(`,"crc":"%08x"}`+"\n", crc32.Checksum([]byte(later), crc32.MakeTable(crc32.Castagnoli)))
	without := func(i int) string { return strings.Join(append(append([]string{}, lines[:i]...), lines[i+1:]...), "") }
	for _, tt := range []struct {
		name, dump, want string
		is               error
	}{
		{"empty", "", "it is empty", api.ErrInvalid},
		{"an export", `{"collection":"docs","id":"a","text":"b"}` + "\n", "to read texts, use import", api.ErrInvalid},
		{"cut off between lines", strings.Join(lines[:400], ""), "line 401: it is cut off here", api.ErrCorrupt},
		{"cut off in a line", string(whole[:len(whole)/2]), "it is cut off here", api.ErrCorrupt},
		{"without its end", strings.Join(lines[:len(lines)-1], ""), "it is cut off here", api.ErrCorrupt},
		{"a line missing", without(500), "line 501: wrong crc", api.ErrCorrupt},
		{"a line twice", strings.Join(lines[:500], "") + strings.Join(lines[499:], ""), "line 501: wrong crc", api.ErrCorrupt},
		{"a line changed", strings.Join(lines[:500], "") + strings.ToUpper(lines[500]) + strings.Join(lines[501:], ""), "line 501: ", api.ErrCorrupt},
		{"twice", string(whole) + string(whole), fmt.Sprintf("line %d: data after the end", len(lines)+1), api.ErrCorrupt},
		{"a dump of later times", later, "it has version 2, this program reads 1", api.ErrFormatTooNew},
		{"packed and cut off", string(packed[0][:len(packed[0])/2]), "it is cut off here", api.ErrCorrupt},
	} {
		into := openTemp(t, nil)
		err := Restore(ctx, into, strings.NewReader(tt.dump))
		if !errors.Is(err, tt.is) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q and %v", tt.name, err, tt.want, tt.is)
		}
		s, err := into.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		if left := collectionsIn(t, s); len(left) > 0 {
			t.Errorf("%s: Restore leaves %v, want nothing", tt.name, left)
		}
		s.Close()
		if restoring, err := Restoring(into); restoring || err != nil {
			t.Errorf("%s: Restoring() = %v, %v after an error", tt.name, restoring, err)
		}
	}
	for _, p := range append(packed, whole) {
		into := openTemp(t, nil)
		if err := into.CreateCollection(ctx, "another", api.Settings{}); err != nil {
			t.Fatal(err)
		}
		if err := Restore(ctx, into, bytes.NewReader(p)); err != nil {
			t.Fatal(err)
		}
		if got := dumped(t, into); !bytes.Equal(got, whole) {
			t.Errorf("the dump of the restored database differs")
		}
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if err := Restore(ended, openTemp(t, nil), bytes.NewReader(whole)); !errors.Is(err, context.Canceled) {
		t.Errorf("Restore with an ended context: %v", err)
	}
}

func pack(t *testing.T, b []byte) [][]byte {
	t.Helper()
	var gz, zst bytes.Buffer
	g := gzip.NewWriter(&gz)
	z, err := zstd.NewWriter(&zst)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range []interface {
		Write([]byte) (int, error)
		Close() error
	}{g, z} {
		if _, err := w.Write(b); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return [][]byte{gz.Bytes(), zst.Bytes()}
}
