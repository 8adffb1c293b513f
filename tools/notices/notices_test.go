package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const project = "../.."

func read(t *testing.T) []module {
	t.Helper()
	modules, err := linked(project, "./cmd/simdb")
	if err != nil {
		t.Fatal(err)
	}
	for i := range modules {
		if err := modules[i].read(); err != nil {
			t.Fatal(err)
		}
	}
	return modules
}

// The list that is kept names what the command links now.
func TestKeptListIsFresh(t *testing.T) {
	want, err := list(read(t))
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(project, "THIRD_PARTY_NOTICES.md"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(want) {
		if !strings.Contains(string(got), line) {
			t.Errorf("THIRD_PARTY_NOTICES.md lacks %s", line)
		}
	}
	if string(got) != want {
		t.Errorf("THIRD_PARTY_NOTICES.md is stale: run make notices, and read the difference")
	}
}

// Every module comes with a text, each text as it is in the module, also those of
// parts that others have written.
func TestTexts(t *testing.T) {
	modules := read(t)
	dir := filepath.Join(t.TempDir(), "licences")
	if err := writeTexts(dir, modules); err != nil {
		t.Fatal(err)
	}
	if err := writeTexts(dir, modules); err == nil {
		t.Errorf("texts are written among others")
	}
	for _, m := range modules {
		if len(m.files) == 0 {
			t.Errorf("%s comes without a licence", m.path)
		}
		for _, f := range m.files {
			want, err := os.ReadFile(filepath.Join(m.dir, f.name))
			if err != nil {
				t.Fatal(err)
			}
			got, err := os.ReadFile(filepath.Join(dir, m.path, f.name))
			if err != nil || string(got) != string(want) {
				t.Errorf("%s of %s is not written as it is: %v", f.name, m.path, err)
			}
		}
	}
	for _, name := range []string{
		"Go/LICENSE",
		"github.com/cockroachdb/pebble/v2/internal/arenaskl/LICENSE",
		"github.com/prometheus/client_golang/NOTICE",
	} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
}

func TestLicencesOf(t *testing.T) {
	const bsd = "Redistributions in binary form must reproduce\n   the above copyright notice"
	for _, tt := range []struct {
		text string
		want []string
	}{
		{"", nil},
		{"All rights reserved. Do not copy.", nil},
		{"GNU GENERAL PUBLIC LICENSE Version 3", nil},
		{"  Apache License\n   Version 2.0, January 2004", []string{"Apache-2.0"}},
		{"Permission is hereby granted, free of charge, to any\nperson obtaining a copy", []string{"MIT"}},
		{bsd, []string{"BSD-2-Clause"}},
		{bsd + " may be used to endorse or promote products", []string{"BSD-3-Clause"}},
		{"Apache License Version 2.0, January 2004 … Permission is hereby granted, free of charge, to any person obtaining a copy", []string{"Apache-2.0", "MIT"}},
	} {
		if got := licencesOf(tt.text); !slices.Equal(got, tt.want) {
			t.Errorf("licencesOf(%q) = %v, want %v", tt.text, got, tt.want)
		}
	}
	unknown := module{path: "example.org/m", files: []file{{"LICENSE", "Ask the owner."}}}
	if got, err := unknown.spdx(); err == nil {
		t.Errorf("an unknown licence is called %s", got)
	}
	none := module{path: "example.org/m", files: []file{{"NOTICE", "By us."}}}
	if got, err := none.spdx(); err == nil {
		t.Errorf("a module without a licence has %s", got)
	}
}

func TestCopyrights(t *testing.T) {
	m := module{files: []file{
		{"LICENSE", "Copyright (c) 2020 A, B\nall copyright notices\n   Copyright [yyyy] [name of copyright owner]\nCopyright (c) 2020 A, B"},
		{"NOTICE", " * Copyright 2019 C *\ncopyright holders say"},
	}}
	if got, want := m.copyrights(), []string{"Copyright (c) 2020 A, B", "Copyright 2019 C"}; !slices.Equal(got, want) {
		t.Errorf("copyrights = %q, want %q", got, want)
	}
}
