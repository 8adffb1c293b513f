package main

// These tests run every measurement on a few documents, to see that it works and
// that a wrong answer ends it. Nothing is timed.

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/simdb/simdb/internal/realtext"
)

// Every measurement on a few documents ends well and notes figures, and they
// make what the targets name. What the values are does not matter here.
func TestMeasurements(t *testing.T) {
	corpora := filepath.Dir(realtext.Path(t, "linuxdoc.jsonl.gz"))
	dir, made := t.TempDir(), map[string]bool{}
	for _, m := range measurements {
		t.Run(m.name, func(t *testing.T) {
			e := &env{dir: dir, corpora: corpora, n: 200, cores: 2, seed: 1, queries: 50, small: true}
			if err := m.run(context.Background(), e); err != nil {
				t.Fatal(err)
			}
			for _, f := range e.figures {
				made[f.Name] = true
				if f.Name == "" || f.Documents == 0 || f.Cores != 2 {
					t.Errorf("figure %+v: want a name, documents and cores", f)
				}
			}
		})
	}
	for _, target := range targets {
		if target.overPeer != "" {
			continue
		}
		for _, name := range []string{target.figure, target.over} {
			if strings.HasPrefix(name, "sets, linuxdoc, ") { // needs the corpus
				continue
			}
			if name != "" && !made[name] && !elsewhere[name] {
				t.Errorf("%s: nothing measures %q", target.work, name)
			}
		}
	}
}

// A wrong answer is found: the check of one corpus fails on a store of another.
func TestCheckFindsWrongAnswers(t *testing.T) {
	ctx := context.Background()
	e := &env{dir: t.TempDir(), n: 100, seed: 1, small: true}
	if _, err := e.store(ctx, byWord); err != nil {
		t.Fatal(err)
	}
	if err := check(ctx, e); err != nil {
		t.Fatalf("on its own corpus: %v", err)
	}
	other := &env{dir: e.dir, n: 100, seed: 2, small: true}
	if err := check(ctx, other); err == nil {
		t.Errorf("check accepts the answers of another corpus")
	}
}

// elsewhere are figures of whole processes, which a test does not start, and of
// what so few documents do not have.
var elsewhere = map[string]bool{
	"import, peak memory": true, "linuxdoc, import, peak memory": true, "linuxdoc, import, whole process": true,
	"linuxdoc, import, whole process, text": true, "linuxdoc, pairs at 0.8, whole process": true,
	"linuxdoc, SIMILAR TO an id, median": true,
	"SIMILAR TO an id, each further row": true,
	pipedFigure:                          true, "import, written per byte of the store": true,
	"SimHash, any distance": true, "SimHash, any distance, each of 8": true, "SimHash, up to 3 bits": true, "SimHash, pairs up to 3 bits": true,
}

func TestExport(t *testing.T) {
	dir := t.TempDir()
	const n = 50
	if err := export(dir, 1, n); err != nil {
		t.Fatal(err)
	}
	sets, err := os.ReadFile(filepath.Join(dir, "sets.bin"))
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for ; len(sets) > 0; count++ {
		sets = sets[4+8*binary.LittleEndian.Uint32(sets):]
	}
	if count != n {
		t.Errorf("%d sets of %d documents", count, n)
	}
	var out bytes.Buffer
	if err := answerAsPeer(context.Background(), asked{dir: dir, out: filepath.Join(dir, "simdb")}, &out); err != nil {
		t.Fatal(err)
	}
	for lines := json.NewDecoder(&out); lines.More(); {
		var f figure
		if err := lines.Decode(&f); err != nil || f.Value <= 0 {
			t.Errorf("figure %+v, %v", f, err)
		}
	}
	for _, name := range []string{"pairs.bin", "queries.bin"} {
		if info, err := os.Stat(filepath.Join(dir, "simdb", name)); err != nil || info.Size() == 0 || info.Size()%4 != 0 {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
}

// simdb leaves a list for each query and each question about containment.
func TestAnswerByContainment(t *testing.T) {
	dir := t.TempDir()
	const n = 50
	if err := export(dir, 1, n); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	a := asked{dir: dir, out: filepath.Join(dir, "answers"), containment: true}
	if err := answerAsPeer(context.Background(), a, &out); err != nil {
		t.Fatal(err)
	}
	for _, s := range peerStatements {
		packed, err := os.ReadFile(filepath.Join(a.out, s.file))
		if err != nil {
			t.Fatal(err)
		}
		lists, rows := 0, 0
		for ; len(packed) >= 4; lists++ {
			count := binary.LittleEndian.Uint32(packed)
			packed, rows = packed[4+4*count:], rows+int(count)
		}
		if lists != n || rows == 0 || !strings.Contains(out.String(), s.what+", median") {
			t.Errorf("%s: %d lists with %d rows, want %d; figures %s", s.what, lists, rows, n, &out)
		}
	}
}

func TestExportFingerprints(t *testing.T) {
	dir := t.TempDir()
	if err := exportFingerprints(dir, 1, 300); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := answerByFingerprints(asked{dir: dir, out: filepath.Join(dir, "simdb")}, &out); err != nil {
		t.Fatal(err)
	}
	hashes := fingerprints(1, 300)
	queries, err := os.ReadFile(filepath.Join(dir, "queries.bin"))
	if err != nil {
		t.Fatal(err)
	}
	for name, dist := range map[string]int{"far.bin": farBits, "near.bin": nearBits} {
		got, err := os.ReadFile(filepath.Join(dir, "simdb", name))
		if err != nil {
			t.Fatal(err)
		}
		var want []byte
		for q := queries; len(q) > 0; q = q[4:] {
			found := near(hashes, hashes[binary.LittleEndian.Uint32(q)], dist)
			for _, n := range append([]uint32{uint32(len(found))}, found...) {
				want = binary.LittleEndian.AppendUint32(want, n)
			}
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s has not what a plain loop finds", name)
		}
	}
}

func TestWants(t *testing.T) {
	tests := []struct {
		m     measurement
		size  int
		first bool
		want  bool
	}{
		{measurement{}, 7, false, true},
		{measurement{once: true}, 7, false, false},
		{measurement{once: true}, 7, true, true},
		{measurement{most: 10}, 11, true, false},
		{measurement{most: 10}, 10, true, true},
		{measurement{only: []int{7}}, 7, false, true},
		{measurement{only: []int{7}}, 8, false, false},
	}
	for _, tt := range tests {
		if got := tt.m.wants(tt.size, tt.first); got != tt.want {
			t.Errorf("%+v.wants(%d, %v) = %v", tt.m, tt.size, tt.first, got)
		}
	}
}

// Above its limit a measurement runs on two cores alone.
func TestCoresAt(t *testing.T) {
	m := measurement{cores: []int{1, 2}, two: 10}
	for size, want := range map[int]int{10: 2, 11: 1} {
		if got := m.coresAt(size); len(got) != want || got[len(got)-1] != 2 {
			t.Errorf("coresAt(%d) = %v", size, got)
		}
	}
}

// A disk that is too small is told beforehand, with what it takes.
func TestRoomFor(t *testing.T) {
	left := func(gb float64) func(string) (int64, bool) {
		return func(string) (int64, bool) { return int64(gb * 1e9), true }
	}
	if err := roomFor("/x", 10*million, left(60)); err != nil {
		t.Error(err)
	}
	err := roomFor("/x", 10*million, left(56.4))
	if want := "10,000,000 documents take up to 60.0 GB of disk, and /x has 56.4 GB left"; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("roomFor = %v, want %s …", err, want)
	}
	if err := roomFor("/x", 10*million, func(string) (int64, bool) { return 0, false }); err != nil {
		t.Errorf("where nothing is known of the disk: %v", err)
	}
}

func TestParse(t *testing.T) {
	for args, wrong := range map[string]bool{"-n 10,20": false, "-n x": true, "-n 0": true, "-only search,pairs": false, "-only nosuch": true} {
		if _, err := parse(strings.Fields(args)); (err != nil) != wrong {
			t.Errorf("parse(%s) = %v", args, err)
		}
	}
}
