package main

// The oracle in the tests of every change: drawn stores, and the scripts that were kept
// because they once showed a difference.

import (
	"bytes"
	"context"
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/simdb/simdb/internal/torture"
)

func TestOracle(t *testing.T) {
	t.Parallel()
	stores := torture.Tries(t, "Q3")
	var out bytes.Buffer
	h := newHunt(&out, 1, uint64(stores), 12)
	h.run(context.Background())
	if h.failed {
		t.Error(out.String())
	}
	if stores >= 1000 && !h.met.all(&out, 1) {
		t.Error(out.String())
	}
	torture.Report(t, "Q3", h.stores)
	t.Logf("%d statements", h.met["statements"])
}

// What once was wrong stays right.
func TestKeptScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, f := range files {
		s, err := readScript(f)
		if err != nil {
			t.Fatalf("%s: %v", f, err)
		}
		if d, err := s.run(context.Background(), nil); d != nil || err != nil {
			t.Errorf("%s: %+v, %v", f, d, err)
		}
	}
}

// The oracle sees what a store leaves out, adds or changes. Rows of every drawn answer are
// spoilt in turn.
func TestOracleSeesWrongRows(t *testing.T) {
	answers := 0
	for seed := range uint64(20) {
		w := newWorld()
		for _, step := range drawScript(seed, 12).Steps {
			switch {
			case step.Op == "mark":
				w.marks[step.Mark] = w.clock
			case step.Op == "tokens":
				for _, d := range step.Docs {
					w.put(step.Collection, d)
				}
			case step.Statement != nil && step.Op != "relations" && step.Op != "explain":
				a := w.does(step.Statement)
				if a.Err != "" || a.Subset || len(a.Rows) == 0 {
					continue
				}
				answers++
				seen(t, step.Statement, a)
			}
		}
	}
	if answers < 50 {
		t.Errorf("%d answers with rows, want more", answers)
	}
}

// seen tries spoilt answers to a statement.
func seen(t *testing.T, s *Statement, a *Answer) {
	t.Helper()
	if d := differ(s, a, asked{columns: a.Columns, rows: a.Rows}); d != "" {
		t.Fatalf("%s: the answer itself differs: %s", s, d)
	}
	changed := make([][]string, len(a.Rows))
	copy(changed, a.Rows)
	changed[0] = append([]string{a.Rows[0][0] + "?"}, a.Rows[0][1:]...)
	for what, rows := range map[string][][]string{"less": a.Rows[1:], "more": append(a.Rows[:1:1], a.Rows...), "others": changed} {
		if differ(s, a, asked{columns: a.Columns, rows: rows}) == "" {
			t.Errorf("%s: %s rows are not seen", s, what)
		}
	}
}

// A seed draws one script, which comes back as it was kept.
func TestScriptsComeBack(t *testing.T) {
	for seed := range uint64(30) {
		s := drawScript(seed, 8)
		b, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := json.Marshal(drawScript(seed, 8)); err != nil || !bytes.Equal(again, b) {
			t.Fatalf("seed %d draws two scripts: %v", seed, err)
		}
		back := &Script{}
		if err := json.Unmarshal(b, back); err != nil {
			t.Fatal(err)
		}
		for i, step := range s.Steps {
			if back.Steps[i].String() != step.String() {
				t.Fatalf("seed %d: step %s comes back as %s", seed, step, back.Steps[i])
			}
		}
	}
}
