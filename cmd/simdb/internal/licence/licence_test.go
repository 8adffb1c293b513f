package licence

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/internal/realtext"
)

// ours is a licence that nobody has but these tests.
const ours = `Whoever finds this poem may read it aloud at any table where soup is served.
Nobody may sell the soup by the poem, or the poem by the soup.
If the soup is cold the reader owes the cook a song, and the cook owes nothing at all.`

// near is ours with one word in five changed.
const near = `Whoever sees this verse may read it silently at any desk where bread is served.
Nobody can sell the bread by the verse, or the verse by the bread.
When the bread is old the reader owes the baker a dance, and the baker owes nothing at all.`

func rows(t *testing.T, args ...string) (rows []map[string]any, notices string, err error) {
	t.Helper()
	cmd := New()
	var out, errs bytes.Buffer
	cmd.SetArgs(append([]string{"--format", "ndjson"}, args...))
	cmd.SetOut(&out)
	cmd.SetErr(&errs)
	cmd.SilenceUsage, cmd.SilenceErrors = true, true
	err = cmd.ExecuteContext(context.Background())
	for line := range strings.Lines(out.String()) {
		var row map[string]any
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, row)
	}
	return rows, errs.String(), err
}

func write(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// Texts of one's own are found in files, in their lines, and what is only near is none.
func TestListOfOnesOwn(t *testing.T) {
	dir, texts := t.TempDir(), t.TempDir()
	write(t, texts, "Soup-1.0@first.txt", ours)
	write(t, texts, "Bread-2.0.txt", strings.ReplaceAll(ours, "soup", "bread"))
	whole := write(t, dir, "whole", ours)
	within := write(t, dir, "within.c", "int a;\n/* "+strings.ReplaceAll(ours, "\n", "\n * ")+"\n */\nint b;\n")
	none := write(t, dir, "none", near)
	got, _, err := rows(t, "--only-list", "--list", texts, dir)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][3]any{whole: {"Soup-1.0", 1.0, 3.0}, within: {"Soup-1.0", 2.0, 4.0}, none: {nil, nil, nil}}
	for _, row := range got {
		w := want[row["path"].(string)]
		if row["licence"] != w[0] || row["start_line"] != w[1] || row["end_line"] != w[2] || (row["sim"] == nil) != (w[0] == nil) {
			t.Errorf("got %v, want %v", row, w)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d rows, want %d", len(got), len(want))
	}
}

// A database is a list too, and of equal texts the one of the shortest id is named.
func TestListInADatabase(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "texts.simdb")
	db, err := simdb.Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"Alpha-long-1.0", "Zeta-1.0"} {
		if err := db.Put(context.Background(), api.Document{ID: id, Text: ours}); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	got, _, err := rows(t, "--only-list", "--list", path, write(t, dir, "file", ours))
	if err != nil || len(got) != 1 || got[0]["licence"] != "Zeta-1.0" {
		t.Errorf("got %v, %v; want Zeta-1.0", got, err)
	}
}

// What files say of themselves: tags, names and GNU notices.
func TestWhatFilesSay(t *testing.T) {
	dir := t.TempDir()
	gnu := "This program is free software; you can redistribute it and/or modify\nit under the terms of the GNU General Public License as published by\nthe Free Software Foundation"
	cases := []struct{ text, want string }{
		{"// SPDX-License-Identifier: MIT\nint a;", "MIT"},
		{"# SPDX-License-Identifier: (GPL-2.0+ or MIT)", "(GPL-2.0-or-later OR MIT)"},
		{"/* SPDX-License-Identifier: LGPL-2.1 */", "LGPL-2.1-only"},
		{"<!-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception -->", "Apache-2.0 WITH LLVM-exception"},
		{"SPDX-License-Identifier: <id>", ""},
		{"It is licensed under the Apache License,\n# Version 2.0, as is all else.", "Apache-2.0"},
		{"It is licensed under the Apache License, as is all else.", ""},
		{"x\n" + gnu + "; either version 2 of the License, or\n(at your option) any later version.", "GPL-2.0-or-later"},
		{gnu + ", version 3.", "GPL-3.0-only"},
		{strings.Replace(gnu, "GNU General", "GNU Lesser General", 1) + ";\nversion 2.1 of the License.", "LGPL-2.1-only"},
		{"A text about software that says nothing of its licence, and nothing of any other.", ""},
		{"", ""},
	}
	for i, c := range cases {
		write(t, dir, fmt.Sprintf("%02d", i), c.text)
	}
	got, _, err := rows(t, dir)
	if err != nil || len(got) != len(cases) {
		t.Fatal(len(got), err)
	}
	for i, c := range cases {
		if licence, _ := got[i]["licence"].(string); licence != c.want {
			t.Errorf("%q: got %v, want %q", c.text, got[i], c.want)
		}
	}
}

func TestBinaryFilesArePassedOver(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "b.bin", "\x7fELF\x00\x00\x01\x02")
	write(t, dir, "a.txt", "SPDX-License-Identifier: ISC")
	got, notices, err := rows(t, dir)
	if err == nil || len(got) != 1 || !strings.Contains(notices, "passed over") || !strings.Contains(notices, "b.bin") {
		t.Errorf("got %v, %q, %v; want one row, a notice and an error", got, notices, err)
	}
}

func TestTextsOfPatterns(t *testing.T) {
	for _, c := range []struct {
		lre  string
		want []string
	}{
		{"a //** no word **// b __5__ c", []string{"a b c"}},
		{"a ((b || ((c))?? d)) e", []string{"a b e"}},
		{"a ((b c))??", []string{"a b c", "a"}},
		{"((a ((b))?? || c))", []string{"a b", "a", "c"}},
	} {
		if got := textsOf(c.lre); !slices.Equal(got, c.want) {
			t.Errorf("textsOf(%q) = %q, want %q", c.lre, got, c.want)
		}
	}
}

// The full texts and the headers of the corpus: a floor under what bench/licences measures.
func TestCorpus(t *testing.T) {
	l, err := newList(context.Background(), true, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer l.db.Close()
	right, wrong, all := 0, 0, 0
	for d := json.NewDecoder(corpus(t)); d.More(); {
		var x struct {
			Text   string
			Labels []string
		}
		if err := d.Decode(&x); err != nil {
			t.Fatal(err)
		}
		if len(x.Labels) != 1 {
			continue
		}
		all++
		f, err := l.find(context.Background(), x.Text)
		if err != nil {
			t.Fatal(err)
		}
		switch family := func(id string) string {
			return strings.TrimSuffix(strings.TrimSuffix(id, "-only"), "-or-later")
		}; {
		case family(f.licence) == family(x.Labels[0]):
			right++
		case f.licence != "":
			wrong++
		}
	}
	if all != 636 || right < 580 || wrong > 16 {
		t.Errorf("of %d texts %d right and %d wrong", all, right, wrong)
	}
}

func corpus(t *testing.T) io.Reader {
	t.Helper()
	f, err := os.Open(realtext.Path(t, "licensecheck.jsonl.gz"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	return z
}
