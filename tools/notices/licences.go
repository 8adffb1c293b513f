package main

// What a licence is, by the sentences that no other licence has, and whose
// copyright it names. A text that is not known is an error: someone has to read it.

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// marks are sentences of the licences, in lower case, with one space between words.
var marks = []struct {
	spdx string
	all  []string
	none string
}{
	{spdx: "Apache-2.0", all: []string{"apache license version 2.0, january 2004"}},
	{spdx: "BSD-2-Clause", all: []string{"redistributions in binary form must reproduce the above copyright notice"}, none: "to endorse or promote products"},
	{spdx: "BSD-3-Clause", all: []string{"redistributions in binary form must reproduce the above copyright notice", "to endorse or promote products"}},
	{spdx: "ISC", all: []string{"permission to use, copy, modify, and/or distribute this software for any purpose"}},
	{spdx: "MIT", all: []string{"permission is hereby granted, free of charge, to any person obtaining a copy"}},
}

// spdx names the licences of a module by their SPDX identifiers.
func (m *module) spdx() (string, error) {
	var found []string
	for _, f := range m.files {
		if strings.Contains(strings.ToLower(f.name), "notice") || strings.Contains(strings.ToLower(f.name), "patents") {
			continue
		}
		ids := licencesOf(f.text)
		if len(ids) == 0 {
			return "", fmt.Errorf("%s: %s is no licence that is known; read it, and add what marks it", m.path, f.name)
		}
		found = append(found, ids...)
	}
	if len(found) == 0 {
		return "", fmt.Errorf("%s has no licence", m.path)
	}
	slices.Sort(found)
	return strings.Join(slices.Compact(found), " AND "), nil
}

func licencesOf(text string) (ids []string) {
	text = strings.ToLower(strings.Join(strings.Fields(text), " "))
	for _, mark := range marks {
		missing := slices.ContainsFunc(mark.all, func(s string) bool { return !strings.Contains(text, s) })
		if !missing && (mark.none == "" || !strings.Contains(text, mark.none)) {
			ids = append(ids, mark.spdx)
		}
	}
	return ids
}

// copyright matches a line that names an owner; the licences themselves speak of
// copyright too, but without a year or a sign.
var copyright = regexp.MustCompile(`(?im)^[\s/*#]*((?:portions )?copyright (?:\(c\)|©|[12][0-9]{3}).*?)[\s*]*$`)

// copyrights returns the lines of the licences and notices that name the owners.
func (m *module) copyrights() (lines []string) {
	for _, f := range m.files {
		for _, c := range copyright.FindAllStringSubmatch(f.text, -1) {
			if line := strings.ReplaceAll(c[1], "|", `\|`); !slices.Contains(lines, line) {
				lines = append(lines, line)
			}
		}
	}
	return lines
}

// writeTexts writes every licence and notice to a new folder, each under the path
// of its module.
func writeTexts(dir string, modules []module) error {
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	for _, m := range modules {
		for _, f := range m.files {
			name := filepath.Join(dir, filepath.FromSlash(m.path), filepath.FromSlash(f.name))
			if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
				return err
			}
			if err := os.WriteFile(name, []byte(f.text), 0o644); err != nil {
				return err
			}
		}
	}
	return nil
}
